package api

import (
	"strings"
	"testing"

	"signet/internal/api/guard"
)

const friend, foreign = "https://app.example.com", "https://evil.example"

func TestCORSIsOffByDefault(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: nothing})
	got := h.mustSend(request{method: "OPTIONS", path: "/v2/x", anyone: true,
		headers: []string{"Origin: " + friend, "Access-Control-Request-Method: GET"}})
	h.wantError(got, 405, codeMethodNotAllowed, "")
	h.wantHeader(got, "Allow", "GET, HEAD")
	got = h.mustSend(request{method: "GET", path: "/v2/x", headers: []string{"Origin: " + friend}})
	for name := range got.Header {
		if strings.HasPrefix(name, "Access-Control") || name == "Vary" {
			t.Errorf("%s is %q", name, got.Header.Get(name))
		}
	}
}

func TestCORSForTheConfiguredOrigins(t *testing.T) {
	h := start(t, func(o *Options) { o.CORSOrigins = []string{"https://other.example.com", friend} },
		route{method: "GET", pattern: "/v2/x", handler: nothing}, route{method: "POST", pattern: "/v2/x", handler: nothing})
	preflight := func(path, origin string, headers ...string) answered {
		return h.mustSend(request{method: "OPTIONS", path: path, anyone: true,
			headers: append(headers, "Origin: "+origin, "Access-Control-Request-Method: POST")})
	}
	got := preflight("/v2/x", friend, "Access-Control-Request-Headers: authorization,tt-x-new-thing, x-other, tt-x-<b>")
	if got.StatusCode != 204 {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}
	h.wantHeader(got, "Access-Control-Allow-Origin", friend)
	h.wantHeader(got, "Access-Control-Allow-Credentials", "true")
	h.wantHeader(got, "Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.wantHeader(got, "Access-Control-Max-Age", "3600")
	h.wantHeader(got, "Access-Control-Allow-Headers",
		"Authorization, Content-Type, Last-Event-ID, Request-ID, Range, If-None-Match, TT-X-Organization-Key, "+
			"TT-X-Features, TT-X-Type, tt-x-new-thing")
	h.wantHeader(got, "Vary", "Origin")

	for _, got := range []answered{
		h.mustSend(request{method: "POST", path: "/v2/x",
			headers: []string{"Origin: " + friend, "Sec-Fetch-Site: cross-site"}}),
		// an error is to be read too
		h.mustSend(request{method: "POST", path: "/v2/x", anyone: true, headers: []string{"Origin: " + friend}}),
		h.mustSend(request{method: "GET", path: "/nowhere", headers: []string{"Origin: " + friend}}),
	} {
		h.wantHeader(got, "Access-Control-Allow-Origin", friend)
		h.wantHeader(got, "Vary", "Origin")
		for _, name := range []string{"TT-X-Message-Id", "TT-X-Msg-Ttl", "TT-X-Group-Token", "TT-X-Group-Avatar",
			"TT-X-Organization-Key", "TT-X-Continuation", "Request-Id", "Retry-After"} {
			if !strings.Contains(got.Header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s is not exposed", name)
			}
		}
	}
	got = preflight("/v2/x", foreign)
	h.wantError(got, 405, codeMethodNotAllowed, "")
	h.wantHeader(got, "Access-Control-Allow-Origin", "")
	h.wantHeader(got, "Vary", "Origin")
	h.wantError(preflight("/nowhere", friend), 404, codeEndpointUnknown, "")
	plain := h.mustSend(request{method: "OPTIONS", path: "/v2/x", anyone: true, headers: []string{"Origin: " + friend}})
	h.wantError(plain, 405, codeMethodNotAllowed, "")
}

func TestForeignPagesAreRefused(t *testing.T) {
	h := start(t, func(o *Options) { o.CORSOrigins, o.OwnURL = []string{friend}, "https://public.example:8443/base" },
		route{method: "GET", pattern: "/v2/x", handler: nothing}, route{method: "POST", pattern: "/v2/x", handler: nothing},
		route{method: "DELETE", pattern: "/v2/x", handler: nothing})
	const upgrade = "Upgrade: websocket"
	for _, c := range []struct {
		what, method string
		headers      []string
		refused      bool
	}{
		{"no browser", "POST", nil, false},
		{"same origin", "POST", []string{"Origin: http://signet.example", "Sec-Fetch-Site: same-origin"}, false},
		{"same origin with a port", "POST", []string{"Origin: http://signet.example:80"}, false},
		{"same origin in capitals", "DELETE", []string{"Origin: http://Signet.Example"}, false},
		{"same origin behind a proxy that ends TLS", "POST", []string{"Origin: https://signet.example"}, false},
		{"the configured URL, behind a proxy that changes the host", "POST", []string{"Origin: https://public.example:8443"},
			false},
		{"the configured URL's host with another scheme", "POST", []string{"Origin: http://public.example:8443"}, true},
		{"another port", "POST", []string{"Origin: http://signet.example:8443"}, true},
		{"another scheme altogether", "POST", []string{"Origin: ftp://signet.example"}, true},
		{"configured", "POST", []string{"Origin: " + friend, "Sec-Fetch-Site: cross-site"}, false},
		{"foreign", "POST", []string{"Origin: " + foreign}, true},
		{"foreign, on the same site", "DELETE", []string{"Origin: https://www.signet.example", "Sec-Fetch-Site: same-site"},
			true},
		{"no host", "POST", []string{"Origin: http://"}, true},
		{"null", "POST", []string{"Origin: null"}, true},
		{"empty", "POST", []string{"Origin: "}, false},
		{"two origins", "POST", []string{"Origin: " + friend, "Origin: " + foreign}, true},
		{"cross-site without an origin", "POST", []string{"Sec-Fetch-Site: cross-site"}, true},
		{"same-site without an origin", "POST", []string{"Sec-Fetch-Site: same-site"}, true},
		{"configured, on the same site", "POST", []string{"Origin: " + friend, "Sec-Fetch-Site: same-site"}, false},
		{"cross-site with the same origin", "POST", []string{"Origin: http://signet.example", "Sec-Fetch-Site: cross-site"},
			true},
		{"typed by the user", "POST", []string{"Sec-Fetch-Site: none"}, false},
		{"foreign, only reading", "GET", []string{"Origin: " + foreign, "Sec-Fetch-Site: cross-site"}, false},
		{"WebSocket of the same origin", "GET", []string{upgrade, "Connection: Upgrade", "Origin: http://signet.example"},
			false},
		{"WebSocket of no browser", "GET", []string{upgrade, "Connection: Upgrade"}, false},
		{"foreign WebSocket", "GET", []string{upgrade, "Connection: Upgrade", "Origin: " + foreign}, true},
		{"configured WebSocket", "GET", []string{upgrade, "Connection: Upgrade", "Origin: " + friend}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			h.t = t
			got := h.mustSend(request{method: c.method, path: "/v2/x", headers: append(c.headers, "Host: signet.example")})
			if c.refused {
				h.wantError(got, 403, guard.CodeOriginRefused, "")
			} else if got.StatusCode != 204 {
				t.Errorf("got %d %s", got.StatusCode, got.body)
			}
		})
	}
}
