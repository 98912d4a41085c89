package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that their deadlines
// follow the clock of synctest.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// inBubble serves handler over one connection, with the time of synctest, and
// runs the client.
func inBubble(t *testing.T, handler http.HandlerFunc, client func(t *testing.T, c net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := NewServer(context.Background(), handler, times, 64<<10, quiet())
		done := make(chan error)
		go func() { done <- server.Serve(Frugal(l)) }()
		ours, theirs := net.Pipe()
		l.waiting <- theirs
		defer func() {
			ours.Close()
			server.Close()
			<-done
			synctest.Wait()
		}()
		client(t, ours)
	})
}

func mustSend(t *testing.T, c net.Conn, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(c, format, args...); err != nil {
		t.Fatal(err)
	}
}

func mustAnswer(t *testing.T, r *bufio.Reader, status int) string {
	t.Helper()
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != status {
		t.Errorf("got status %d, want %d", answer.StatusCode, status)
	}
	return string(body)
}

// countBody answers with the number of bytes that it could read.
func countBody(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	fmt.Fprint(w, n)
}

func TestBodyThatNobodyReadsDoesNotHoldTheConnection(t *testing.T) {
	refuse := func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
	inBubble(t, refuse, func(t *testing.T, c net.Conn) {
		began := time.Now()
		mustSend(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
		r := bufio.NewReader(c)
		mustAnswer(t, r, 401)
		if _, err := r.ReadByte(); err != io.EOF {
			t.Errorf("got %v, want the connection closed", err)
		}
		if took := time.Since(began); took > restTimeout+time.Second {
			t.Errorf("held for %v, want about %v", took, restTimeout)
		}
	})
}

func TestLargeAnswerReachesAClientThatWithholdsItsBody(t *testing.T) {
	refuse := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(make([]byte, 64<<10))
	}
	inBubble(t, refuse, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
		if got := mustAnswer(t, bufio.NewReader(c), 400); len(got) != 64<<10 {
			t.Errorf("got %d bytes, want all", len(got))
		}
	})
}

func TestStalledUploadIsCut(t *testing.T) {
	inBubble(t, countBody, func(t *testing.T, c net.Conn) {
		began := time.Now()
		mustSend(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
		if got := mustAnswer(t, bufio.NewReader(c), 400); got != "3" {
			t.Errorf("the handler read %s bytes, want 3", got)
		}
		if took := time.Since(began); took != times.Body+restTimeout {
			t.Errorf("answered after %v, want %v", took, times.Body+restTimeout)
		}
	})
}

// A handler that moves the deadline as bytes come in may read for hours.
func TestHandlerThatSeesToItsBodyIsNotCut(t *testing.T) {
	patient := func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		total := 0
		for part := make([]byte, 1<<10); ; {
			if err := control.SetReadDeadline(time.Now().Add(times.Body)); err != nil {
				panic(err)
			}
			n, err := r.Body.Read(part)
			if total += n; err != nil {
				break
			}
		}
		fmt.Fprint(w, total)
	}
	inBubble(t, patient, func(t *testing.T, c net.Conn) {
		const parts = 500
		mustSend(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", parts)
		for range parts {
			time.Sleep(times.Body - time.Second)
			mustSend(t, c, "x")
		}
		if got := mustAnswer(t, bufio.NewReader(c), 200); got != fmt.Sprint(parts) {
			t.Errorf("the handler read %s bytes, want %d", got, parts)
		}
	})
}

// stream writes a line every ten seconds for hours.
func stream(lines int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// As whoever streams does: the client is not expected to send more.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		for i := range lines {
			select {
			case <-time.After(10 * time.Second):
			case <-r.Context().Done():
				return
			}
			fmt.Fprintf(w, "line %d\n", i)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func TestStreamIsNotCut(t *testing.T) {
	for name, head := range map[string]string{
		"plain":                         "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"with a body that nobody reads": "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
		"with a chunked body": "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, stream(1000), func(t *testing.T, c net.Conn) {
				mustSend(t, c, "%s", head)
				if got := mustAnswer(t, bufio.NewReader(c), 200); strings.Count(got, "\n") != 1000 {
					t.Errorf("got %d lines, want 1000", strings.Count(got, "\n"))
				}
			})
		})
	}
}

func TestPollMayWaitLongerThanATransferMayStall(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(2 * times.Body)
		w.WriteHeader(http.StatusNoContent)
	}
	inBubble(t, wait, func(t *testing.T, c net.Conn) {
		r := bufio.NewReader(c)
		for range 3 { // on one connection, idle for a while in between
			mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			mustAnswer(t, r, 204)
			time.Sleep(times.Idle - time.Second)
		}
	})
}

func TestAnswerThatIsImplicitHasTimeAsWell(t *testing.T) {
	wait := func(http.ResponseWriter, *http.Request) { time.Sleep(2 * times.Body) }
	inBubble(t, wait, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		mustAnswer(t, bufio.NewReader(c), 200)
	})
}

func TestReaderThatStallsIsCut(t *testing.T) {
	failed := make(chan time.Duration, 1)
	large := func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				failed <- time.Since(began)
				return
			}
		}
	}
	inBubble(t, large, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(2 * times.Body)
	})
	if took := <-failed; took != times.Write {
		t.Errorf("writing failed after %v, want %v", took, times.Write)
	}
}

func TestAnswerOfAPieceAndAHalfIsOneWriteWithTimeInProportion(t *testing.T) {
	for size, want := range map[int]time.Duration{writePiece: times.Write, lastPiece: times.Write * 3 / 2,
		lastPiece + 1: times.Write} {
		for _, announced := range []bool{false, true} {
			failed := make(chan time.Duration, 1)
			whole := func(w http.ResponseWriter, r *http.Request) {
				began := time.Now()
				if announced {
					announce(w, size)
				}
				_, _ = w.Write(make([]byte, size))
				failed <- time.Since(began)
			}
			inBubble(t, whole, func(t *testing.T, c net.Conn) {
				mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				time.Sleep(2 * times.Body)
			})
			if took := <-failed; took != want {
				t.Errorf("%d bytes that nobody reads, announced: %t, are given up after %v, want %v", size, announced, took, want)
			}
		}
	}
}

// drip is a reader that takes so many bytes each second.
func drip(t *testing.T, handler http.HandlerFunc, bytes int) (total int) {
	inBubble(t, handler, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		for {
			time.Sleep(time.Second)
			n, err := c.Read(make([]byte, bytes))
			total += n
			if err != nil {
				break
			}
		}
	})
	return total
}

func TestReaderThatIsSlowIsNotCut(t *testing.T) {
	const size = 1 << 20
	parts := func(w http.ResponseWriter, r *http.Request) {
		for range size / (4 << 10) {
			_, _ = w.Write(make([]byte, 4<<10))
		}
	}
	whole := func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, size)) }
	for name, handler := range map[string]http.HandlerFunc{"in parts": parts, "whole": whole} {
		if got := drip(t, handler, 2<<10); got < size {
			t.Errorf("%s: got %d bytes, want at least %d", name, got, size)
		}
	}
}

func TestReaderThatDripsIsCut(t *testing.T) {
	const size = 1 << 20
	whole := func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, size)) }
	if got := drip(t, whole, 1<<10); got > 64<<10 {
		t.Errorf("a reader of 1 KiB a second got %d bytes, want it cut after the first %d", got, writePiece)
	}
}

func TestHandlerMaySetItsOwnDeadlines(t *testing.T) {
	failed := make(chan time.Duration, 1)
	own := func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		control := http.NewResponseController(w)
		for {
			if err := control.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
				panic(err)
			}
			_, err := w.Write(make([]byte, 64<<10))
			if err = errors.Join(err, control.Flush()); err != nil {
				failed <- time.Since(began)
				return
			}
		}
	}
	inBubble(t, own, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(time.Minute)
	})
	if took := <-failed; took != 5*time.Second {
		t.Errorf("writing failed after %v, want the handler's own 5s", took)
	}
}

func TestConnectionThatIsHandedOverHasNoDeadlines(t *testing.T) {
	hijack := func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		time.Sleep(time.Hour)
		line, err := rw.ReadString('\n')
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(c, "echo "+line)
	}
	inBubble(t, hijack, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		time.Sleep(2 * time.Hour)
		mustSend(t, c, "hello\n")
		if got, err := bufio.NewReader(c).ReadString('\n'); got != "echo hello\n" {
			t.Errorf("got %q (%v), want the echo", got, err)
		}
	})
}

func TestSlowHeadIsCut(t *testing.T) {
	inBubble(t, countBody, func(t *testing.T, c net.Conn) {
		began := time.Now()
		mustSend(t, c, "GET / HTTP/1.1\r\nHost:")
		_, _ = io.Copy(io.Discard, c)
		if took := time.Since(began); took != times.Header {
			t.Errorf("cut after %v, want %v", took, times.Header)
		}
	})
}

func TestOptionsOfTheServerReachTheHandler(t *testing.T) {
	teapot := func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) }
	inBubble(t, teapot, func(t *testing.T, c net.Conn) {
		mustSend(t, c, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
		mustAnswer(t, bufio.NewReader(c), http.StatusTeapot)
	})
}
