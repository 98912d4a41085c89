package transport

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// announce writes the head of an answer, with the length of its body.
func announce(w http.ResponseWriter, bytes int) {
	w.Header().Set("Content-Length", strconv.Itoa(bytes))
	w.WriteHeader(http.StatusOK)
}

// writes is a connection that notes how much each write has.
type writes struct {
	net.Conn
	sizes []int
}

func (w *writes) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	return w.Conn.Write(p)
}

func TestWhatIsWrittenFirstWaitsForTheRest(t *testing.T) {
	head, rest := bytes.Repeat([]byte{'h'}, headBytes), bytes.Repeat([]byte{'r'}, 3*headBytes)
	for name, c := range map[string]struct {
		written [][]byte // between join and part
		before  int      // how many writes there are before part
	}{
		"the rest comes":             {[][]byte{head, rest}, 2}, // one, where it is a socket
		"nothing comes":              {[][]byte{head}, 0},
		"the first does not wait":    {[][]byte{rest}, 1},
		"something comes once again": {[][]byte{head, rest, head}, 2},
		"nothing is written":         {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			noted := &writes{Conn: theirs}
			conn := newConnection(noted)
			got := make(chan []byte)
			go func() {
				all, _ := io.ReadAll(ours)
				got <- all
			}()
			conn.join()
			for _, p := range c.written {
				if n, err := conn.Write(p); n != len(p) || err != nil {
					t.Errorf("wrote %d bytes of %d, %v", n, len(p), err)
				}
			}
			if len(noted.sizes) != c.before {
				t.Errorf("there were writes of %v bytes, want %d of them", noted.sizes, c.before)
			}
			if err := conn.part(); err != nil {
				t.Error(err)
			}
			if _, err := conn.Write([]byte("after")); err != nil {
				t.Error(err)
			}
			conn.Close()
			if want := append(bytes.Join(c.written, nil), "after"...); !bytes.Equal(<-got, want) {
				t.Error("what was written came otherwise")
			}
		})
	}
}

// A client that stands still in the middle of what was joined takes the rest later, or never.
func TestAJoinedWriteHasTheDeadlineOfAnyOther(t *testing.T) {
	for name, c := range map[string]struct{ putOff, want time.Duration }{
		"it passes":      {0, 10 * time.Second},
		"it was put off": {time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				defer ours.Close()
				conn := newConnection(theirs)
				defer conn.Close()
				began := time.Now()
				_ = conn.SetWriteDeadline(began.Add(10 * time.Second))
				failed := make(chan error)
				go func() {
					conn.join()
					_, _ = conn.Write(make([]byte, headBytes))
					_, err := conn.Write(make([]byte, headBytes))
					_ = conn.part()
					failed <- err
				}()
				if _, err := io.ReadFull(ours, make([]byte, headBytes+10)); err != nil {
					t.Fatal(err)
				}
				if c.putOff > 0 {
					_ = conn.SetWriteDeadline(began.Add(c.putOff))
				}
				if err := <-failed; err == nil || time.Since(began) != c.want {
					t.Errorf("it failed with %v after %v, want a deadline after %v", err, time.Since(began), c.want)
				}
			})
		})
	}
}

// What waited and could not be written is not taken for written: nothing comes behind it.
func TestAConnectionEndsWithAnAnswerThatWasHeldInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		conn := newConnection(theirs)
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		conn.join()
		_, _ = conn.Write([]byte("head"))
		if err := conn.part(); err == nil {
			t.Error("it was written to nobody")
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("the connection goes on")
		}
	})
}

// answersOf serves bodies of the length that the path says, with the length announced.
func answersOf(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Path[1:])
	if err != nil {
		panic(err)
	}
	announce(w, n)
	_, _ = w.Write(bodyOf(n))
}

func bodyOf(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

func TestAnswersOfEveryLengthArriveWhole(t *testing.T) {
	p, err := NewProxies(nil, "Forwarded")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(context.Background(), http.HandlerFunc(answersOf), times, 64<<10, quiet())
	served := make(chan error)
	go func() { served <- server.Serve(p.LimitConnections(Frugal(l), 1, func() {})) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	for _, n := range []int{0, 1, joinFrom - 1, joinFrom, headBytes - 200, headBytes, 2*headBytes - 200, 2 * headBytes,
		37 << 10, lastPiece, lastPiece + 1, 1 << 20} {
		for _, method := range []string{"GET", "HEAD"} {
			request, _ := http.NewRequest(method, "/", nil)
			mustSend(t, c, "%s /%d HTTP/1.1\r\nHost: x\r\n\r\n", method, n)
			answer, err := http.ReadResponse(r, request)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(answer.Body)
			want := bodyOf(n)
			if method == "HEAD" {
				want = nil
			}
			if err != nil || !bytes.Equal(got, want) || answer.ContentLength != int64(n) {
				t.Errorf("%s of %d bytes: got %d, announced %d, %v", method, n, len(got), answer.ContentLength, err)
			}
		}
	}
	c.Close()
	server.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}

func TestACallKnowsItsConnectionUnlessItIsEncrypted(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	own := newConnection(theirs)
	defer own.Close()
	for name, c := range map[string]struct {
		conn net.Conn
		want *connection
	}{
		"it is its own":   {own, own},
		"it is counted":   {&countedConn{Conn: own, left: func() {}}, own},
		"it is encrypted": {tls.Server(own, nil), nil},
		"it is another":   {ours, nil},
	} {
		if got := connectionOf(withConnection(t.Context(), c.conn)); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
