package transport

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// What was just accepted is waited for, and what runs; what waits for a request is not, nor one that
// has been silent.
func TestBusyConnectionsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := NewServer(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			<-release
			w.WriteHeader(http.StatusOK)
		}), times, 64<<10, quiet())
		busy := NewBusy()
		server.ConnState = busy.Track
		served := make(chan error)
		go func() { served <- server.Serve(Frugal(l)) }()
		connect := func() net.Conn {
			ours, theirs := net.Pipe()
			l.waiting <- theirs
			synctest.Wait()
			return ours
		}
		wantWait := func(what string, want time.Duration, meanwhile func()) {
			t.Helper()
			began, done := time.Now(), make(chan time.Duration)
			go func() { busy.Await(t.Context()); done <- time.Since(began) }()
			synctest.Wait()
			meanwhile()
			if got := <-done; got != want {
				t.Errorf("%s: it waits %v, want %v", what, got, want)
			}
		}

		wantWait("without connections", 0, func() {})
		silent := connect()
		wantWait("with one that is silent", silence, func() {})
		asking := connect()
		r := bufio.NewReader(asking)
		wantWait("with a request", 20*time.Second, func() {
			time.Sleep(silence / 2)
			mustSend(t, asking, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			time.Sleep(20*time.Second - silence/2)
			close(release)
			mustAnswer(t, r, http.StatusOK)
		})
		wantWait("with one that waits for the next request", 0, func() {})
		late := connect()
		const limit = silence / 2
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		began := time.Now()
		if busy.Await(ctx); time.Since(began) != limit {
			t.Errorf("with a limit of %v it waits %v", limit, time.Since(began))
		}
		for _, c := range []net.Conn{silent, asking, late} {
			c.Close()
		}
		server.Close()
		<-served
	})
}
