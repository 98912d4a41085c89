package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"signet/internal/app/apptest"
	"signet/internal/config"
)

// TestSessionsThroughAReverseProxy: a proxy that ends TLS and is trusted, in front of a
// server that speaks plain HTTP.
func TestSessionsThroughAReverseProxy(t *testing.T) {
	t.Parallel()
	const site = "https://messages.example.com"
	for name, c := range map[string]struct {
		base     string // of the settings
		passHost bool   // the proxy passes on the host that its client asked
		trusted  bool
		host     string // that the client asks
		origin   string // of the server's own pages
		foreign  []string
	}{
		"it passes the host on": {passHost: true, trusted: true, host: "messages.example.com", origin: site,
			foreign: []string{"http://messages.example.com", "https://evil.example", site + ":8443", "null", "BACKEND"}},
		"it changes the host": {base: site, trusted: true, host: "messages.example.com", origin: site,
			foreign: []string{"https://evil.example", "https://other.example.com", "null"}},
		"it is not trusted": {passHost: true, host: "messages.example.com", origin: site},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t, func(cfg *config.Config) {
				cfg.BaseURL = c.base
				cfg.Egress.Push = nil // push services want an address, which not all of these servers know of themselves
				if c.trusted {
					cfg.Proxies = []string{"127.0.0.1"}
				}
			})
			cast := s.People()
			if err := s.Operator.Client.SetPassword(t.Context(), cast.Alice.Token, "", sessionPassword); err != nil {
				t.Fatal(err)
			}
			backend, err := url.Parse(s.Address())
			if err != nil {
				t.Fatal(err)
			}
			proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(backend)
				if c.passHost {
					r.Out.Host = r.In.Host
				}
				r.SetXForwarded()
			}})
			t.Cleanup(proxy.Close)
			way := proxied{t: t, s: s, proxy: proxy, host: c.host}
			const credentials = `{"username":"alice","password":"` + sessionPassword + `"}`
			in := way.do("POST", "/v2/session", c.origin, "", credentials)
			if !c.trusted { // as far as the server knows it was called in clear
				way.want("signing in", in, 403)
				return
			}
			way.want("signing in", in, 204)
			set := in.Header.Get("Set-Cookie")
			if !strings.HasPrefix(set, "__Host-signet=") ||
				!strings.HasSuffix(set, "; Path=/; HttpOnly; Secure; SameSite=Strict") {
				t.Fatalf("the cookie is %s", set)
			}
			cookie, _, _ := strings.Cut(set, ";")
			way.want("the own page", way.do("GET", "/v2/session", c.origin, cookie, ""), 200)
			way.want("a change by it", way.do("POST", "/v2/message", c.origin, cookie, `{"recipient":"bob","body":"x"}`), 204)
			for _, origin := range c.foreign {
				way.want("reading from "+origin, way.do("GET", "/v2/user", origin, cookie, ""), 401)
				sent := way.do("POST", "/v2/message", origin, cookie, `{"recipient":"bob","body":"x"}`)
				if sent.StatusCode != 401 && sent.StatusCode != 403 {
					t.Errorf("sending from %s: got %d", origin, sent.StatusCode)
				}
			}
			const refusedCalls = "signet_origin_refused_total"
			before := metric(t, s, refusedCalls)
			for _, origin := range []string{"https://evil.example", "null"} {
				way.want("signing in from "+origin, way.do("POST", "/v2/session", origin, "", credentials), 403)
			}
			if n := metric(t, s, refusedCalls) - before; n != 2 {
				t.Errorf("%v calls count as refused for their origin, want 2", n)
			}
			way.want("a wrong password", way.do("POST", "/v2/session/elevate", c.origin, cookie, `{"password":"x"}`), 403)
			up := way.do("POST", "/v2/session/elevate", c.origin, cookie, `{"password":"`+sessionPassword+`"}`)
			way.want("elevating it", up, 204)
			cookie, _, _ = strings.Cut(up.Header.Get("Set-Cookie"), ";")
			way.want("signing out", way.do("DELETE", "/v2/session", c.origin, cookie, ""), 204)
			way.want("the cookie then", way.do("GET", "/v2/session", c.origin, cookie, ""), 401)
			for _, act := range []string{"opened", "elevated", "ended"} {
				if n := metric(t, s, `signet_sessions_total{act="`+act+`"}`); n != 1 {
					t.Errorf("%v sessions count as %s, want 1", n, act)
				}
			}
		})
	}
}

// proxied is the way to a server through a reverse proxy, which a browser asks by a host.
type proxied struct {
	t     *testing.T
	s     *apptest.Server
	proxy *httptest.Server
	host  string
}

// do makes a call from a page of an origin, with a cookie; either may be empty.
func (w *proxied) do(method, path, origin, cookie, body string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.proxy.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Host = w.host
	r.Header.Set("Content-Type", "application/json")
	if origin != "" {
		r.Header.Set("Origin", strings.ReplaceAll(origin, "BACKEND", w.s.Address()))
	}
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	answer, err := w.proxy.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return answer
}

func (w *proxied) want(what string, answer *http.Response, status int) {
	w.t.Helper()
	if answer.StatusCode != status {
		w.t.Errorf("%s: got %d, want %d", what, answer.StatusCode, status)
	}
}
