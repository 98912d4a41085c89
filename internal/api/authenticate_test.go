package api

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"signet/internal/model"
)

func TestCredentials(t *testing.T) {
	h := start(t, func(o *Options) { o.Limits.FailedLoginsPerMinute, o.Limits.FailedLoginsPerMinuteAddress = 0, 0 },
		route{method: "GET", pattern: "/v2/user", handler: echo(func(c *call) any { return c.actor.Key.Key })},
		route{method: "GET", pattern: "/v2/events", queryAuth: true,
			handler: echo(func(c *call) any { return c.actor.Key.Key })},
		route{method: "GET", pattern: "/openapi.json", public: true,
			handler: echo(func(c *call) any { return c.actor == nil })},
	)
	std := base64.StdEncoding.EncodeToString
	const pair = "alice:secret:of:alice"
	// One whose encoding has both characters that the alphabets differ in.
	odd := "\u00fe\u00ff?>\u07ff:secret:of:\u00fe\u00ff?>\u07ff"
	oddKey, _, _ := strings.Cut(odd, ":")
	h.auth.actors[oddKey] = &model.Actor{Key: model.Key{Key: oddKey}}
	if s := std([]byte(odd)); !strings.Contains(s, "+") || !strings.Contains(s, "/") {
		t.Fatalf("%s has no + and /", s)
	}
	for _, c := range []struct {
		what, path, header string
		key                string // empty: refused
		code               string
	}{
		{"Basic", "/v2/user", "Basic " + std([]byte(pair)), "alice", ""},
		{"in lower case", "/v2/user", "basic " + std([]byte(pair)), "alice", ""},
		{"without padding", "/v2/user", "Basic " + base64.RawStdEncoding.EncodeToString([]byte(pair)), "alice", ""},
		{"UTF-8", "/v2/user", "Basic " + std([]byte(odd)), oddKey, ""},
		{"none", "/v2/user", "", "", codeCredentialsMissing},
		{"another scheme", "/v2/user", "Bearer x", "", codeCredentialsInvalid},
		{"no base64", "/v2/user", "Basic %%%", "", codeCredentialsInvalid},
		{"no colon", "/v2/user", "Basic " + std([]byte("alice")), "", codeCredentialsInvalid},
		{"no key", "/v2/user", "Basic " + std([]byte(":secret")), "", codeCredentialsInvalid},
		{"no UTF-8", "/v2/user", "Basic " + std([]byte("alice:\xff")), "", codeCredentialsInvalid},
		{"nothing after Basic", "/v2/user", "Basic", "", codeCredentialsInvalid},
		{"wrong secret", "/v2/user", "Basic " + std([]byte("alice:wrong")), "", "credentials_invalid"},
		{"wrong key", "/v2/user", "Basic " + std([]byte("mallory:x")), "", "credentials_invalid"},
		{"in the query where it is not allowed", "/v2/user?auth_basic=" + std([]byte(pair)), "", "", codeCredentialsMissing},
		{"in the query", "/v2/events?auth_basic=" + url.QueryEscape(std([]byte(pair))), "", "alice", ""},
		{"in the query, not encoded", "/v2/events?features=x&auth_basic=" + std([]byte(pair)), "", "alice", ""},
		{"in the query, URL alphabet", "/v2/events?auth_basic=" + base64.RawURLEncoding.EncodeToString([]byte(odd)), "",
			oddKey, ""},
		{"in the query, plus as a blank", "/v2/events?auth_basic=" + strings.ReplaceAll(std([]byte(odd)), "%", ""), "",
			oddKey, ""},
		{"in the query, twice", "/v2/events?auth_basic=" + std([]byte(pair)) + "&auth_basic=x", "", "",
			codeCredentialsMissing},
		{"in the query, broken", "/v2/events?auth_basic=%zz", "", "", codeCredentialsMissing},
		{"the header wins", "/v2/events?auth_basic=" + std([]byte(pair)), "Basic " + std([]byte("alice:wrong")), "",
			"credentials_invalid"},
	} {
		t.Run(c.what, func(t *testing.T) {
			h.t = t
			r := request{method: "GET", path: c.path, anyone: true}
			if c.header != "" {
				r.headers = []string{"Authorization: " + c.header}
			}
			got := h.mustSend(r)
			if c.key != "" {
				if reply := h.wantReply(got); reply != c.key {
					t.Errorf("got %v, want %s", reply, c.key)
				}
				return
			}
			h.wantError(got, 401, c.code, "")
			h.wantHeader(got, "WWW-Authenticate", `Basic realm="signet", charset="UTF-8"`)
		})
	}
	h.t = t
	if got := h.wantReply(h.mustSend(request{method: "GET", path: "/openapi.json", anyone: true})); got != true {
		t.Error("a public route has an actor")
	}
	if !h.auth.from.IsLoopback() {
		t.Errorf("the client's address is %v", h.auth.from)
	}
	log := h.log.String()
	for _, secret := range []string{"secret", std([]byte(pair)), url.QueryEscape(std([]byte(pair))), "auth_basic",
		"wrong"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q: %s", secret, log)
		}
	}
}

func TestRemoteAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[2001:db8::1]:1": "2001:db8::1", "[::ffff:192.0.2.7]:1": "192.0.2.7",
		"@": "invalid IP", "": "invalid IP",
	} {
		if got := remoteAddress(&http.Request{RemoteAddr: remote}).String(); got != want {
			t.Errorf("%s: got %s, want %s", remote, got, want)
		}
	}
	given := netip.MustParseAddr("203.0.113.9")
	h := start(t, func(o *Options) { o.Address = func(*http.Request) netip.Addr { return given } },
		route{method: "GET", pattern: "/v2/x", handler: nothing})
	h.mustSend(request{method: "GET", path: "/v2/x"})
	if h.auth.from != given {
		t.Errorf("got %v, want %v", h.auth.from, given)
	}
}

func TestAdministrativeRoutes(t *testing.T) {
	h := start(t, nil,
		route{method: "GET", pattern: "/v2/user_lookup/:user", admin: true, handler: nothing},
		route{method: "GET", pattern: "/v2/user/:user/roles", admin: true, handler: nothing,
			exempt: func(_ context.Context, c *call) bool { return c.path("user") == "me" }},
	)
	for _, c := range []struct {
		key, path string
		status    int
	}{
		{"root", "/v2/user_lookup/x", 204}, {"alice", "/v2/user_lookup/x", 403}, {"lapsed", "/v2/user_lookup/x", 403},
		{"root", "/v2/user/x/roles", 204}, {"alice", "/v2/user/x/roles", 403}, {"alice", "/v2/user/me/roles", 204},
		{"lapsed", "/v2/user/me/roles", 204},
	} {
		header := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(c.key+":secret:of:"+c.key))
		got := h.mustSend(request{method: "GET", path: c.path, headers: []string{header}})
		if c.status == 403 {
			h.wantError(got, 403, codeAdministrativeKey, "")
		} else if got.StatusCode != c.status {
			t.Errorf("%s as %s: got %d %s", c.path, c.key, got.StatusCode, got.body)
		}
	}
}

func TestAFaultOfTheAuthenticatorIsNoFailedLogin(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/x", handler: nothing})
	h.auth.fault = errors.New("bug")
	for range 30 {
		h.wantError(h.mustSend(request{method: "GET", path: "/v2/x"}), 500, codeInternal, "")
	}
	h.auth.fault = nil
	if got := h.mustSend(request{method: "GET", path: "/v2/x"}); got.StatusCode != 204 {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}
