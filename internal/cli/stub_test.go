package cli

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// stub is a server of fixed answers by "METHOD path", or "METHOD path?query".
type stub struct {
	url     string
	answers map[string]func(http.ResponseWriter)

	mu   sync.Mutex // guards got
	got  []string   // "METHOD uri body"
	auth string
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := r.Method + " " + r.RequestURI
	if len(body) > 0 && r.Header.Get("Content-Type") == "application/json" {
		line += " " + string(body)
	}
	if org := r.Header.Get("TT-X-Organization-Key"); org != "" {
		line += " @" + org
	}
	s.mu.Lock()
	s.got = append(s.got, line)
	s.auth = r.Header.Get("Authorization")
	s.mu.Unlock()
	for _, asked := range []string{r.RequestURI, r.URL.Path} { // an answer may be of one query only
		if a := s.answers[r.Method+" "+asked]; a != nil {
			a(w)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *stub) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

func data(reply string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { fmt.Fprintf(w, `{"status":"success","reply":%s}`, reply) }
}

func headers(status int, pairs ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Set(pairs[i], pairs[i+1])
		}
		w.WriteHeader(status)
	}
}

func refused(status int, code, message string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"status":"fail","error":{"status":%d,"code":%q,"message":%q}}`, status, code, message)
	}
}
