package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// counting is a connection that counts how often its deadlines are set. One goroutine reads
// and another one writes, or one does both.
type counting struct {
	net.Conn
	reads, writes int
}

func (c *counting) SetReadDeadline(deadline time.Time) error {
	c.reads++
	return c.Conn.SetReadDeadline(deadline)
}

func (c *counting) SetWriteDeadline(deadline time.Time) error {
	c.writes++
	return c.Conn.SetWriteDeadline(deadline)
}

func TestDeadlinesAreSetOnlyWhereSomethingWaits(t *testing.T) {
	const requests = 20
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := NewServer(context.Background(), http.HandlerFunc(countBody), times, 64<<10, quiet())
		served := make(chan error)
		go func() { served <- server.Serve(Frugal(l)) }()
		ours, theirs := net.Pipe()
		c := &counting{Conn: theirs}
		l.waiting <- c

		r := bufio.NewReader(ours)
		for range requests {
			mustSend(t, ours, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
			if got := mustAnswer(t, r, http.StatusOK); got != "3" {
				t.Errorf("read %s bytes, want 3", got)
			}
		}
		synctest.Wait()
		// While a call runs, net/http waits for its client to leave, and ends that by a deadline;
		// then it waits for the next request. Where it waits by the time that the handler returns, pace
		// bounds that as it does the rest of a body.
		if most := 1 + 3*requests; c.reads > most || c.writes > 1 {
			t.Errorf("the deadlines were set %d and %d times for %d requests, want at most %d and 1", c.reads, c.writes,
				requests, most)
		}
		ours.Close()
		server.Close()
		<-served
	})
}

// moves are where a deadline of ten seconds is put one second later, while something waits for
// it: so long from then, or nowhere for 0; and after how long the waiting ends.
var moves = map[string]struct {
	to   []time.Duration
	want time.Duration
}{
	"stays as it is":          {nil, 10 * time.Second},
	"is put off":              {[]time.Duration{30 * time.Second}, 31 * time.Second},
	"is put off twice":        {[]time.Duration{15 * time.Second, 40 * time.Second}, 41 * time.Second},
	"is brought forward":      {[]time.Duration{time.Second}, 2 * time.Second},
	"passes":                  {[]time.Duration{-time.Hour}, time.Second},
	"is lifted and set again": {[]time.Duration{0, 20 * time.Second}, 21 * time.Second},
}

func TestDeadlinesThatAreMovedHold(t *testing.T) {
	for name, c := range moves {
		for kind, waits := range map[string]struct {
			set  func(net.Conn, time.Time) error
			wait func(net.Conn, []byte) (int, error)
		}{
			"reading": {net.Conn.SetReadDeadline, net.Conn.Read},
			"writing": {net.Conn.SetWriteDeadline, net.Conn.Write},
			"either":  {net.Conn.SetDeadline, net.Conn.Read},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ours, theirs := net.Pipe()
					defer ours.Close()
					conn := newConnection(theirs)
					defer conn.Close()
					began := time.Now()
					put := func(to time.Duration) {
						var deadline time.Time
						if to != 0 {
							deadline = time.Now().Add(to)
						}
						if err := waits.set(conn, deadline); err != nil {
							t.Fatal(err)
						}
					}
					put(10 * time.Second)
					ended := make(chan error)
					go func() {
						_, err := waits.wait(conn, make([]byte, 10))
						ended <- err
					}()
					time.Sleep(time.Second)
					for _, to := range c.to {
						put(to)
					}
					err := <-ended
					if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != c.want {
						t.Errorf("it ended with %v after %v, want a deadline after %v", err, took, c.want)
					}
				})
			})
		}
	}
}

// What was written when an earlier deadline passed is not written again.
func TestAWriteGoesOnWhereItsDeadlineWasPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		conn := newConnection(theirs)
		defer conn.Close()
		_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
		written := make(chan error)
		go func() {
			n, err := conn.Write([]byte("0123456789"))
			if err == nil && n != 10 {
				err = io.ErrShortWrite
			}
			written <- err
		}()
		first, rest := make([]byte, 4), make([]byte, 6)
		if _, err := io.ReadFull(ours, first); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetWriteDeadline(time.Now().Add(time.Minute))
		time.Sleep(30 * time.Second)
		if _, err := io.ReadFull(ours, rest); err != nil {
			t.Fatal(err)
		}
		if err := <-written; err != nil || string(first)+string(rest) != "0123456789" {
			t.Errorf("got %q and %q, %v", first, rest, err)
		}
	})
}
