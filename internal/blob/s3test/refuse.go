package s3test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// Refusing starts a way to the server, which ends with the test, and returns its host and port. A request for which
// answer returns a status gets that instead of the server's answer; 0 lets it through.
func (s *Server) Refusing(t testing.TB, answer func(*http.Request) int) (hostPort string) {
	t.Helper()
	through := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: s.address})
			r.Out.Host = r.In.Host // which is signed
		},
		Transport: &http.Transport{DisableKeepAlives: true}, // no connection outlives the test
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := answer(r); status != 0 {
			_, _ = io.Copy(io.Discard, r.Body) // the client may still be sending
			w.WriteHeader(status)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}
