package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// What a browser asks for by itself, because of a link or a picture that somebody wrote, is asked in
// nobody's name: going to an address counts for files, and a picture for what is shown as one (contract,
// section 7). The routes are those of the matrix.
func TestTheCookieOfWhatABrowserAsksForByItself(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	keys := []*person{m.sender, m.boss, m.operator}
	sessions := make([]*person, len(keys))
	for i, p := range keys {
		if p == m.sender {
			sessions[i] = p.byCookie(p.post("/v2/session", nil).want(204))
		} else {
			sessions[i] = p.elevated()
		}
	}
	pictures := []string{"GET /v2/message/:message/attachment/:number", "GET /v2/avatar/:id"}
	files := append([]string{"GET /v2/user/:user/export"}, pictures...)
	fetch := func(site, mode, dest string) option {
		return func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", site)
			r.Header.Set("Sec-Fetch-Mode", mode)
			r.Header.Set("Sec-Fetch-Dest", dest)
		}
	}
	for _, r := range rules {
		if !strings.HasPrefix(r.route, "GET ") || r.public {
			continue
		}
		for _, p := range sessions {
			opened := func(how option) bool {
				got := r.call(p, m.standing, how)
				return got.StatusCode != 401 && !strings.Contains(string(got.content), "origin_refused")
			}
			for what, c := range map[string]struct {
				how  option
				want bool
			}{
				"a page's own request":         {fetch("same-origin", "cors", "empty"), true},
				"a link on its own page":       {fetch("same-origin", "navigate", "document"), slices.Contains(files, r.route)},
				"an address that was typed":    {fetch("none", "navigate", "document"), slices.Contains(files, r.route)},
				"a picture on its own page":    {fetch("same-origin", "no-cors", "image"), slices.Contains(pictures, r.route)},
				"a picture on another's page":  {fetch("cross-site", "no-cors", "image"), false},
				"a frame on another's page":    {fetch("cross-site", "navigate", "iframe"), false},
				"a request of another's page":  {fetch("same-site", "cors", "empty"), false},
				"a picture that is gone to so": {fetch("same-origin", "navigate", "image"), slices.Contains(pictures, r.route)},
			} {
				if got := opened(c.how); got != c.want {
					t.Errorf("%s: the cookie counts for %s: %v, want %v", r.route, what, got, c.want)
				}
			}
		}
	}
}

// Servers on one host keep apart: the port is part of the cookie's name, where it is not the scheme's own.
func TestTheCookieIsOfAPort(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	for host, want := range map[string]string{
		"127.0.0.1:8080": "signet-session-8080", "localhost:9": "signet-session-9", "[::1]:65535": "signet-session-65535",
		"127.0.0.1": "signet-session", "127.0.0.1:80": "signet-session", "127.0.0.1:": "signet-session",
		"127.0.0.1:123456": "signet-session", "127.0.0.1:0": "signet-session",
	} {
		at := func(r *http.Request) { r.Host = host }
		in := c.anyone().post("/v2/session", fields{"username": "alice", "password": password}, at).want(204)
		alice := c.alice.byCookie(in)
		if name, _, _ := strings.Cut(alice.cookie, "="); name != want {
			t.Errorf("at %s the cookie is %s, want %s", host, name, want)
		}
		alice.get("/v2/session", at).want(200)
		alice.get("/v2/session", func(r *http.Request) { r.Host = "127.0.0.1:7" }).want(204) // nobody's
	}
}
