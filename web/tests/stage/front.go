package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"signet/openapi/openapitest"
)

// front stands between browsers and a server: a line that can be cut, on which all calls are held to the document.
type front struct {
	url      string
	listener net.Listener
	server   *http.Server
	direct   *http.Transport

	mu    sync.Mutex // guards the rest
	cut   bool
	conns map[net.Conn]bool
}

// line is a connection that can die without a word, as those of a computer do that sleeps.
type line struct {
	net.Conn
	dead atomic.Bool
}

func (l *line) Read(p []byte) (int, error) {
	for {
		n, err := l.Conn.Read(p)
		if err != nil || !l.dead.Load() {
			return n, err
		}
	}
}

func (l *line) Write(p []byte) (int, error) {
	if l.dead.Load() {
		return len(p), nil
	}
	return l.Conn.Write(p)
}

// lines makes lines of the connections that a listener accepts.
type lines struct{ net.Listener }

func (l lines) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &line{Conn: conn}, nil
}

// newFront makes one whose address is known before the server that it will stand in front of has started.
func newFront() (*front, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &front{
		url: "http://" + listener.Addr().String(), listener: listener, conns: map[net.Conn]bool{},
		direct: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
	}
	f.server = &http.Server{ConnState: f.notes, ErrorLog: log.New(io.Discard, "", 0)}
	return f, nil
}

// open lets browsers through to a server.
func (f *front) open(to string, test *collector, validator *openapitest.Validator) error {
	target, err := url.Parse(to)
	if err != nil {
		return err
	}
	f.server.Handler = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // what its pages take for their own origin
		},
		Transport:     &judged{test, validator, validator.RoundTripper(f.direct), f.direct},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		// A line without a server behind it says nothing, as a server that is away does.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	go func() { _ = f.server.Serve(lines{f.listener}) }() // until it is closed
	return nil
}

// notes keeps the connections that there are. One that comes while the line is cut ends at once.
func (f *front) notes(conn net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch state {
	case http.StateNew:
		f.conns[conn] = true
		if f.cut {
			_ = conn.Close() // it has said nothing yet
		}
	case http.StateClosed, http.StateHijacked:
		delete(f.conns, conn)
	}
}

// set cuts the line, or mends it.
func (f *front) set(cut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut = cut
	for conn := range f.conns {
		if cut {
			_ = conn.Close() // it may have ended
		}
	}
}

// kill lets the connections that there are die without a word. Others can be made.
func (f *front) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		conn.(*line).dead.Store(true)
	}
}

func (f *front) close() {
	_ = f.server.Close()   // nobody is left to be told
	_ = f.listener.Close() // it may never have been served
	f.direct.CloseIdleConnections()
}

// judged holds calls of the interface to the document. What the document lacks can only be a file of the pages.
type judged struct {
	test        *collector
	validator   *openapitest.Validator
	call, files http.RoundTripper
}

func (j *judged) RoundTrip(r *http.Request) (*http.Response, error) {
	lacks := j.validator.Unknown(r.Method, r.URL)
	if lacks == "path" && r.Method == http.MethodGet && !isCall(r.URL.Path) {
		return j.files.RoundTrip(r)
	}
	if lacks != "" {
		j.test.Errorf("%s %s is a call whose %s the OpenAPI document does not have", r.Method, r.URL.RequestURI(), lacks)
	}
	return j.call.RoundTrip(r)
}

// isCall reports whether a path is one of the interface's.
func isCall(path string) bool {
	return strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/v5/")
}
