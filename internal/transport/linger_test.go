package transport

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// halfClosing is a connection that notes how it is closed.
type halfClosing struct {
	net.Conn
	mu  sync.Mutex // guards did
	did []string
}

func (c *halfClosing) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did = append(c.did, what)
}

func (c *halfClosing) CloseWrite() error { c.note("closed for writing"); return nil }
func (c *halfClosing) Close() error      { c.note("closed"); return c.Conn.Close() }

// A client with a file waits for "100 Continue" first, and is then refused
// half-way, say because the disk is full. Were the connection closed at once, the
// client would find it reset before it has read why.
func TestRefusalReachesAClientThatStillSends(t *testing.T) {
	refuse := func(w http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1))
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "later")
	}
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := NewServer(context.Background(), http.HandlerFunc(refuse), times, 64<<10, quiet())
		served := make(chan error)
		go func() { served <- server.Serve(Frugal(l)) }()
		ours, theirs := net.Pipe()
		c := &halfClosing{Conn: theirs}
		l.waiting <- c

		mustSend(t, ours, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\nExpect: 100-continue\r\n\r\n")
		r := bufio.NewReader(ours)
		if answer, err := http.ReadResponse(r, nil); err != nil || answer.StatusCode != http.StatusContinue {
			t.Fatalf("got %v, %v, want 100 Continue", answer, err)
		}
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_, _ = ours.Write(make([]byte, 1<<20)) // fails when the server has had enough
		}()
		if got := mustAnswer(t, r, http.StatusServiceUnavailable); got != "later" {
			t.Errorf("got %q, want the whole refusal", got)
		}
		<-sent
		synctest.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		if want := []string{"closed for writing", "closed"}; !slices.Equal(c.did, want) {
			t.Errorf("the connection was %q, want %q", c.did, want)
		}
		server.Close()
		<-served
	})
}

func TestUploadThatWasReadKeepsItsConnection(t *testing.T) {
	inBubble(t, countBody, func(t *testing.T, c net.Conn) {
		r := bufio.NewReader(c)
		for range 2 {
			mustSend(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
			mustAnswer(t, r, http.StatusContinue)
			mustSend(t, c, "abc")
			if got := mustAnswer(t, r, http.StatusOK); got != "3" {
				t.Errorf("read %s bytes, want 3", got)
			}
		}
	})
}
