package api_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"signet/internal/api"
)

func site(of string) option {
	return func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", of) }
}

func origin(of string) option {
	return func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", of) }
}

func TestACookieCountsForPagesOfTheServersOwnOnly(t *testing.T) {
	t.Parallel()
	const cors = "https://app.example.com"
	c := startClinic(t, func(f *figures) { f.origins = []string{cors} })
	c.mustHavePassword(c.alice)
	message := c.bob.mustAttach(c.alice.token, "a.txt", "text/plain", []byte("x"))
	alice := c.alice.mustSignIn()
	bare := func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") }
	navigation := func(of string) option {
		return func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", of)
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}
	}
	framed := func(r *http.Request) { navigation("none")(r); r.Header.Set("Sec-Fetch-Dest", "iframe") }
	twice := func(r *http.Request) { r.Header.Add("Sec-Fetch-Site", "same-origin") }
	https := "https" + strings.TrimPrefix(c.url, "http")
	for _, from := range []struct {
		name             string
		how              option
		read, file, send int // statuses
	}{
		{"the server's own page", site("same-origin"), 200, 200, 204},
		{"its own origin", origin(c.url), 200, 200, 204},
		{"its origin by another scheme", origin(https), 401, 401, 401},
		{"no page", bare, 401, 401, 401},
		{"a page of the same site", site("same-site"), 401, 401, 403},
		{"a foreign page", site("cross-site"), 401, 401, 403},
		{"a foreign origin", origin("https://evil.example"), 401, 401, 403},
		{"no origin", origin("null"), 401, 401, 403},
		{"a configured origin", origin(cors), 401, 401, 401},
		{"the address bar, unless it goes there", site("none"), 401, 401, 401},
		{"the address bar", navigation("none"), 401, 200, 401},
		{"a link of the same site", navigation("same-site"), 401, 200, 403},
		{"a frame", framed, 401, 401, 401},
		{"two headers", twice, 401, 401, 401},
	} {
		for _, call := range []struct {
			what string
			got  *answer
			want int
		}{
			{"reading", alice.get("/v2/user", from.how), from.read},
			{"a file", alice.get("/v2/message/"+message+"/attachment/1", from.how), from.file},
			{"sending", alice.post("/v2/message", fields{"recipient": "bob", "body": "x"}, from.how), from.send},
		} {
			if call.got.StatusCode != call.want {
				t.Errorf("%s from %s: got %d %s, want %d", call.what, from.name, call.got.StatusCode, call.got.content,
					call.want)
			}
			if set := call.got.Header["Set-Cookie"]; set != nil {
				t.Errorf("%s from %s: set %q", call.what, from.name, set)
			}
		}
	}
	// Nobody is signed in by a foreign page, as somebody else: not even by one that may call.
	for _, from := range []option{origin(cors), origin("https://evil.example"), site("same-site"), site("cross-site")} {
		c.anyone().post("/v2/session", fields{"username": "alice", "password": password}, from).
			wantError(403, "origin_refused")
		alice.delete("/v2/session", from).wantError(403, "origin_refused")
	}
	alice.get("/v2/session").want(200)
}

func TestACookieStandsBesideNoOtherCredentials(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	basic := func(p *person) option { return func(r *http.Request) { r.SetBasicAuth(p.key, p.secret) } }
	alice.get("/v2/user", basic(c.bob)).reply().wantFields(fields{"token": c.bob.token})
	alice.get("/v2/user", basic(c.bob.with(c.bob.key, "wrong"))).wantError(401, "credentials_invalid")
	alice.get("/v2/user", header("Authorization", "Bearer x")).wantError(401, "credentials_invalid")
	query := func(p *person) string {
		return "/v2/events?auth_basic=" + base64.URLEncoding.EncodeToString([]byte(p.key+":"+p.secret))
	}
	c.carl.mustSend(c.bob.token, "for bob")
	if got := alice.get(query(c.bob)).reply().list(); len(got) == 0 {
		t.Error("the query does not go before the cookie")
	}
	alice.get(query(c.bob.with(c.bob.key, "wrong"))).want(401)
	alice.get("/v2/session", basic(c.alice)).wantError(404, "session_missing")
	alice.delete("/v2/session", basic(c.alice)).wantError(404, "session_missing")
	alice.get("/v2/session").want(200)

	// The secret of a cookie opens nothing else, and no other secret opens as a cookie.
	_, value, _ := strings.Cut(alice.cookie, "=")
	key, secret, _ := strings.Cut(value, ".")
	c.alice.with(key, secret).get("/v2/user").wantError(401, "credentials_invalid")
	c.alice.with(key, secret).post("/v5/login", nil).want(401)
	c.alice.with(key, secret).post("/v2/session", nil).want(401)
	other := *alice
	for _, value := range []string{c.alice.key + "." + c.alice.secret, key + "." + c.alice.secret, key, "", ".",
		value + "x",
		`"` + value + `"`, value + "; " + c.cookieName() + "=" + value, strings.ToLower(value)} {
		other.cookie = c.cookieName() + "=" + value
		other.wantSignedOut()
	}
	for _, cookie := range []string{"__Host-signet=" + value, "signet-session=" + value, "signet-session-80=" + value,
		"session=" + value, "=" + value} {
		other.cookie = cookie
		other.get("/v2/user").wantError(401, "credentials_missing")
	}
	// It is nobody's but an account's that reads it: rotating it would give it to others.
	c.operator.post(c.alice.path("/key/"+key+"/rotate"), nil).wantError(403, "not_allowed")
	alice.get("/v2/session").want(200)
}

func TestStreamsAndFilesByCookieAlone(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	source := alice.openStream("features=heartbeat_60")
	// A browser sends the origin with the handshake of a WebSocket, and some nothing else.
	socket, send := alice.openSocket("", origin(c.url))
	alice.do("POST", "/v2/user/me/settings", parts(nil, file{"avatar", "a.png", "", picture})).want(204)
	message := c.bob.mustAttach(c.alice.token, "a.txt", "text/plain", []byte("hello"))
	source.nextOf("message")
	event := socket.nextOf("message")
	send(`{"ack":["` + event.id + `"]}`)
	told := c.bob.openStream("")
	told.nextOf("message:status")
	if got := alice.get("/v2/message/" + message + "/attachment/1").want(200); string(got.content) != "hello" {
		t.Errorf("the attachment is %q", got.content)
	}
	avatar := alice.get("/v2/user").reply().text("avatar")
	alice.get(strings.TrimPrefix(avatar, c.url)).want(200)
	alice.get(strings.TrimPrefix(avatar, c.url), header("Range", "bytes=0-1")).want(206)
}

func TestTheCookieByHTTPS(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.tls = true })
	c.mustHavePassword(c.alice)
	in := c.anyone().post("/v2/session", fields{"username": "alice", "password": password}, origin(c.url)).want(204)
	set := in.Header["Set-Cookie"]
	if len(set) != 1 || !strings.HasPrefix(set[0], "__Host-signet-"+c.port()+"=") ||
		!strings.HasSuffix(set[0], "; Path=/; HttpOnly; Secure; SameSite=Strict") || strings.Contains(set[0], "Domain") {
		t.Fatalf("set %q", set)
	}
	alice := c.alice.byCookie(in)
	alice.get("/v2/session").want(200)
	alice.get("/v2/session", origin(c.url)).want(200)
	alice.get("/v2/session", origin("http"+strings.TrimPrefix(c.url, "https"))).want(204) // nobody's
	plain := *alice
	plain.cookie = "signet-session" + strings.TrimPrefix(alice.cookie, "__Host-signet")
	plain.get("/v2/session").want(204)
	alice.delete("/v2/session").want(204)
	alice.wantSignedOut()
}

func TestASessionTakesHTTPS(t *testing.T) {
	t.Parallel()
	way := api.Loopback
	c := startClinic(t, func(f *figures) { f.way = func(*http.Request) api.Way { return way } })
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	way = api.Plain
	c.anyone().post("/v2/session", fields{"username": "alice", "password": password}).wantError(403, "https_required")
	c.alice.post("/v2/session", nil).wantError(403, "https_required")
	alice.get("/v2/session").want(204)
	c.alice.get("/v2/user").want(200)
}
