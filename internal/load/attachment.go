package load

import (
	"bytes"
	"context"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
)

// attaching sends a message with a file and fetches the file, as its recipient.
type attaching struct {
	ids        requestIDs
	payload    int
	on         *stage
	letters    []*request
	recipients []*person
	header     string // in which the message's token is
}

func (s *attaching) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, 2*p.Connections)
	if err != nil {
		return err
	}
	s.ids.prepare(on, p)
	s.on, s.payload, s.header = on, p.Payload, on.header("Message-Id")
	file := randomFile(p.Payload)
	for i := range p.Connections {
		sender, recipient := people[2*i], people[2*i+1]
		before, after, contentType, err := multipartLetter(recipient.token)
		if err != nil {
			return err
		}
		r := newRequest(sender, http.MethodPost, on.url("message", ""), "").withHeader("Content-Type", contentType)
		s.letters = append(s.letters, r.withBody(slices.Concat(before, file, after)))
		s.recipients = append(s.recipients, recipient)
	}
	return nil
}

// randomFile is a file that cannot be compressed, which would be a favour.
func randomFile(size int) []byte {
	file := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(file) // never fails
	return file
}

// multipartLetter returns what is before and after a file in a message's body.
func multipartLetter(recipient string) (before, after []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("recipient", recipient); err != nil {
		return nil, nil, "", err
	}
	if _, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="attachment"; filename="scan.bin"`},
		"Content-Type":        {"application/octet-stream"},
	}); err != nil {
		return nil, nil, "", err
	}
	length := b.Len()
	if err := w.Close(); err != nil {
		return nil, nil, "", err
	}
	return b.Bytes()[:length:length], b.Bytes()[length:], w.FormDataContentType(), nil
}

func (s *attaching) operate(ctx context.Context, c *connection, worker int) error {
	if err := c.call(ctx, s.ids.put(s.letters[worker])); err != nil {
		return err
	}
	message := string(c.answer.Header.Peek(s.header))
	if message == "" {
		return unexpected("%s: no header %s", s.letters[worker], s.header)
	}
	fetch := newRequest(s.recipients[worker], http.MethodGet,
		s.on.url("message/"+url.PathEscape(message)+"/attachment/1", ""), "")
	n, err := c.fetch(ctx, fetch)
	if err != nil {
		return err
	}
	if n != int64(s.payload) {
		return unexpected("%s: %d bytes, want %d", fetch, n, s.payload)
	}
	return nil
}
