package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
)

// answered are ways to answer with a body of n bytes. Some of them are defects of a handler.
var answered = map[string]func(w http.ResponseWriter, n int){
	"at once": func(w http.ResponseWriter, n int) {
		announce(w, n)
		_, _ = w.Write(bodyOf(n))
	},
	"in two pieces": func(w http.ResponseWriter, n int) {
		announce(w, n)
		_, _ = w.Write(bodyOf(n)[:n/2])
		_, _ = w.Write(bodyOf(n)[n/2:])
	},
	"behind a flush": func(w http.ResponseWriter, n int) {
		announce(w, n)
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(bodyOf(n))
	},
	"behind early hints": func(w http.ResponseWriter, n int) {
		w.Header().Set("Content-Length", strconv.Itoa(n))
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = w.Write(bodyOf(n))
	},
	"with a long head": func(w http.ResponseWriter, n int) {
		w.Header().Set("X-Long", string(bytes.Repeat([]byte{'x'}, 2*headBytes)))
		announce(w, n)
		_, _ = w.Write(bodyOf(n))
	},
	"in chunks": func(w http.ResponseWriter, n int) { _, _ = w.Write(bodyOf(n)) },
	"with less than announced": func(w http.ResponseWriter, n int) {
		announce(w, 2*n+1)
		_, _ = w.Write(bodyOf(n))
	},
	"with more than announced": func(w http.ResponseWriter, n int) {
		announce(w, n/2)
		_, _ = w.Write(bodyOf(n))
		_, _ = w.Write(bodyOf(n / 2))
	},
	"with a body where there is none": func(w http.ResponseWriter, n int) {
		w.Header().Set("Content-Length", strconv.Itoa(n))
		w.WriteHeader(http.StatusNotModified)
		_, _ = w.Write(bodyOf(n))
	},
	"with no content": func(w http.ResponseWriter, n int) {
		w.WriteHeader(http.StatusNoContent)
		_, _ = w.Write(bodyOf(n))
	},
	"announced twice": func(w http.ResponseWriter, n int) {
		announce(w, n)
		_, _ = w.Write(bodyOf(n)[:n/2])
		announce(w, n)
		_, _ = w.Write(bodyOf(n)[n/2:])
	},
	"broken off": func(w http.ResponseWriter, n int) {
		announce(w, 2*n+1)
		_, _ = w.Write(bodyOf(n))
		panic(http.ErrAbortHandler)
	},
	"broken off behind the head": func(w http.ResponseWriter, n int) {
		announce(w, n)
		panic(http.ErrAbortHandler)
	},
	"whole, and then broken off": func(w http.ResponseWriter, n int) {
		announce(w, n)
		_, _ = w.Write(bodyOf(n))
		panic("a defect")
	},
	"taken over": func(w http.ResponseWriter, n int) {
		announce(w, 2*n+1)
		_, _ = w.Write(bodyOf(n))
		c, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = buffered.WriteString("what is buffered, ")
		_ = buffered.Flush()
		_, _ = io.WriteString(c, "and what is not")
		_ = c.Close()
	},
}

// served returns all that a connection has in answer to two requests. The second one comes in the
// same piece as the first, and its answer has a few bytes.
func served(t *testing.T, listen func(net.Listener) net.Listener, first string, answer http.HandlerFunc) (all []byte) {
	t.Helper()
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/second" {
			answer(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "second")
	}
	synctest.Test(t, func(t *testing.T) { // so that all answers are of the same second
		l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := NewServer(context.Background(), http.HandlerFunc(handler), times, 64<<10, quiet())
		done := make(chan error)
		go func() { done <- server.Serve(listen(l)) }()
		ours, theirs := net.Pipe()
		l.waiting <- theirs
		mustSend(t, ours, "%sGET /second HTTP/1.1\r\nHost: x\r\n\r\n", first)
		var err error
		if all, err = io.ReadAll(ours); err != nil {
			t.Error(err)
		}
		ours.Close()
		server.Close()
		<-done
	})
	return all
}

// What a client gets is byte for byte what net/http writes to a connection that is its own.
func TestAnswersAreThoseOfAnUsualConnection(t *testing.T) {
	requests := map[string]string{
		"GET":         "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"HEAD":        "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST":        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", // nobody reads it
		"POST, waits": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
		"HTTP/1.0":    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	}
	usual := func(l net.Listener) net.Listener { return l }
	for name, answer := range answered {
		for method, request := range requests {
			for _, n := range []int{100, joinFrom, headBytes, 3 * headBytes, 2 * lastPiece} {
				handler := func(w http.ResponseWriter, _ *http.Request) { answer(w, n) }
				want, got := served(t, usual, request, handler), served(t, Frugal, request, handler)
				if !bytes.Equal(got, want) {
					t.Errorf("%s of %d bytes %s: got %d bytes, want %d: %.300q and %.300q", method, n, name, len(got), len(want),
						got, want)
				}
			}
		}
	}
}

// The memory in which beginnings wait is used again by other connections, also after one whose
// client has left in the middle.
func TestAnswersOfManyAtATimeAreNotMixed(t *testing.T) {
	const clients, calls, size = 8, 40, 5 * headBytes
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		announce(w, size)
		_, _ = w.Write(bytes.Repeat([]byte{r.URL.Path[1]}, size))
	}), times, 64<<10, quiet())
	done := make(chan error)
	go func() { done <- server.Serve(Frugal(l)) }()
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			for n := range calls {
				if err := askFor(client, l.Addr(), byte('a'+i), size, n%4 == i%4); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	server.Close()
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}

// askFor asks for an answer of one letter, and leaves in the middle of it, or reads it whole.
func askFor(client *http.Client, server net.Addr, letter byte, size int, leaves bool) error {
	answer, err := client.Get(fmt.Sprintf("http://%s/%c", server, letter))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var body io.Reader = answer.Body
	if leaves {
		size = 10
		body = io.LimitReader(body, int64(size))
	}
	got, err := io.ReadAll(body)
	if err == nil && !bytes.Equal(got, bytes.Repeat([]byte{letter}, size)) {
		err = fmt.Errorf("of %d bytes of %c there are %d, or others", size, letter, len(got))
	}
	return err
}
