package api_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// wantClosed waits for the end of a WebSocket, which has to be closed with a code.
func (st *stream) wantClosed(why string, code websocket.StatusCode) {
	st.t.Helper()
	end := time.After(patience)
	for {
		select {
		case _, open := <-st.lines:
			if open {
				continue
			}
			if st.code != code {
				st.t.Errorf("%s: closed with %d, want %d", why, st.code, code)
			}
			return
		case <-end:
			st.t.Fatalf("%s: the WebSocket stays open", why)
		}
	}
}

// TestWebSocketClosesWithACodeThatTells: 1008 for access, 1001 only where the server
// goes away.
func TestWebSocketClosesWithACodeThatTells(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.streams = 2 })
	newKey := func(f fields) *person {
		t.Helper()
		return c.bob.withKey(c.bob.post("/v2/user/me/key", f).reply())
	}
	open := func(p *person, query string) *stream {
		t.Helper()
		st, _ := p.openSocket(query)
		return st
	}
	revoked := newKey(fields{})
	st := open(revoked, "")
	c.bob.delete("/v2/user/me/key/" + revoked.key).want(204)
	st.wantClosed("a revoked key", websocket.StatusPolicyViolation)

	st = open(newKey(fields{"expires_in": 1}), "")
	st.wantClosed("an expired key", websocket.StatusPolicyViolation)

	st = open(c.bob, "")
	c.bob.post("/v2/logout", nil).want(204)
	st.wantClosed("a logout", websocket.StatusPolicyViolation)

	st = open(c.bob, "")
	c.bob.delete("/v2/events?connections_only=true").want(200)
	st.wantClosed("DELETE /events", websocket.StatusPolicyViolation)

	st = open(c.bob, "")
	open(c.bob, "")
	open(c.bob, "")
	st.wantClosed("too many streams", websocket.StatusPolicyViolation)

	open(c.alice, "features=close-after-messages").wantClosed("the end of the replay", websocket.StatusNormalClosure)

	st = open(c.carl, "")
	c.operator.delete(c.carl.path("/organization/" + c.org)).want(204)
	st.wantClosed("the end of a membership", websocket.StatusPolicyViolation)

	st = open(c.alice, "")
	c.hub.Close()
	st.wantClosed("a server that stops", websocket.StatusGoingAway)
}

// What a server that hands over waits for is the last event of each stream, and not the answer of clients
// that are gone.
func TestWebSocketThatDoesNotSayGoodbyeHasItsLastWords(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	_, reader := c.bob.mustShakeHands()
	if _, err := reader.Peek(1); err != nil { // the replay
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if n := c.streams.AwaitLastWords(over); n != 1 {
		t.Errorf("%d streams have something to say, want 1", n)
	}
	c.hub.Close()
	if n := c.streams.AwaitLastWords(within(t)); n != 0 {
		t.Errorf("%d streams have something to say, want none", n)
	}
	if n := c.streams.Await(over); n != 1 {
		t.Errorf("%d streams are open, want the one whose client is silent", n)
	}
	c.streams.Cut()
	if n := c.streams.Await(within(t)); n != 0 {
		t.Errorf("%d streams are open, want none", n)
	}
}

// TestWebSocketRefusesWhatIsNoFrame: 1002, as RFC 6455 has it.
func TestWebSocketRefusesWhatIsNoFrame(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for what, sent := range map[string]string{
		"an unmasked frame":      "\x81\x01a",
		"a length of 2^63":       "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00mask",
		"an unknown opcode":      "\x83\x80mask",
		"a reserved bit":         "\xc1\x80mask",
		"a continued nothing":    "\x80\x80mask",
		"a control frame in two": "\x09\x80mask",
	} {
		if code := c.bob.closedAfter(sent); code != websocket.StatusProtocolError {
			t.Errorf("%s: closed with %d, want 1002", what, code)
		}
	}
	if code := c.bob.closedAfter("\x81\x81\x00\x00\x00\x00\xff"); code != websocket.StatusInvalidFramePayloadData {
		t.Errorf("a text that is no UTF-8: closed with %d, want 1007", code)
	}
	if code := c.bob.closedAfter("\x88\x82\x00\x00\x00\x00\x03\xe8"); code != websocket.StatusNormalClosure {
		t.Errorf("a client that closes: closed with %d, want 1000", code)
	}
}

// mustShakeHands opens a WebSocket as a client that says nothing by itself.
func (p *person) mustShakeHands() (net.Conn, *bufio.Reader) {
	p.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.s.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	r := p.request("GET", "/v2/events")
	_, err = fmt.Fprintf(conn, "GET /v2/events HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nConnection: "+
		"Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", r.Header.Get("Authorization"))
	if err != nil {
		p.t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, r)
	if err != nil || answer.StatusCode != 101 {
		p.t.Fatalf("the handshake: %v %v", answer, err)
	}
	return conn, reader
}

// closedAfter opens a WebSocket by hand, sends bytes, and returns the code with which
// the server closes it.
func (p *person) closedAfter(sent string) websocket.StatusCode {
	p.t.Helper()
	conn, reader := p.mustShakeHands()
	if _, err := io.WriteString(conn, sent); err != nil {
		p.t.Fatal(err)
	}
	for {
		var head [2]byte
		if _, err := io.ReadFull(reader, head[:]); err != nil {
			p.t.Fatalf("after %q: %v", sent, err)
		}
		length := int(head[1])
		if length == 126 {
			var long [2]byte
			if _, err := io.ReadFull(reader, long[:]); err != nil {
				p.t.Fatal(err)
			}
			length = int(binary.BigEndian.Uint16(long[:]))
		}
		payload := make([]byte, length)
		if _, err := io.ReadFull(reader, payload); err != nil {
			p.t.Fatal(err)
		}
		if head[0]&0x0f == 8 {
			return websocket.StatusCode(binary.BigEndian.Uint16(payload))
		}
	}
}
