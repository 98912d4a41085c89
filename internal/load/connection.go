package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

const (
	// patience is how long an answer may take before it counts as none.
	patience = 30 * time.Second
	// renewal is how much of it may be over before it begins anew: setting it for
	// each call would cost more than it is worth.
	renewal = time.Second
	// idleLimit is how long a connection may be idle and used again. Servers close
	// theirs after longer, which a POST that meets it cannot survive.
	idleLimit = 10 * time.Second
	// joined is up to how long a body goes out with its head.
	joined = 16 << 10
)

// connection is a connection of the load: it makes one call at a time, which may
// be different people's, and is opened when it is first needed. It speaks HTTP/1.1
// itself, straight to the server: net/http takes four times the CPU time for a
// call, on a machine that the server often shares.
type connection struct {
	conn   net.Conn
	read   *bufio.Reader
	buffer int // size of read
	out    []byte
	answer answer // the last
	body   []byte // of it

	used  time.Time // when the last call ended
	until time.Time // when patience ends

	bound  context.Context // its end cuts calls off
	unbind func() bool
}

// readBuffer is for heads and short bodies; long ones are not read through it.
const readBuffer = 4 << 10

func newConnection() *connection { return &connection{buffer: readBuffer} }

// close ends the connection. The next call opens it again.
func (c *connection) close() {
	if c.conn != nil {
		c.unbind()
		_ = c.conn.Close() // what it still had to say is not wanted
		c.conn, c.bound = nil, nil
	}
}

// call makes a call, and reads the head of its answer into c.answer and the rest
// into c.body. What is not a 2xx is a failure of that status.
func (c *connection) call(ctx context.Context, r *request) error {
	return c.finish(r, c.open(ctx, r), func() (err error) {
		if c.answer.length >= 0 {
			c.body = slices.Grow(c.body[:0], int(c.answer.length))[:c.answer.length]
			_, err = io.ReadFull(c.read, c.body)
			return err
		}
		c.body, err = io.ReadAll(c.answer.body(c.read))
		return err
	})
}

// fetch makes a call with an answer that may be long, and returns its length.
func (c *connection) fetch(ctx context.Context, r *request) (n int64, err error) {
	err = c.finish(r, c.open(ctx, r), func() (err error) {
		c.body = slices.Grow(c.body[:0], joined)[:joined]
		n, err = io.CopyBuffer(onlyWriter{io.Discard}, c.answer.body(c.read), c.body)
		if err == nil && c.answer.length >= 0 && n < c.answer.length {
			err = io.ErrUnexpectedEOF
		}
		return err
	})
	return n, err
}

// onlyWriter keeps io.CopyBuffer to its buffer.
type onlyWriter struct{ io.Writer }

// finish reads the body of an answer and leaves the connection as the next call
// may have it.
func (c *connection) finish(r *request, opened error, read func() error) error {
	if opened != nil {
		return opened
	}
	if err := read(); err != nil {
		c.close()
		return &failure{kindConnection, fmt.Errorf("%s: read the answer: %w", r, err)}
	}
	if c.answer.last {
		c.close()
	}
	c.used = time.Now()
	return nil
}

// open makes a call and reads the head of its answer; the body is the caller's to
// read.
func (c *connection) open(ctx context.Context, r *request) error {
	err := c.ready(ctx, r.url)
	if err == nil {
		if err = c.send(r); err == nil {
			err = c.answer.read(c.read)
		}
	}
	if err != nil {
		c.close()
		return &failure{kindConnection, fmt.Errorf("%s: %w", r, errors.Join(ctx.Err(), err))}
	}
	if c.answer.status/100 == 2 {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(c.answer.body(c.read), 64<<10)) // half a refusal tells no less than none
	if c.answer.last || c.answer.length > 64<<10 {
		c.close()
	}
	c.used = time.Now()
	status := strconv.Itoa(c.answer.status)
	return &failure{status, fmt.Errorf("%s: %s %s%s", r, status, http.StatusText(c.answer.status), explanation(text))}
}

// ready opens the connection where it is not, and sees to it that the call ends
// with ctx, or when nobody waits for it any more.
func (c *connection) ready(ctx context.Context, to *url.URL) error {
	now := time.Now()
	if c.conn != nil && now.Sub(c.used) > idleLimit {
		c.close()
	}
	if c.conn == nil {
		conn, err := dial(ctx, to)
		if err != nil {
			return err
		}
		c.conn, c.until, c.used = conn, time.Time{}, now
		if c.read == nil {
			c.read = bufio.NewReaderSize(conn, c.buffer)
		} else {
			c.read.Reset(conn)
		}
	}
	if c.bound != ctx {
		if c.bound != nil {
			c.unbind()
		}
		conn := c.conn
		c.bound, c.unbind = ctx, context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		c.until = time.Time{}
	}
	if c.until.Sub(now) < patience-renewal {
		c.until = now.Add(patience)
		if err := c.conn.SetDeadline(c.until); err != nil {
			return err
		}
	}
	return ctx.Err() // after the deadline is set, which that of ctx so outlives
}

// wait lets the answer come for as long as ctx lives.
func (c *connection) wait(ctx context.Context) error {
	if err := c.conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	return ctx.Err()
}

func dial(ctx context.Context, to *url.URL) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	port := to.Port()
	if to.Scheme != "https" {
		return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(to.Hostname(), or(port, "80")))
	}
	d := &tls.Dialer{Config: &tls.Config{NextProtos: []string{"http/1.1"}}}
	return d.DialContext(ctx, "tcp", net.JoinHostPort(to.Hostname(), or(port, "443")))
}

// send writes a call.
func (c *connection) send(r *request) error {
	c.out = r.appendHead(c.out[:0])
	for i, part := range r.parts {
		if len(c.out)+len(part) > joined {
			rest := slices.Concat([][]byte{c.out}, r.parts[i:])
			buffers := net.Buffers(rest)
			_, err := buffers.WriteTo(c.conn)
			return err
		}
		c.out = append(c.out, part...)
	}
	_, err := c.conn.Write(c.out)
	return err
}
