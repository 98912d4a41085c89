package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// dialStream opens a stream on a connection of its own and returns that after the
// head of the answer.
func (p *person) dialStream(address, protocol string) (net.Conn, *bufio.Reader, *http.Response) {
	p.t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = conn.Close() })
	r := p.request("GET", "/v2/events?features=no-offline-messages", header("Accept", "text/event-stream"))
	if _, err := fmt.Fprintf(conn, "GET %s %s\r\nHost: x\r\nAuthorization: %s\r\nAccept: text/event-stream\r\n\r\n",
		r.URL.RequestURI(), protocol, r.Header.Get("Authorization")); err != nil {
		p.t.Fatal(err)
	}
	b := bufio.NewReaderSize(conn, 512)
	response, err := http.ReadResponse(b, r)
	if err != nil {
		p.t.Fatal(err)
	}
	return conn, b, response
}

func TestStreamIsWrittenWithoutFramesUntilItsConnectionEnds(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, protocol := range []string{"HTTP/1.0", "HTTP/1.1"} {
		_, b, response := c.bob.dialStream(strings.TrimPrefix(c.url, "http://"), protocol)
		if response.StatusCode != 200 || len(response.TransferEncoding) > 0 || response.ContentLength != -1 ||
			protocol == "HTTP/1.1" && !response.Close {
			t.Errorf("%s: the head is %s %v %v, of %d bytes; want 200, until the connection ends", protocol, response.Status,
				response.Header, response.TransferEncoding, response.ContentLength)
		}
		id := c.alice.mustSend(c.bob.token, "text")
		var text string
		for !strings.Contains(text, id) {
			line, err := b.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			text += line
		}
		c.bob.delete("/v2/events?connections_only=true").want(200)
		rest, err := io.ReadAll(b)
		if err != nil {
			t.Fatal(err)
		}
		if text += string(rest); !strings.HasPrefix(text, ": signet\n\nid: ") || !strings.HasSuffix(text, "}}\n\n") {
			t.Errorf("%s: the stream is %q", protocol, text)
		}
	}
}

// A client of HTTP/1 has said all that it has to say.
func TestStreamEndsWhenItsClientLeavesOrGoesOnSending(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	address := strings.TrimPrefix(c.url, "http://")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, end := range map[string]func(conn net.Conn){
		"leaves":      func(conn net.Conn) { _ = conn.Close() },
		"half leaves": func(conn net.Conn) { _ = conn.(*net.TCPConn).CloseWrite() },
		"sends":       func(conn net.Conn) { _, _ = conn.Write(make([]byte, 5<<10)) },
	} {
		conn, _, _ := c.bob.dialStream(address, "HTTP/1.1")
		if n := c.streams.Await(over); n != 1 {
			t.Errorf("%d streams are open, want 1", n)
		}
		end(conn)
		if n := c.streams.Await(within(t)); n != 0 {
			t.Errorf("a client %s, and its stream is still open", name)
		}
	}
}

func TestStreamOverHTTP2(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	secure := httptest.NewUnstartedServer(c.api)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	bob := *c.bob
	server := *c.server
	server.url, server.client = secure.URL, secure.Client()
	bob.s = &server
	response := bob.requestStream("")
	if response.ProtoMajor != 2 {
		t.Fatalf("the stream goes over %s", response.Proto)
	}
	_ = response.Body.Close()
	st := bob.openStream("")
	st.wantReplay()
	id := c.alice.mustSend(c.bob.token, "text")
	st.wantNext("message").wantFields(fields{"message_id": id})
	st.close()
	if n := c.streams.Await(within(t)); n != 0 {
		t.Errorf("%d streams are open, want none", n)
	}
}

// What a stream is given by the commit is to the letter what a poll reads.
func TestStreamSaysWhatThePollSays(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	c.bob.forgetEvents()
	for name, open := range transports {
		st := open(c.bob, "")
		st.wantReplay()
		c.alice.mustSend(c.bob.token, "known") // from here on it reads nothing
		st.wantNext("message")
		for _, recipient := range []string{c.bob.token, group} {
			for _, message := range []fields{
				{"body": "text\u2028<&>\"\\ 😀"},
				{"body": "x", "ttl": -1, "dor": true, "priority": 1},
				{"body": "x", "ttl": 7, "priority": -1},
				{"data": []fields{{"mimetype": "m", "namespace": "n", "payload": "p"}}},
			} {
				message["recipient"] = recipient
				c.alice.post("/v2/message", message).want(204)
			}
			c.alice.mustAttach(recipient, "note.txt", "text/plain", []byte("bytes"))
		}
		forwarded := c.alice.mustSend(c.carl.token, "origin")
		c.carl.post("/v2/message/"+forwarded+"/forward", fields{"recipient": c.bob.token}).want(204)
		for _, want := range c.bob.get("/v2/events?limit=1000").reply().list()[1:] {
			got := st.next()
			for got.comment {
				got = st.next()
			}
			if polled := readEvent(want); got.id != polled.id || got.kind != polled.kind ||
				got.value.String() != polled.value.String() {
				t.Errorf("over %s comes\n%s %s %s\nand the poll has\n%s %s %s", name, got.id, got.kind, got.value, polled.id,
					polled.kind, polled.value)
			}
		}
		st.close()
		c.bob.forgetEvents()
	}
}

// perStream bounds what an idle stream may take of memory. It takes 10 KB, the end of
// the test's client with it, and 13 KB with the race detector; a call that net/http
// keeps takes 48.
const perStream = 16 << 10

func TestIdleStreamsTakeLittleMemory(t *testing.T) {
	testenv.Long(t)
	c := startClinic(t, func(f *figures) { f.streams = 0 })
	plain := httptest.NewServer(c.api) // without what checks each answer
	t.Cleanup(plain.Close)
	address := plain.Listener.Addr().String()
	const streams = 1000
	c.bob.dialStream(address, "HTTP/1.1")
	before := memory()
	for range streams {
		c.bob.dialStream(address, "HTTP/1.1")
	}
	if n := c.hub.AllStreams(); n != streams+1 {
		t.Fatalf("%d streams are open, want %d", n, streams+1)
	}
	if each := (memory() - before) / streams; each > perStream {
		t.Errorf("an idle stream takes %d bytes, want at most %d", each, perStream)
	}
}

// memory is what the process uses that is not garbage.
func memory() int64 {
	for range 3 { // stacks shrink by half each time
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
