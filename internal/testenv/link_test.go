package testenv_test

import (
	"bufio"
	"fmt"
	"net"
	"testing"

	"signet/internal/testenv"
)

// What is sent through a cut link, and who connects through it, arrives when it is mended.
func TestACutLinkLosesNothing(t *testing.T) {
	l, clients := newLinkToEcho(t)
	first := clients()
	first.wantEcho("before")
	l.Cut()
	second := clients()
	for _, c := range []echoed{first, second} {
		c.say("meanwhile")
	}
	l.Mend()
	first.wantHear("meanwhile")
	second.wantHear("meanwhile")
	first.wantEcho("after")
}

// The end that one side tells reaches the other.
func TestALinkPassesOnTheEnd(t *testing.T) {
	_, clients := newLinkToEcho(t)
	c := clients()
	c.wantEcho("once")
	if err := c.conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if c.heard.Scan() {
		t.Errorf("heard %q after the end", c.heard.Text())
	}
}

// echoed is a connection to a server that says again what it hears.
type echoed struct {
	t     *testing.T
	conn  net.Conn
	heard *bufio.Scanner
}

// newLinkToEcho returns a link to such a server, and what connects through it.
func newLinkToEcho(t *testing.T) (*testenv.Link, func() echoed) {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listen.Close() }) // the link is closed before
	go func() {
		for {
			conn, err := listen.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewScanner(conn)
				for lines.Scan() {
					fmt.Fprintln(conn, lines.Text())
				}
			}()
		}
	}()
	l := testenv.NewLink(t, listen.Addr().String())
	return l, func() echoed {
		t.Helper()
		conn, err := net.Dial("tcp", l.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() }) // it was read to the end
		return echoed{t, conn, bufio.NewScanner(conn)}
	}
}

func (e echoed) say(line string) {
	e.t.Helper()
	if _, err := fmt.Fprintln(e.conn, line); err != nil {
		e.t.Fatal(err)
	}
}

func (e echoed) wantHear(line string) {
	e.t.Helper()
	if !e.heard.Scan() || e.heard.Text() != line {
		e.t.Errorf("heard %q (%v), want %q", e.heard.Text(), e.heard.Err(), line)
	}
}

func (e echoed) wantEcho(line string) {
	e.t.Helper()
	e.say(line)
	e.wantHear(line)
}
