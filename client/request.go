package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// replyLimit bounds an answer that is held in memory: a full page of events
// with the longest messages fits.
const replyLimit = 512 << 20

// request is one call, before it is sent.
type request struct {
	method    string
	path      []string // segments below /v2, not escaped
	root      bool     // the path is below the server's root instead
	query     url.Values
	header    http.Header
	body      any     // a struct or map that is a JSON object; nil: none
	file      *Upload // sent with the body's fields, as multipart
	fileField string
	repeat    repeat
	patience  time.Duration // how long the server may think beyond the timeout
	silence   time.Duration // in place of the timeout and patience
	long      bool          // may take longer than an HTTP client's overall limit
	ok        []int         // further statuses that are no refusal
}

// reply is the outcome of a call, with its body read.
type reply struct {
	status int
	header http.Header
}

// do makes the call, repeats it as the policy and the call's rule allow, and
// decodes the reply into out, unless that is nil.
func (c *Client) do(ctx context.Context, r *request, out any) (*reply, error) {
	var got *reply
	err := c.try(ctx, r, func(ctx context.Context, p *payload) error {
		answer, err := c.send(ctx, r, p)
		if err != nil {
			return err
		}
		defer answer.Close()
		got = &reply{status: answer.resp.StatusCode, header: answer.resp.Header}
		if out == nil || answer.resp.StatusCode != http.StatusOK {
			if out != nil && !slices.Contains(r.ok, answer.resp.StatusCode) {
				return fmt.Errorf("%s: %w: status %d without a reply", r, ErrProtocol, answer.resp.StatusCode)
			}
			_, err = io.Copy(io.Discard, io.LimitReader(answer, errorBodyLimit)) // so that the connection is used again
			return err
		}
		return r.decode(answer, out)
	})
	if err != nil {
		return nil, err
	}
	return got, nil
}

// try runs attempts until one succeeds or none may follow.
func (c *Client) try(ctx context.Context, r *request, attempt func(context.Context, *payload) error) error {
	p, err := r.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	defer p.detach()
	for n := 1; ; n++ {
		if err = attempt(ctx, p); err == nil {
			return nil
		}
		wait, again := c.retry.next(n, r.repeat, err)
		if !again || ctx.Err() != nil || !p.rewindable() {
			return err
		}
		if err = pause(ctx, wait, err); err != nil {
			return err
		}
	}
}

// send makes one attempt and returns an answer that is no refusal. The caller
// closes it.
func (c *Client) send(ctx context.Context, r *request, p *payload) (*exchange, error) {
	ctx, dog := watch(ctx, c.patience(r))
	answer, err := c.roundTrip(ctx, r, p, dog)
	if err != nil {
		dog.stop()
		return nil, err
	}
	status := answer.resp.StatusCode
	if status == http.StatusOK || status == http.StatusNoContent || slices.Contains(r.ok, status) {
		return answer, nil
	}
	defer answer.Close()
	return nil, refusal(answer.resp, answer)
}

// patience returns how long the server may be silent; 0: for ever.
func (c *Client) patience(r *request) time.Duration {
	switch {
	case r.silence > 0:
		return r.silence
	case c.timeout > 0:
		return c.timeout + r.patience
	default:
		return 0
	}
}

func (c *Client) roundTrip(ctx context.Context, r *request, p *payload, dog *watchdog) (*exchange, error) {
	req, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := p.attach(req, dog); err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	if r.method == http.MethodGet && r.repeat == whenRefused {
		// net/http itself repeats a GET on a connection that ends before the answer begins, unless there is a body that it
		// cannot read again.
		req.Body = io.NopCloser(strings.NewReader(""))
	}
	httpClient := c.http
	if r.long || p.file != nil {
		httpClient = c.streams
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // the call is named below
		}
		return nil, fmt.Errorf("%s: %w", r, unanswered{silent(ctx, err)})
	}
	return &exchange{resp: resp, ctx: ctx, dog: dog}, nil
}

// newRequest builds the request without its body.
func (c *Client) newRequest(ctx context.Context, r *request) (*http.Request, error) {
	address, err := c.url(r)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	req.Header.Set("Authorization", c.authorization)
	req.Header.Set("User-Agent", c.agent)
	if c.organization != "" {
		req.Header.Set(c.header("Organization-Key"), c.organization)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	return req, nil
}

// url joins the base, the escaped segments and the query.
func (c *Client) url(r *request) (string, error) {
	var b strings.Builder
	if b.WriteString(c.base); r.root {
		b.Reset()
		b.WriteString(c.root)
	}
	for _, segment := range r.path {
		// An empty segment would name another endpoint, and dots would be resolved away.
		if segment == "" || segment == "." || segment == ".." {
			return "", fmt.Errorf("%s: %w: %q cannot be part of a path", r, ErrArgument, segment)
		}
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	if len(r.query) > 0 {
		b.WriteByte('?')
		b.WriteString(r.query.Encode())
	}
	return b.String(), nil
}

// decode reads the envelope {"status":"success","reply":...}.
func (r *request) decode(body io.Reader, out any) error {
	text, err := io.ReadAll(io.LimitReader(body, replyLimit+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: read the reply: %w", r, err)
	case len(text) > replyLimit:
		return fmt.Errorf("%s: %w: a reply of more than %d bytes", r, ErrProtocol, replyLimit)
	}
	envelope := struct {
		Status string          `json:"status"`
		Reply  json.RawMessage `json:"reply"`
	}{}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return fmt.Errorf("%s: %w: %w", r, ErrProtocol, err)
	}
	if envelope.Status != "success" || envelope.Reply == nil {
		return fmt.Errorf("%s: %w: status %q without a reply", r, ErrProtocol, envelope.Status)
	}
	if err := json.Unmarshal(envelope.Reply, out); err != nil {
		return fmt.Errorf("%s: %w: %w", r, ErrProtocol, err)
	}
	return nil
}

// String names the call in errors.
func (r *request) String() string { return r.method + " /" + strings.Join(r.path, "/") }
