package api_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// readSlowly asks for something, and takes nothing of the answer until it is told to.
func (p *person) readSlowly(path string) (leave func()) {
	p.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(within(p.t), "tcp", strings.TrimPrefix(p.s.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		p.t.Fatal(err)
	}
	authorization := p.request("GET", path).Header.Get("Authorization")
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", path, authorization)
	if err != nil {
		p.t.Fatal(err)
	}
	return func() { _ = conn.Close() }
}

// Answers that are not taken have a budget as bodies have, of which a key has a quarter; what is
// small, and what others ask for, is answered.
func TestAnswersThatNobodyTakesAreBounded(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.narrow = true })
	for n := range 20 {
		c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "x", "data": large(n)}).want(204)
	}
	path := "/v2/conversation/" + c.alice.token + "/message?limit=200"
	c.bob.get(path).want(200).wantRoom(260_000)
	var leave []func()
	for range 8 {
		leave = append(leave, c.bob.readSlowly(path))
	}
	until(t, "a large answer is refused", func() bool {
		got := c.bob.get(path)
		if got.StatusCode == 200 {
			return false
		}
		got.wantError(503, "too_many_bodies").wantHeader("Retry-After", "1")
		return true
	})
	c.bob.get("/v2/user").want(200)
	c.alice.get("/v2/conversation/" + c.bob.token + "/message?limit=200").want(200)
	for _, f := range leave {
		f()
	}
	until(t, "large answers are given again", func() bool { return c.bob.get(path).StatusCode == 200 })
}
