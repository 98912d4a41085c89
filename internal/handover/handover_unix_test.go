//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package handover

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mustOpen opens the door of a directory whose path is longer than an address may be.
func mustOpen(t *testing.T) (dir string, d *Door) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return dir, d
}

func mustListen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// mustConnect opens connections, and returns both ends of each.
func mustConnect(t *testing.T, l net.Listener, number int) (clients, conns []net.Conn) {
	t.Helper()
	for range number {
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		clients, conns = append(clients, client), append(conns, conn)
	}
	return clients, conns
}

// wantSame reports connections that do not lead to their clients, and closes them.
func wantSame(t *testing.T, conns, clients []net.Conn) {
	t.Helper()
	if len(conns) != len(clients) {
		t.Fatalf("%d connections came, want %d", len(conns), len(clients))
	}
	for i, c := range conns {
		_, err := io.WriteString(c, "x")
		got := make([]byte, 1)
		_, err2 := io.ReadFull(clients[i], got)
		if err := errors.Join(err, err2, c.Close()); err != nil || string(got) != "x" {
			t.Fatalf("connection %d: %q, %v", i, got, err)
		}
	}
}

func TestSocketsAndConnectionsArePassedOn(t *testing.T) {
	dir, door := mustOpen(t)
	info, err := os.Stat(filepath.Join(dir, SocketName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others reach the socket: %v, %v", info, err)
	}
	l := mustListen(t)
	clients, conns := mustConnect(t, l, 2*mostFiles+3) // of several messages
	stopped := time.Now().Round(0)
	old := make(chan error, 1)
	go func() {
		old <- func() error {
			s, _, err := door.Next()
			if err != nil {
				return err
			}
			if s.Version != "v2" || s.Process != os.Getpid() {
				t.Errorf("the successor is %+v", s)
			}
			if err := s.Offer(t.Context(), "v1", []Socket{{"listen", "127.0.0.1:0", false, l}}); err != nil {
				return err
			}
			if err := errors.Join(l.Close(), s.Release(t.Context(), stopped), s.Hand(conns)); err != nil {
				return err
			}
			for _, c := range conns {
				err = errors.Join(err, c.Close())
			}
			return err
		}()
	}()
	p, err := Ask(t.Context(), dir, "v2")
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "v1" || len(p.Sockets) != 1 || p.Sockets[0].Name != "listen" || p.Sockets[0].Address != "127.0.0.1:0" {
		t.Fatalf("got %+v", p)
	}
	next := p.Sockets[0].Listener
	defer next.Close()
	if at, err := p.Prepared(t.Context()); err != nil || !at.Equal(stopped) {
		t.Fatalf("released at %v, %v, want %v", at, err, stopped)
	}
	var taken []net.Conn
	if err := p.Serving(func(c net.Conn) { taken = append(taken, c) }); err != nil {
		t.Fatal(err)
	}
	if err := <-old; err != nil {
		t.Fatal(err)
	}
	wantSame(t, taken, clients) // though the old one has closed all that it had
	client, err := net.Dial("tcp", next.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	client.Close()
	if c, err := next.Accept(); err != nil {
		t.Error(err)
	} else {
		c.Close()
	}
}

func TestEitherSideCanRefuse(t *testing.T) {
	dir, door := mustOpen(t)
	why := errors.New("the data is newer")
	old := make(chan error, 1)
	meet := func(do func(s *Successor) error) {
		go func() {
			s, _, err := door.Next()
			if err == nil {
				err = do(s)
			}
			old <- err
		}()
	}
	meet(func(s *Successor) error { s.Refuse(why); return nil })
	_, err := Ask(t.Context(), dir, "v2")
	if refused := new(RefusedError); !errors.As(err, &refused) || !strings.Contains(err.Error(), why.Error()) {
		t.Errorf("asking answers %v", err)
	}
	if err := <-old; err != nil {
		t.Error(err)
	}

	meet(func(s *Successor) error { return s.Offer(t.Context(), "v1", nil) })
	p, err := Ask(t.Context(), dir, "v2")
	if err != nil {
		t.Fatal(err)
	}
	p.Refuse(why)
	if err := <-old; err == nil || err.Error() != why.Error() {
		t.Errorf("offering answers %v", err)
	}

	// One that ends in the middle, without a word.
	meet(func(s *Successor) error {
		return errors.Join(s.Offer(t.Context(), "v1", nil), s.Release(t.Context(), time.Now()))
	})
	if p, err = Ask(t.Context(), dir, "v2"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Prepared(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-old; err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("releasing answers %v", err)
	}

	// The old one is told to stop while it waits.
	ctx, cancel := context.WithCancel(t.Context())
	meet(func(s *Successor) error {
		cancel()
		err := s.Offer(ctx, "v1", nil)
		s.Refuse(why)
		return err
	})
	if p, err = Ask(t.Context(), dir, "v2"); err == nil {
		_, err = p.Prepared(t.Context())
	}
	if err == nil {
		t.Error("it was released")
	}
	if err := <-old; err == nil {
		t.Error("waiting did not end")
	}
}

func TestNobodyIsThere(t *testing.T) {
	dir, door := mustOpen(t)
	if err := errors.Join(door.Close(), door.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), dir, "v2"); !errors.Is(err, ErrNobody) {
		t.Errorf("it answers %v", err)
	}
	// A socket that a crash left.
	stale, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	stale.listener.Close()
	if _, _, err := Upgrade(t.Context(), dir); !errors.Is(err, ErrNobody) {
		t.Errorf("it answers %v", err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, SocketName)); err == nil {
		t.Error("the socket is left")
	}
}

func TestUpgradeHearsHowItEnded(t *testing.T) {
	dir, door := mustOpen(t)
	why := errors.New("the program is not there")
	for _, fault := range []error{nil, why} {
		go func() {
			_, r, err := door.Next()
			if err != nil {
				t.Error(err)
				return
			}
			r.Answer("v2", 17, fault)
		}()
		version, process, err := Upgrade(t.Context(), dir)
		switch {
		case fault == nil && (err != nil || version != "v2" || process != 17):
			t.Errorf("got %s, %d, %v", version, process, err)
		case fault != nil && (err == nil || err.Error() != why.Error()):
			t.Errorf("got %v, want %v", err, why)
		}
	}
}
