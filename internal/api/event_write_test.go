package api

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// timedConn remembers the deadline of its writes.
type timedConn struct {
	net.Conn
	deadlines int
	deadline  time.Time
}

func (c *timedConn) SetWriteDeadline(t time.Time) error {
	c.deadlines++
	c.deadline = t
	return c.Conn.SetWriteDeadline(t)
}

// heldPair returns a connection of a stream, and its client's end.
func heldPair(t *testing.T) (*heldConnection, *timedConn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	timed := &timedConn{Conn: conn}
	return &heldConnection{Conn: timed, raw: rawOf(conn)}, timed, client
}

func TestWriteToAStreamWaitsOnlyForAClientThatIsBehind(t *testing.T) {
	held, timed, client := heldPair(t)
	waited := 0
	waits := func() { waited++ }
	var sent []byte
	send := func(size int) {
		t.Helper()
		text := bytes.Repeat([]byte{byte('a' + len(sent)%26)}, size)
		if err := held.send(text, waits); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, text...)
	}
	send(100)
	if waited > 0 || timed.deadlines > 0 {
		t.Errorf("it waited %d times, with %d deadlines, for a client with room", waited, timed.deadlines)
	}
	for { // until there is no more room
		n, err := tryWrite(held.raw, []byte("0123456789"))
		if err != nil {
			t.Fatal(err)
		}
		if sent = append(sent, "0123456789"[:n]...); n == 0 {
			break
		}
	}
	got := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(client)
		got <- all
	}()
	// More than what both ends of the connection hold.
	send(32 << 20)
	if waited != 1 || timed.deadlines != 2 || !timed.deadline.IsZero() {
		t.Errorf("it waited %d times, set %d deadlines, and leaves %v; want one wait and no deadline left", waited, timed.deadlines, timed.deadline)
	}
	send(100)
	_ = held.Close()
	if all := <-got; !bytes.Equal(all, sent) {
		t.Errorf("the client got %d bytes, or others, want %d", len(all), len(sent))
	}
}

func TestWriteToAStreamFailsWhenItsClientHasLeft(t *testing.T) {
	held, _, client := heldPair(t)
	held.abort()
	_ = client.Close()
	if err := held.send([]byte("text"), func() {}); err == nil {
		t.Error("it is written")
	}
}

// What is said to an idle stream, ten thousand times in ten seconds.
func TestCommentIsWrittenWithoutAllocating(t *testing.T) {
	held, _, client := heldPair(t)
	go func() { _, _ = io.Copy(io.Discard, client) }()
	sink := &eventSink{out: held, waits: func() {}}
	comment := func() {
		if err := sink.Comment(); err != nil {
			t.Fatal(err)
		}
		if err := sink.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	// One is left for the race detector, under which a pool forgets some of what it has.
	if n := testing.AllocsPerRun(1000, comment); n > 1 {
		t.Errorf("a comment takes %v objects, want none", n)
	}
}
