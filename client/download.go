package client

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// Download is a file on its way from the server: an io.ReadCloser for one
// goroutine. When its connection breaks, it goes on where it stopped, as often
// as the retry policy allows without a byte in between.
type Download struct {
	Name        string // as the sender named it; not to be used as a path
	ContentType string
	Size        int64  // bytes of the whole file; -1 if the server does not say
	ETag        string // names the content: for ResumeAttachment

	c        *Client
	ctx      context.Context // of the call that opened it, which a resumption goes on with
	call     *request
	offset   int64 // how many bytes of the file have been read
	answer   *exchange
	failures int // in a row, without a byte between
	err      error
}

// OpenAttachment downloads the attachment of a message (GET
// /message/:message/attachment/1). The caller closes the download; ctx holds
// until then.
func (c *Client) OpenAttachment(ctx context.Context, message string) (*Download, error) {
	return c.ResumeAttachment(ctx, message, 0, "")
}

// ResumeAttachment is [Client.OpenAttachment] from an offset in bytes on, for a
// file that was downloaded in part. If etag is not empty and the content is
// another one now, it is an [ErrChanged].
func (c *Client) ResumeAttachment(ctx context.Context, message string, offset int64, etag string) (*Download, error) {
	if offset < 0 {
		return nil, fmt.Errorf("%w: a download cannot begin at %d", ErrArgument, offset)
	}
	return c.open(ctx, get("message", message, "attachment", "1"), offset, etag)
}

// avatarID takes the identifier out of an avatar's URL.
func avatarID(avatar string) (string, error) {
	u, err := url.Parse(avatar)
	if err != nil || path.Base(path.Dir(u.Path)) != "avatar" && strings.Contains(avatar, "/") {
		return "", fmt.Errorf("%w: %q is no avatar that this server keeps", ErrArgument, avatar)
	}
	return path.Base(u.Path), nil
}

// open begins a download.
func (c *Client) open(ctx context.Context, r *request, offset int64, etag string) (*Download, error) {
	r.long = true
	d := &Download{c: c, ctx: ctx, call: r, offset: offset, ETag: etag, Size: -1}
	if err := d.connect(); err != nil {
		return nil, err
	}
	h := d.answer.resp.Header
	d.ContentType = h.Get("Content-Type")
	if _, params, err := mime.ParseMediaType(h.Get("Content-Disposition")); err == nil {
		d.Name = params["filename"]
	}
	return d, nil
}

// connect asks for the rest of the file, with the policy's repeats.
func (d *Download) connect() error {
	r := *d.call
	r.header = http.Header{"Accept-Encoding": {"identity"}} // ranges count the file's own bytes
	if d.offset > 0 {
		r.ok = []int{http.StatusPartialContent}
		r.header.Set("Range", fmt.Sprintf("bytes=%d-", d.offset))
		if d.ETag != "" && !strings.HasPrefix(d.ETag, "W/") {
			r.header.Set("If-Range", d.ETag)
		}
	}
	return d.c.try(d.ctx, &r, func(ctx context.Context, p *payload) error {
		answer, err := d.c.send(ctx, &r, p)
		if err != nil {
			return err
		}
		if err := d.accept(answer); err != nil {
			_ = answer.Close() // the reason not to read it is the error
			return err
		}
		d.answer = answer
		return nil
	})
}

// accept checks that the answer continues the same file, and where it begins.
func (d *Download) accept(answer *exchange) error {
	h := answer.resp.Header
	if etag := h.Get("ETag"); d.ETag != "" && etag != "" && etag != d.ETag {
		return fmt.Errorf("%s: %w", d.call, ErrChanged)
	} else if d.ETag == "" {
		d.ETag = etag
	}
	begin, size := int64(0), answer.resp.ContentLength
	switch answer.resp.StatusCode {
	case http.StatusPartialContent:
		var ok bool
		if begin, size, ok = parseContentRange(h.Get("Content-Range")); !ok || begin > d.offset {
			return fmt.Errorf("%s: %w: Content-Range %q for an offset of %d", d.call, ErrProtocol, h.Get("Content-Range"),
				d.offset)
		}
	case http.StatusNoContent:
		return fmt.Errorf("%s: %w: no content", d.call, ErrProtocol)
	}
	if size >= 0 {
		d.Size = size
	}
	// A server that does not know ranges begins anew: what was read is skipped.
	if _, err := io.CopyN(io.Discard, answer, d.offset-begin); err != nil {
		return fmt.Errorf("%s: skip what was read: %w", d.call, err)
	}
	answer.dog.rest()
	return nil
}

// parseContentRange reads "bytes FIRST-LAST/SIZE", where SIZE may be "*".
func parseContentRange(s string) (first, size int64, ok bool) {
	span, total, whole := strings.Cut(s, "/")
	from, _, ranged := strings.Cut(strings.TrimPrefix(span, "bytes "), "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if err != nil || !whole || !ranged || !strings.HasPrefix(s, "bytes ") {
		return 0, 0, false
	}
	if size, err = strconv.ParseInt(total, 10, 64); err != nil {
		size = -1
	}
	return first, size, true
}

// Read reads on, over a new connection if the one before broke.
func (d *Download) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for d.err == nil {
		n, err := d.answer.Read(p)
		d.offset += int64(n)
		if n > 0 {
			d.failures = 0
		}
		switch {
		case err != nil && d.offset == d.Size, err == io.EOF && d.Size < 0:
			d.err = io.EOF
		case err != nil:
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			d.err = d.reconnect(fmt.Errorf("%s: at byte %d: %w", d.call, d.offset, err))
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, d.err
}

// reconnect goes on after a failure, or returns why it cannot.
func (d *Download) reconnect(reason error) error {
	d.failures++
	wait, again := d.c.retry.next(d.failures, always, reason)
	if !again || d.ctx.Err() != nil {
		return reason
	}
	_ = d.answer.Close() // it is broken already
	if err := pause(d.ctx, wait, reason); err != nil {
		return err
	}
	return d.connect()
}

// Close ends the download, finished or not.
func (d *Download) Close() error {
	if d.err == nil || d.err == io.EOF {
		d.err = fmt.Errorf("%s: %w: the download is closed", d.call, ErrArgument)
	}
	return d.answer.Close()
}
