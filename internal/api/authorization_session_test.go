package api_test

import (
	"maps"
	"signet/internal/testenv"
	"strconv"
	"strings"
	"testing"
)

// bySession are the routes that answer a session otherwise than the key that it came from,
// in the columns of the matrix from the stranger on.
var bySession = map[string]string{
	"POST /v2/login":   all("401"), // these take credentials, and no cookie
	"POST /v5/login":   all("401"),
	"POST /v2/session": all("401"),

	"GET /v2/session":            "204 401 401 " + all("200"),
	"DELETE /v2/session":         all("204"),
	"POST /v2/session/elevate":   all("403"), // with a wrong password
	"DELETE /v2/session/elevate": all("204"),

	// Sessions that open more than the organization are not elevated by its provider, at which nobody answers.
	"POST /v2/session/oidc/:provider/elevate": "403 403 503 503 503 503 403 403",
	"POST /v2/user/me/passkey/begin":          all("200"), // signed in to a moment ago
	"POST /v2/user/me/passkey/finish":         all("400"),
	"POST /v2/session/passkey/begin":          "200 200 200 " + all("400"), // there is none
	"POST /v2/session/passkey/finish":         "400 400 400 " + all("400"), // no passkey signs it
	"DELETE /v2/user/:user/passkey/:passkey":  "404 404 403 403 403 204 204 204",

	"GET /v2/user/:user/export": "404 404 403 403 403 403 200 200", // not with a browser that stands open

	// A session that is not elevated rotates no key that lasts longer.
	"POST /v2/user/:user/key/:key/rotate": "404 404 403 403 403 403 200 200",
}

// TestAuthorizationMatrixBySession: a session that is elevated may do what an administrative
// key may, and one that is not what a regular one may.
func TestAuthorizationMatrixBySession(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	keys := m.callers
	session := func(column int) *person {
		t.Helper()
		key := keys[column]
		switch callerNames[column] {
		case "no credentials":
			return key
		case "wrong secret":
			p := m.member.byCookie(m.member.post("/v2/session", nil).want(204))
			_, secret, _ := strings.Cut(m.sender.byCookie(m.sender.post("/v2/session", nil).want(204)).cookie, ".")
			name, _, _ := strings.Cut(p.cookie, "=")
			p.cookie = name + "=" + p.sessionKey() + "." + secret
			return p
		case "revoked key":
			p := m.member.byCookie(m.member.post("/v2/session", nil).want(204))
			p.delete("/v2/session").want(204)
			return p
		}
		p := key.byCookie(key.post("/v2/session", nil).want(204))
		if strings.Contains(callerNames[column], "administrator") || key == m.operator {
			p = p.byCookie(p.post("/v2/session/elevate", nil, beside(key)).want(204))
		}
		return p
	}
	m.callers = make([]*person, len(keys))
	before := make([]string, len(keys))
	standing := func(p *person, before string) bool {
		return p != nil && before != "" && string(p.get("/v2/session").content) == before
	}
	for _, r := range rules {
		want := strings.Fields(r.want)
		if other := bySession[r.route]; other != "" {
			want = strings.Fields(other)
			r.public = len(want) == len(callerNames)
		}
		if !r.public {
			want = append([]string{"401", "401", "401"}, want...)
		}
		for i := range keys { // a call may have ended one, its elevation, or changed what it may do
			if !standing(m.callers[i], before[i]) {
				m.callers[i] = session(i)
				before[i] = string(m.callers[i].get("/v2/session").content)
			}
		}
		for column, status := range want {
			n, err := strconv.Atoi(status)
			if err != nil {
				t.Fatal(err)
			}
			m.check(r, column, n)
		}
	}
	m.wantNothingAdministrative()
}

// wantNothingAdministrative calls by sessions that are not elevated: as regular keys, they may do
// nothing that takes an administrative one.
func (m *matrix) wantNothingAdministrative() {
	m.t.Helper()
	for _, r := range rules {
		if !strings.HasPrefix(r.want, "403 40") || !strings.Contains(r.want, "403 403 403 ") {
			continue
		}
		for _, key := range []*person{m.boss, m.operator} {
			p := key.byCookie(key.post("/v2/session", nil).want(204))
			x := maps.Clone(m.standing)
			if r.fresh != nil {
				maps.Copy(x, r.fresh(m))
			}
			if got := r.call(p, x); got.StatusCode != 403 {
				m.t.Errorf("%s by a session of %s that is not elevated: got %d %s", r.route, key.name, got.StatusCode, got.content)
			}
		}
	}
}
