package api_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// readSlowly asks for something, and takes nothing of the answer after its status, which is 200,
// until it leaves: at the latest when the test ends.
func (p *person) readSlowly(path string) (leave func()) {
	p.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(within(p.t), "tcp", strings.TrimPrefix(p.s.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	leave = func() { _ = conn.Close() }
	p.t.Cleanup(leave)
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		p.t.Fatal(err)
	}
	authorization := p.request("GET", path).Header.Get("Authorization")
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", path, authorization)
	if err != nil {
		p.t.Fatal(err)
	}
	const ok = "HTTP/1.1 200"
	status := make([]byte, len(ok))
	if _, err := io.ReadFull(conn, status); err != nil || string(status) != ok {
		p.t.Fatalf("%s is answered with %q, %v", path, status, err)
	}
	return leave
}

// Answers that are not taken have a budget as bodies have, of which a key has a quarter; what is
// small, and what others ask for, is answered.
func TestAnswersThatNobodyTakesAreBounded(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.narrow = true })
	for n := range 20 {
		c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "x", "data": large(n)}).want(204)
	}
	path := "/v2/conversation/" + c.alice.token + "/message?limit=200"
	var leave []func()
	for range 2 { // of 4 MiB each
		leave = append(leave, c.bob.readSlowly(path))
	}
	c.bob.get(path).wantError(503, "too_many_bodies").wantHeader("Retry-After", "1")
	c.bob.get("/v2/user").want(200)
	c.alice.get("/v2/conversation/" + c.bob.token + "/message?limit=200").want(200).wantRoom(260_000)
	for _, f := range leave {
		f()
	}
	until(t, "large answers are given again", func() bool { return c.bob.get(path).StatusCode == 200 })
}
