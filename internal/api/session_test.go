package api_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"signet/internal/api"
	"signet/internal/model"
	"signet/internal/store"
)

// password is that of whoever has a session in these tests.
const password = "correct horse"

// mustHavePassword gives an account its password.
func (s *server) mustHavePassword(p *person) {
	s.t.Helper()
	s.operator.post(p.path("/password"), fields{"password": password}).want(204)
}

// byCookie returns the account as its browser calls after this answer, which set a cookie.
func (p *person) byCookie(a *answer) *person {
	p.t.Helper()
	set := a.Cookies()
	if len(set) != 1 || set[0].Value == "" {
		p.t.Fatalf("%s: set the cookies %v, want one", a.what, a.Header["Set-Cookie"])
	}
	other := p.with("", "")
	other.cookie = set[0].Name + "=" + set[0].Value
	return other
}

// port is where the server listens.
func (s *server) port() string {
	s.t.Helper()
	u, err := url.Parse(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	return u.Port()
}

// cookieName is the name of its sessions' cookie by plain HTTP.
func (s *server) cookieName() string { return "signet-session-" + s.port() }

// mustSignIn starts a session with the password.
func (p *person) mustSignIn(options ...option) *person {
	p.t.Helper()
	return p.byCookie(p.s.anyone().post("/v2/session", fields{"username": p.name, "password": password}, options...).
		want(204))
}

// sessionKey is the name of a session's key.
func (p *person) sessionKey() string {
	_, value, _ := strings.Cut(p.cookie, "=")
	key, _, _ := strings.Cut(value, ".")
	return key
}

// wantSignedOut checks that a call is refused for its session has ended, and that the cookie
// is taken away.
func (p *person) wantSignedOut() {
	p.t.Helper()
	got := p.get("/v2/session").wantError(401, "session_ended")
	name, _, _ := strings.Cut(p.cookie, "=")
	if set := got.Cookies(); len(set) != 1 || set[0].Name != name || set[0].Value != "" || set[0].MaxAge >= 0 {
		p.t.Errorf("%s: set the cookies %v, want it taken away", got.what, got.Header["Set-Cookie"])
	}
	if _, asks := got.Header["Www-Authenticate"]; asks {
		p.t.Errorf("%s: a browser is asked for a password", got.what)
	}
}

// site is how a browser says from where a request is made.
func TestASession(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	for name, signIn := range map[string]func() *answer{
		"by a body": func() *answer {
			return c.anyone().post("/v2/session", fields{"username": "ALICE", "password": password})
		},
		"by a form": func() *answer {
			return c.anyone().do("POST", "/v2/session", form("username", "alice@example.com", "password", password))
		},
		"by Basic with the password": func() *answer { return c.alice.with("alice", password).post("/v2/session", nil) },
		"by Basic with a key":        func() *answer { return c.alice.post("/v2/session", nil) },
	} {
		in := signIn().want(204)
		set := in.Header["Set-Cookie"]
		const attributes = "; Path=/; HttpOnly; SameSite=Strict"
		if len(set) != 1 || !strings.HasPrefix(set[0], c.cookieName()+"=") || !strings.HasSuffix(set[0], attributes) ||
			strings.Contains(set[0], "Max-Age") || strings.Contains(set[0], "Domain") {
			t.Fatalf("%s: set %q", name, set)
		}
		alice := c.alice.byCookie(in)
		session := alice.get("/v2/session").reply()
		session.wantFields(fields{"operator": false, "administrator_of": []string{}})
		session.at("account").wantFields(fields{"token": c.alice.token})
		session.wantFields(fields{"limits": fields{"attachment_bytes": 25 << 20, "message_bytes": 64 << 10}})
		alice.get("/v2/user").reply().wantFields(fields{"token": c.alice.token})
		alice.post("/v2/message", fields{"recipient": "bob", "body": "x"}).want(204)
		alice.post("/v2/organization", fields{"name": "N"}).wantError(403, "administrative_key_required")

		out := alice.delete("/v2/session").want(204)
		if set := out.Cookies(); len(set) != 1 || set[0].MaxAge >= 0 || set[0].Value != "" {
			t.Errorf("%s: signing out set %v", name, out.Header["Set-Cookie"])
		}
		alice.wantSignedOut()
	}
	c.alice.get("/v2/user").want(200)
}

// A session is refused like any sign-in, and a stranger learns nothing by it.
func TestSigningInToASessionFails(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	signIn := func(f fields, options ...option) *answer { return c.anyone().post("/v2/session", f, options...) }
	unknown := signIn(fields{"username": "nobody", "password": password}).wantError(401, "credentials_invalid")
	wantSameAnswer(signIn(fields{"username": "alice", "password": "wrong"}).want(401), unknown)
	wantSameAnswer(signIn(fields{"username": "bob", "password": "x"}).want(401), unknown) // has no password
	for _, missing := range []fields{nil, {}, {"username": "alice"}, {"password": password}} {
		signIn(missing).wantError(401, "credentials_missing")
	}
	for _, wrong := range []any{7, []string{"alice"}} {
		signIn(fields{"username": wrong, "password": password}).wantError(400, "field_invalid").wantField("username")
	}
	c.anyone().do("POST", "/v2/session", body("text/plain", strings.NewReader("x"))).wantError(415,
		"content_type_unsupported")
	c.anyone().do("POST", "/v2/session", body("application/json", strings.NewReader(strings.Repeat(" ", 8<<10+1)))).
		wantError(413, "body_too_large")
	if set := unknown.Header["Set-Cookie"]; set != nil {
		t.Errorf("a failed sign-in set %q", set)
	}
	// Who comes without a session is known, and has none.
	c.alice.get("/v2/session").wantError(404, "session_missing")
	c.alice.delete("/v2/session").wantError(404, "session_missing")
	c.anyone().delete("/v2/session").wantError(401, "credentials_missing")
	// That nobody is signed in is no refusal, which a browser would note as an error.
	nobody := c.anyone().get("/v2/session").want(204)
	if len(nobody.content) > 0 || nobody.Header["Set-Cookie"] != nil {
		t.Errorf("nobody's session is %q with the cookies %q", nobody.content, nobody.Header["Set-Cookie"])
	}
	c.alice.with("alice", "wrong").get("/v2/session").wantError(401, "credentials_invalid")
}

func TestSigningInToASessionIsMetered(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader, func(f *figures) {
		f.api.RequestsPerSecond, f.api.Burst, f.api.FailedLoginsPerMinute = 10, 5, 2
		f.way = func(*http.Request) api.Way { return api.Loopback }
	})
	c.clock.Advance(time.Minute)
	c.mustHavePassword(c.alice)
	for range 5 {
		c.alice.mustSignIn(at("192.0.2.9"))
	}
	c.anyone().post("/v2/session", fields{"username": "alice", "password": password}, at("192.0.2.9")).
		wantError(429, "rate_limited")
	for range 2 {
		c.anyone().post("/v2/session", fields{"username": "alice", "password": "guess"}).want(401)
	}
	for _, tried := range []string{"guess", password} {
		c.anyone().post("/v2/session", fields{"username": "alice", "password": tried}).wantError(429, "too_many_failures")
	}
	// Old cookies are no guesses: those of a whole ward do not keep it from signing in.
	c.clock.Advance(time.Minute)
	old := c.alice.mustSignIn()
	old.delete("/v2/session").want(204)
	for range 5 {
		old.wantSignedOut()
	}
	c.alice.mustSignIn()
}

// The cookie counts for pages of the server's own, and going to a file; for nothing else.
// A cookie beside other credentials counts for nothing, whatever becomes of these.
// lastEvent is the newest event of a queue, behind which nothing waits.
func (s *server) lastEvent(p *person) string {
	s.t.Helper()
	all := p.get("/v2/events?limit=1000").reply().list()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].text("event_id")
}

// After 12 hours without a call, and 30 days at most, whatever is called.
// A session that is used by way of one server and not of another is idle on neither: a use
// after a long time is written at once.
// A password that an administrator set gives a session for its organization alone.
func TestASessionHasTheScopeOfItsSignIn(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	dora := h.other.mustCreate(h.two, "dora")
	h.other.post(dora.path("/password"), fields{"password": password}).want(204)
	h.operator.post(dora.path("/organization"), fields{"organization": h.one}).want(204)
	for _, org := range []string{h.one, h.two} {
		h.operator.post(dora.path("/organization/"+org+"/roles/admin"), nil).want(204)
	}
	session := dora.mustSignIn().get("/v2/session").reply()
	session.wantFields(fields{"administrator_of": []string{h.two}})
	dora = dora.withKey(h.operator.post(dora.path("/key"), nil).reply())
	dora.byCookie(dora.post("/v2/session", nil).want(204)).get("/v2/session").reply().wantFields(
		fields{"administrator_of": []string{h.two, h.one}})
	h.operator.byCookie(h.operator.post("/v2/session", nil).want(204)).get("/v2/session").reply().wantFields(
		fields{"operator": true})
}

// A person sees on which devices it is signed in, and ends what it does not know.
func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	agent := header("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0")
	desk, other := c.alice.mustSignIn(agent), c.alice.mustSignIn(header("User-Agent", "evil/1.0 <script>"))
	c.signIn("alice", password, "phone-7").want(200)
	devices := map[string]value{}
	for _, k := range desk.get("/v2/user/me/key").reply().list() {
		if k.has("device") {
			devices[k.at("device").text()] = k
		}
	}
	if len(devices) != 3 || !devices["phone-7"].has("created_time") || devices["phone-7"].has("session") {
		t.Fatalf("the devices are %v", devices)
	}
	devices["Firefox on Linux"].wantFields(fields{"api_key": desk.sessionKey(), "session": true, "current": true})
	devices["Browser"].wantFields(fields{"api_key": other.sessionKey(), "session": true})
	if devices["Browser"].has("current") {
		t.Error("two sessions are the one that asks")
	}
	desk.delete("/v2/user/me/key/" + other.sessionKey()).want(204)
	other.wantSignedOut()
	desk.get("/v2/session").want(200)
}

// A browser may be used by everybody on a ward: its sessions count among the keys, and the
// oldest makes room.
func TestASessionCountsAsAKeyOfASignIn(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.mustHavePassword(c.alice)
	first := c.alice.mustSignIn()
	c.clock.Advance(time.Second)
	for range 98 {
		c.alice.post("/v2/user/me/key", nil).reply()
	}
	c.alice.post("/v2/user/me/key", nil).wantError(400, "too_many_keys")
	second := c.alice.mustSignIn()
	first.wantSignedOut()
	// A sign-in of a device takes no session's place, whatever that is called.
	c.clock.Advance(time.Second)
	c.bob.post("/v5/login", fields{"device_id": "Browser"}).reply()
	second.get("/v2/session").want(200)
	c.clock.Advance(12*time.Hour + time.Second)
	c.alice.post("/v2/user/me/key", nil).reply() // an idle one counts no more
}

// What somebody issues with a session for itself ends with that; what it gives others lasts.
// By HTTPS the cookie has the prefix with which a browser takes it from this very host.
// There is no session where its cookie would cross a network in clear.
// A sign-in and its end have lines in the audit log.
func TestSessionsAreAudited(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	c.mustHavePassword(c.alice)
	alice := c.alice.mustSignIn()
	alice.delete("/v2/session").want(204)
	for _, action := range []string{"login", "logout"} {
		lines := admin.get("/v2/organization/" + c.org + "/audit?action=" + action).reply().list()
		if len(lines) != 1 {
			t.Fatalf("there are %d lines of %s", len(lines), action)
		}
		lines[0].wantFields(fields{"on_account": c.alice.token, "on_key": alice.sessionKey(), "outcome": "ok"})
	}
}

// Those who are slow to say who they are hold up no others.
func TestSlowSignInsAreFew(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader, func(f *figures) {
		f.way = func(*http.Request) api.Way { return api.Loopback }
	})
	c.mustHavePassword(c.alice)
	var slow []sending
	var writers []*io.PipeWriter
	for range 32 {
		content, writer := io.Pipe()
		writers = append(writers, writer)
		slow = append(slow, c.anyone().start("POST", "/v2/session", body("application/json", content),
			header("Expect", "100-continue")))
	}
	for _, writer := range writers { // the server asks for the body when it reads it
		if _, err := io.WriteString(writer, "{"); err != nil {
			t.Fatal(err)
		}
	}
	attempt := func(options ...option) *answer {
		return c.anyone().post("/v2/session", fields{"username": "nobody", "password": "x"}, options...)
	}
	attempt().wantError(503, "too_many_bodies").wantHeader("Retry-After", "1")
	attempt(at("203.0.113.7")).want(401)
	c.alice.with("alice", password).post("/v2/session", nil).want(204)
	c.alice.get("/v2/user").want(200)
	for i, writer := range writers {
		_, _ = io.WriteString(writer, `"username":"alice","password":"`+password+`"}`)
		_ = writer.Close()
		slow[i].answer().want(204)
	}
	attempt().want(401)
}

// mustReadKey reads a key of the store.
func (s *server) mustReadKey(name string) (k model.Key, found bool) {
	s.t.Helper()
	err := s.store.View(s.t.Context(), func(tx *store.Tx) (err error) {
		k, found, err = tx.Key(name)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return k, found
}

// A limit that the operator has turned off is not told to pages as one of 0.
func TestASessionTellsOfNoLimitThatThereIsNot(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.AttachmentBytes, f.service.MessageBytes = 0, 1000 })
	c.mustHavePassword(c.alice)
	alice := c.alice.byCookie(c.alice.post("/v2/session", nil).want(204))
	alice.get("/v2/session").reply().wantFields(fields{"limits": fields{"message_bytes": 1000}})
}
