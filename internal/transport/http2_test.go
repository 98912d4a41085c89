package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// overHTTP2 serves handler, with the time of synctest, and runs the client. There is
// no TLS in the bubble; the protocol is the same.
func overHTTP2(t *testing.T, handler http.HandlerFunc, run func(t *testing.T, client *http.Client)) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := NewServer(context.Background(), handler, times, 64<<10, quiet())
		server.Protocols.SetUnencryptedHTTP2(true)
		done := make(chan error)
		go func() { done <- server.Serve(Frugal(l)) }()
		only := new(http.Protocols)
		only.SetUnencryptedHTTP2(true)
		transport := &http.Transport{Protocols: only, DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			l.waiting <- theirs
			return ours, nil
		}}
		run(t, &http.Client{Transport: transport})
		transport.CloseIdleConnections()
		server.Close()
		<-done
		synctest.Wait()
	})
}

func mustDo(t *testing.T, client *http.Client, method string, body io.Reader) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://signet.test/", body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if answer.ProtoMajor != 2 {
		t.Fatalf("answered with %s", answer.Proto)
	}
	return answer
}

func mustRead(t *testing.T, answer *http.Response) string {
	t.Helper()
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("read the answer: %v after %d bytes", err, len(body))
	}
	return string(body)
}

// In HTTP/2 a deadline that passes between two writes ends the stream.
func TestStreamOverHTTP2IsNotCut(t *testing.T) {
	own := func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Time{})
		for i := range 1000 {
			time.Sleep(10 * time.Minute)
			_ = control.SetWriteDeadline(time.Now().Add(time.Second))
			fmt.Fprintf(w, "line %d\n", i)
			if err := control.Flush(); err != nil {
				panic(err)
			}
		}
	}
	for name, handler := range map[string]http.HandlerFunc{"without deadlines of its own": stream(1000),
		"with deadlines of its own": own} {
		overHTTP2(t, handler, func(t *testing.T, client *http.Client) {
			if got := mustRead(t, mustDo(t, client, "GET", nil)); strings.Count(got, "\n") != 1000 {
				t.Errorf("%s: got %d lines, want 1000", name, strings.Count(got, "\n"))
			}
		})
	}
}

func TestPollOverHTTP2MayWait(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(3 * times.beforeAnswer())
		_, _ = io.WriteString(w, "at last")
	}
	overHTTP2(t, wait, func(t *testing.T, client *http.Client) {
		for range 3 {
			if got := mustRead(t, mustDo(t, client, "GET", nil)); got != "at last" {
				t.Errorf("got %q", got)
			}
		}
	})
}

func TestUploadOverHTTP2MayTakeLong(t *testing.T) {
	patient := func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		total := 0
		for part := make([]byte, 1<<10); ; {
			_ = control.SetReadDeadline(time.Now().Add(times.Body))
			n, err := r.Body.Read(part)
			if total += n; err != nil {
				break
			}
		}
		fmt.Fprint(w, total)
	}
	overHTTP2(t, patient, func(t *testing.T, client *http.Client) {
		slow, sender := io.Pipe()
		go func() {
			for range 100 {
				time.Sleep(times.Body - time.Second)
				_, _ = sender.Write([]byte("x"))
			}
			sender.Close()
		}()
		if got := mustRead(t, mustDo(t, client, "POST", slow)); got != "100" {
			t.Errorf("the handler read %s bytes, want 100", got)
		}
	})
}

func TestStalledUploadOverHTTP2IsCut(t *testing.T) {
	overHTTP2(t, countBody, func(t *testing.T, client *http.Client) {
		began := time.Now()
		stalled, sender := io.Pipe()
		defer sender.Close()
		go func() { _, _ = sender.Write([]byte("abc")) }()
		answer := mustDo(t, client, "POST", stalled)
		if got := mustRead(t, answer); got != "3" || answer.StatusCode != 400 {
			t.Errorf("got %d and %s bytes read, want 400 and 3", answer.StatusCode, got)
		}
		if took := time.Since(began); took != times.Body {
			t.Errorf("answered after %v, want %v", took, times.Body)
		}
	})
}

func TestReaderOfHTTP2ThatStallsIsCut(t *testing.T) {
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
	overHTTP2(t, large, func(t *testing.T, client *http.Client) {
		answer := mustDo(t, client, "GET", nil)
		defer answer.Body.Close()
		time.Sleep(10 * times.Write)
		if _, err := io.Copy(io.Discard, answer.Body); err == nil {
			t.Error("the answer came to an end")
		}
	})
	if took := <-failed; took != times.Write {
		t.Errorf("writing failed after %v, want %v", took, times.Write)
	}
}
