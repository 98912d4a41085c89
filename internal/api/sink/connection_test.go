package sink

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// timedConn counts the deadlines of its writes.
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

// connected returns a connection of a stream, and its client's end.
func connected(t *testing.T) (*Connection, *timedConn, net.Conn) {
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
	return NewConnection(timed), timed, client
}

func TestWriteToAStreamTakesAllInItsTime(t *testing.T) {
	out, timed, client := connected(t)
	got := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(client)
		got <- all
	}()
	var sent []byte
	// The second is more than what both ends of the connection hold.
	for i, size := range []int{100, 8 << 20, 100} {
		text := bytes.Repeat([]byte{byte('a' + i)}, size)
		if err := out.send(text); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, text...)
		if left := time.Until(timed.deadline); left < patience/2 {
			t.Errorf("a write had %v left", left)
		}
	}
	if timed.deadlines > 2 {
		t.Errorf("three writes set %d deadlines", timed.deadlines)
	}
	_ = out.Close()
	if all := <-got; !bytes.Equal(all, sent) {
		t.Errorf("the client got %d bytes, or others, want %d", len(all), len(sent))
	}
}

func TestWriteToAStreamFailsWhenItIsAborted(t *testing.T) {
	out, _, _ := connected(t)
	failed := make(chan error)
	go func() { failed <- out.send(make([]byte, 64<<20)) }() // nobody reads
	out.abort()
	if err := <-failed; err == nil {
		t.Error("it is written")
	}
}

// What is said to an idle stream, ten thousand times in ten seconds.
func TestCommentIsWrittenWithoutAllocating(t *testing.T) {
	out, _, client := connected(t)
	go func() { _, _ = io.Copy(io.Discard, client) }()
	sink := &Events{out: out}
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
