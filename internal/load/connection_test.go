package load

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// mustServe starts an HTTP server of the standard library's and returns its URL.
func mustServe(t *testing.T, handler http.HandlerFunc) *url.URL {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return mustParse(t, s.URL+"/")
}

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func somebody() *person { return &person{authorization: basic("key", "secret")} }

func TestCallsAreWhatAnHTTPServerReads(t *testing.T) {
	long := strings.Repeat("long ", 4*readBuffer)
	to := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		key, secret, _ := r.BasicAuth()
		body, err := io.ReadAll(r.Body)
		if err != nil || key != "key" || secret != "secret" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("X-Seen", r.Method+" "+r.RequestURI+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Request-Id"))
		_, _ = w.Write(body)
	})
	to = to.JoinPath("/a b")
	to.RawQuery = "limit=1"
	c := newConnection(readBuffer)
	defer c.close()
	for what, test := range map[string]struct {
		request  *request
		head     string
		wantBody string
	}{
		"with no body": {newRequest(somebody(), http.MethodGet, to, ""), "GET /a%20b?limit=1  ", ""},
		"with a body": {newRequest(somebody(), http.MethodPost, to, "{}").withHeader("Request-Id", "r"),
			"POST /a%20b?limit=1 application/json r", "{}"},
		"with another body": {newRequest(somebody(), http.MethodPost, to, "").withBody([]byte("ab")),
			"POST /a%20b?limit=1  ", "ab"},
		"with a long answer": {newRequest(somebody(), http.MethodPost, to, long), "POST /a%20b?limit=1 application/json ",
			long},
	} {
		if err := c.call(t.Context(), test.request); err != nil {
			t.Fatal(err)
		}
		if got, body := string(c.answer.Header.Peek("x-seen")), string(c.answer.Body()); body != test.wantBody ||
			got != strings.TrimSpace(test.head) && got != test.head {
			t.Errorf("a call %s came as %q with %d bytes, want %q with %d", what, got, len(body), test.head,
				len(test.wantBody))
		}
	}
	n, err := c.fetch(t.Context(), newRequest(somebody(), http.MethodPost, to, long))
	if err != nil || n != int64(len(long)) {
		t.Errorf("fetched %d bytes, %v, want %d", n, err, len(long))
	}
}

// mustAnswer starts a server that answers what comes on each connection with these
// bytes, and closes it.
func mustAnswer(t *testing.T, text string) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	return mustParse(t, "http://"+l.Addr().String()+"/")
}

func TestAnswersOfEveryFormAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n":                                                    "",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n":        "abc",
		"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc":                                            "abc",
		"HTTP/1.0 200 OK\r\n\r\nabc":                                                                 "abc",
		"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc": "abc",
	} {
		c, r := newConnection(readBuffer), newRequest(somebody(), http.MethodGet, mustAnswer(t, text), "")
		if err := c.call(t.Context(), r); err != nil || string(c.answer.Body()) != want {
			t.Errorf("%q: got %q, %v, want %q", text, c.answer.Body(), err, want)
		}
		c.close() // as the server has
		if n, err := c.fetch(t.Context(), r); err != nil || n != int64(len(want)) {
			t.Errorf("%q: fetched %d bytes, %v, want %d", text, n, err, len(want))
		}
		c.close()
	}
}

func TestServersThatAnswerWithHalfOrNoHTTPAreFailures(t *testing.T) {
	for _, text := range []string{"", "HTTP/1.1", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na"} {
		c, r := newConnection(readBuffer), newRequest(somebody(), http.MethodGet, mustAnswer(t, text), "")
		if err := c.call(t.Context(), r); kindOf(err) != kindConnection {
			t.Errorf("%q: got %v", text, err)
		}
		if n, err := c.fetch(t.Context(), r); kindOf(err) != kindConnection {
			t.Errorf("%q: fetched %d, %v", text, n, err)
		}
		c.close()
	}
}

func TestRefusalsTellTheirStatusAndReason(t *testing.T) {
	to := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"status":"fail","error":{"code":"daily_limit","message":"Enough."}}`)
	})
	c := newConnection(readBuffer)
	defer c.close()
	for range 2 { // the connection is as good as before
		err := c.call(t.Context(), newRequest(somebody(), http.MethodGet, to, ""))
		if kindOf(err) != "429" || !strings.Contains(err.Error(), "429 Too Many Requests (daily_limit: Enough.)") {
			t.Errorf("got %v", err)
		}
	}
}

// A server may close a connection behind any answer; the next call has another.
func TestConnectionsThatTheServerClosesAreOpenedAgain(t *testing.T) {
	addresses := make(map[string]bool)
	to := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		w.Header().Set("Connection", "close")
	})
	c := newConnection(readBuffer)
	defer c.close()
	for range 3 {
		if err := c.call(t.Context(), newRequest(somebody(), http.MethodGet, to, "")); err != nil {
			t.Fatal(err)
		}
	}
	if len(addresses) != 3 {
		t.Errorf("three calls came on %d connections", len(addresses))
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	came := make(chan struct{}, 1)
	to := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		<-r.Context().Done()
	})
	c := newConnection(readBuffer)
	defer c.close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-came
		cancel()
	}()
	if err := c.call(ctx, newRequest(somebody(), http.MethodGet, to, "")); kindOf(err) != kindConnection ||
		!strings.Contains(err.Error(), "context canceled") {
		t.Errorf("got %v, want that the context ended", err)
	}
}

// A server that nobody vouches for is not measured, with somebody's key.
func TestServersWithoutAKnownCertificateAreRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("it was called")
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	defer s.Close()
	c := newConnection(readBuffer)
	defer c.close()
	err := c.call(t.Context(), newRequest(somebody(), http.MethodGet, mustParse(t, s.URL), ""))
	if unknown := (x509.UnknownAuthorityError{}); err == nil || !strings.Contains(err.Error(), unknown.Error()) {
		t.Errorf("got %v, want that the certificate is unknown", err)
	}
}

// On a machine that the server shares, whatever a call takes is missing there.
func TestCallsAllocateNextToNothing(t *testing.T) {
	to := mustServe(t, func(http.ResponseWriter, *http.Request) {})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // without net/http, whose allocations would count
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		buffer := make([]byte, 4<<10)
		for {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
			if _, err := io.WriteString(conn, "HTTP/1.1 204 No Content\r\nRequest-Id: 1\r\nDate: today\r\n\r\n"); err != nil {
				return
			}
		}
	}()
	to.Host = l.Addr().String()
	c := newConnection(readBuffer)
	defer c.close()
	call := newRequest(somebody(), http.MethodPost, to, letterBody("somebody", strings.Repeat("x", 200), 0))
	if n := testing.AllocsPerRun(100, func() {
		if err := c.call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}); n > 4 {
		t.Errorf("a call allocates %v times, want 4 at the most", n)
	}
}

// What one call may take begins anew with the next, however long the run is.
func TestPatienceIsOfEachCall(t *testing.T) {
	to := mustServe(t, func(http.ResponseWriter, *http.Request) {})
	c := newConnection(readBuffer)
	defer c.close()
	for range 2 {
		if err := c.call(t.Context(), newRequest(somebody(), http.MethodGet, to, "")); err != nil {
			t.Fatal(err)
		}
		if left := time.Until(c.until); left < patience-2*renewal || left > patience {
			t.Errorf("the call had %v, want about %v", left, patience)
		}
		c.until = time.Now().Add(patience / 2) // as if that much were over
	}
}
