package load

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// patience is how long an answer may take before it counts as none.
	patience = 30 * time.Second
	// renewal is how much of it may be over before it begins anew.
	renewal = time.Second
	// idleLimit is how long after a call its connection may be used again. Servers close
	// theirs after longer, which a POST that meets it cannot survive.
	idleLimit = 10 * time.Second
	// readBuffer holds the head of an answer, and short bodies.
	readBuffer = 4 << 10
)

// connection makes one call of the load at a time, of any person, and is opened by the
// first. fasthttp reads the answers: a call by net/http's client takes four times the CPU
// time, on a machine that the server often shares. The client of fasthttp has a pool and
// tries again, which is not for measuring.
type connection struct {
	node   *url.URL // where its calls go; nil: where their addresses say
	conn   net.Conn
	read   *bufio.Reader
	answer fasthttp.Response // the last
	used   time.Time         // when the last call began

	until  time.Time       // when patience ends
	bound  context.Context // its end cuts calls off
	unbind func() bool
}

func newConnection(buffer int) *connection {
	return &connection{read: bufio.NewReaderSize(nil, buffer), unbind: func() bool { return true }}
}

// close ends the connection. The next call opens it again.
func (c *connection) close() {
	if c.conn != nil {
		c.unbind()
		_ = c.conn.Close() // what it still had to say is not wanted
		c.conn, c.bound = nil, nil
	}
}

// call makes a call and reads its answer. A status other than 2xx is a failure of this kind.
func (c *connection) call(ctx context.Context, r *request) error { return c.exchange(ctx, r, nil) }

// fetch makes a call with an answer that may be long, and returns its length.
func (c *connection) fetch(ctx context.Context, r *request) (n int64, err error) {
	err = c.exchange(ctx, r, func(body io.Reader) error {
		n, err = io.Copy(io.Discard, body)
		return err
	})
	return n, err
}

// exchange makes a call. Where there is a read, it gets the body of a 2xx as it comes;
// otherwise the body is in the answer.
func (c *connection) exchange(ctx context.Context, r *request, read func(body io.Reader) error) error {
	c.answer.StreamBody = read != nil
	err := c.ready(ctx, r.url)
	if err == nil {
		if _, err = c.conn.Write(r.wire); err == nil {
			err = c.answer.Read(c.read)
		}
	}
	status, body := c.answer.StatusCode(), c.answer.BodyStream()
	if err == nil && status/100 == 2 && body != nil {
		err = read(body)
	}
	switch {
	case err != nil:
		c.close()
		return &failure{kindConnection, fmt.Errorf("%s: %w", r, errors.Join(ctx.Err(), err))}
	case status/100 != 2:
		return &failure{strconv.Itoa(status), fmt.Errorf("%s: %d %s%s", r, status, http.StatusText(status),
			explanation(c.answer.Body()))}
	}
	return nil
}

// ready opens the connection if it is closed, and makes the call end when ctx does or
// when patience runs out. The deadline is kept from call to call: setting it for each
// would cost the generator a quarter more CPU time.
func (c *connection) ready(ctx context.Context, to *url.URL) error {
	if c.node != nil {
		to = c.node
	}
	now := time.Now()
	if now.Sub(c.used) > idleLimit || c.answer.ConnectionClose() {
		c.close()
	}
	c.used = now
	if c.conn == nil {
		conn, err := dial(ctx, to)
		if err != nil {
			return err
		}
		c.conn = conn
		c.read.Reset(conn)
	}
	if conn := c.conn; c.bound != ctx {
		c.unbind()
		c.unbind = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		c.bound, c.until = ctx, time.Time{}
	}
	if c.until.Sub(now) < patience-renewal {
		c.until = now.Add(patience)
		if err := c.conn.SetDeadline(c.until); err != nil {
			return err
		}
	}
	return ctx.Err() // after the deadline is set, which that of ctx so outlives
}

func dial(ctx context.Context, to *url.URL) (net.Conn, error) {
	d := &net.Dialer{Timeout: patience}
	address := net.JoinHostPort(to.Hostname(), or(to.Port(), to.Scheme))
	if to.Scheme == "https" {
		secure := &tls.Dialer{NetDialer: d, Config: &tls.Config{NextProtos: []string{"http/1.1"}}}
		return secure.DialContext(ctx, "tcp", address)
	}
	return d.DialContext(ctx, "tcp", address)
}

// explanation is what a refusal says of itself.
func explanation(text []byte) string {
	var refusal struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(text, &refusal) != nil || refusal.Error.Code == "" {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", refusal.Error.Code, refusal.Error.Message)
}
