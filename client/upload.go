package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Upload is a file that goes with a request. It is streamed: no more of it than
// a buffer's worth is ever in memory.
type Upload struct {
	Name        string    // as the receiver sees it
	ContentType string    // if empty, by the name's extension, else application/octet-stream
	Content     io.Reader // read to its end, not closed
	// Size is the number of bytes. If it is 0, and Content is an io.Seeker, what
	// is left in that counts; else the request goes out without a length.
	Size int64
}

// contentType names what the file holds.
func (u *Upload) contentType() string {
	if u.ContentType != "" {
		return u.ContentType
	}
	if byName := mime.TypeByExtension(filepath.Ext(u.Name)); byName != "" {
		return byName
	}
	return "application/octet-stream"
}

// payload is a request's body, ready to be sent, and sent again if it has no
// file or one that can be rewound.
type payload struct {
	contentType string
	head        []byte // JSON, or the parts before the file's content
	file        io.Reader
	tail        []byte
	size        int64     // of all; -1 if unknown
	seeker      io.Seeker // of the file; nil if it can be read only once
	start       int64     // where the file's content begins
	sending     *sending
}

// encode prepares the body: none, a JSON object, or its fields and a file as
// multipart.
func (r *request) encode() (*payload, error) {
	if r.file == nil {
		if r.body == nil {
			return &payload{}, nil
		}
		text, err := marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrArgument, err)
		}
		return &payload{contentType: "application/json", head: text, size: int64(len(text))}, nil
	}
	if r.file.Content == nil {
		return nil, fmt.Errorf("%w: the file %q has no content to read", ErrArgument, r.file.Name)
	}
	p, err := r.encodeParts()
	if err != nil {
		return nil, err
	}
	if err := p.measure(r.file.Size); err != nil {
		return nil, fmt.Errorf("measure %s: %w", r.file.Name, err)
	}
	return p, nil
}

// measure finds the size of the whole, and where to rewind to.
func (p *payload) measure(size int64) error {
	if s, ok := p.file.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil { // a terminal or a pipe has the method, and fails
			p.seeker, p.start = s, start
		}
	}
	if size == 0 && p.seeker != nil {
		end, err := p.seeker.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		if _, err := p.seeker.Seek(p.start, io.SeekStart); err != nil {
			return err
		}
		p.size = int64(len(p.head)) + end - p.start + int64(len(p.tail))
		return nil
	}
	p.size = -1
	if size > 0 {
		p.size = int64(len(p.head)) + size + int64(len(p.tail))
	}
	return nil
}

// rewindable reports whether the body can be sent once more.
func (p *payload) rewindable() bool { return p.file == nil || p.seeker != nil }

// attach gives the body to a request. A second call rewinds the file.
func (p *payload) attach(req *http.Request, dog *watchdog) error {
	if p.contentType == "" {
		return nil
	}
	req.Header.Set("Content-Type", p.contentType)
	req.ContentLength = p.size
	if p.file == nil {
		req.Body = io.NopCloser(bytes.NewReader(p.head))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.head)), nil }
		return nil
	}
	if p.sending != nil {
		p.detach()
		if _, err := p.seeker.Seek(p.start, io.SeekStart); err != nil {
			return fmt.Errorf("rewind the file: %w", err)
		}
	}
	p.sending = &sending{dog: dog, r: io.MultiReader(bytes.NewReader(p.head), p.file, bytes.NewReader(p.tail))}
	req.Body = p.sending
	// A server that refuses says so before the file has crossed the network.
	req.Header.Set("Expect", "100-continue")
	return nil
}

// detach makes sure that nothing reads the caller's file any more: the
// transport may go on reading it after it has reported that the attempt failed.
// A running read of a file or of memory is waited for; one of a pipe might last
// for ever, so its result is dropped instead.
func (p *payload) detach() {
	if p.sending == nil {
		return
	}
	p.sending.over.Store(true)
	if p.seeker != nil {
		p.sending.wait()
	}
}

// errEnded is what the transport's leftover reader of a given-up attempt gets.
var errEnded = errors.New("this attempt is over")

// sending is the body of one attempt to send a file.
type sending struct {
	dog     *watchdog
	over    atomic.Bool
	reading sync.Mutex // held while the file is read
	r       io.Reader
}

func (s *sending) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.over.Load() {
		return 0, errEnded
	}
	s.dog.rest() // the file is the sender's to wait for
	n, err := s.r.Read(p)
	s.dog.touch()
	if s.over.Load() {
		return 0, errEnded
	}
	return n, err
}

// wait returns when no read is running.
func (s *sending) wait() {
	s.reading.Lock()
	defer s.reading.Unlock()
}

// Close is called by the transport when it is done with the body.
func (s *sending) Close() error {
	s.over.Store(true)
	return nil
}
