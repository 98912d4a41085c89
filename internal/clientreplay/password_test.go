package clientreplay

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/testenv"
)

// basicHeader and simpleHeader are the two ways in which clients send a password.
func basicHeader(user, password string) [2]string {
	return [2]string{"Authorization", "Basic " + encode64(user+":"+password)}
}

func simpleHeader(user, password string) [2]string {
	return [2]string{"Authorization", "XMPP-Simple " + encode64("product:"+user+":"+password)}
}

func encode64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// send sends a JSON body with credentials of its own.
func (s *story) send(method, target string, credentials [2]string, body string) apptest.Answer {
	s.t.Helper()
	return s.cast.MustSend(s.t, s.http, apptest.Request{Method: method, Target: target, Body: body,
		Header: [][2]string{credentials, {"Content-Type", "application/json"}}})
}

// TestGuessingPasswordsIsHeldBack: for a user, and in whichever way the guesses
// come; what the limit refuses tells nothing of the user or of the guess.
func TestGuessingPasswordsIsHeldBack(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const limit = 2
	server := apptest.Start(t, func(cfg *config.Config) { cfg.Limits.FailedLoginsPerMinute = limit })
	s := newClient(t, server.People(), alice)
	s.must(s.cast.Operator.Client.SetPassword(t.Context(), s.me.Token, "", s.password))

	wrong := want{status: 401, code: "credentials_invalid"}
	tooMany := want{status: 429, code: "too_many_failures", header: map[string]string{"Retry-After": "<any seconds>"}}
	signIn := func(w want, user, password string) {
		t.Helper()
		s.where = "a sign-in of " + user
		s.wantAnswer(w, s.send("POST", "/v2/login", simpleHeader(user, password), `{"device_id":"d"}`))
	}
	for _, user := range []string{"alice", "nobody"} {
		for range limit {
			signIn(wrong, user, "guess")
		}
		signIn(tooMany, user, "guess")
	}
	signIn(tooMany, "alice", s.password) // a right guess looks like a wrong one
	// The other sign-in counts together with the first, and so does a password in
	// place of a secret.
	s.where = "the other sign-in"
	s.wantAnswer(tooMany, s.send("POST", "/v5/login", basicHeader("alice", s.password), `{}`))
	s.where = "a call"
	s.wantAnswer(tooMany, s.send("GET", "/v2/user", basicHeader("alice", s.password), ""))
	// Nobody else is held back, nor is the account's own key.
	signIn(wrong, "bob", "guess")
	s.ask("GET", "/v2/user", "", want{status: 200, reply: aliceShape})

	// A key is no way to guess the password of its account.
	for range limit {
		s.ask("POST", "/v2/user/me/password", `{"old_password":"guess","password":"a new password"}`,
			want{status: 403, code: "old_password_wrong"})
	}
	s.ask("POST", "/v2/user/me/password", `{"old_password":"`+s.password+`","password":"a new password"}`, tooMany)
	s.ask("POST", "/v2/user/me/key", `{"kind":"administrative","password":"`+s.password+`"}`, tooMany)
	s.ask("POST", "/v2/user/me/key/"+s.me.Key+"/rotate", `{"password":"`+s.password+`"}`, tooMany)
	s.ask("POST", "/v2/user/me/key", `{}`,
		want{status: 200, reply: `{"api_key":"<k>","api_secret":"<s>","kind":"regular","created_time":` + someTime + `}`})
}

// The canaries: passwords that can be found again wherever they get to.
const (
	canary    = "Canary-7f31c0ffee"
	newCanary = "Canary-8e42c0ffee"
)

// TestPasswordsLeaveNoTrace sends passwords in every way in which they come,
// right and wrong, well-formed and not, and looks for them in the log, in what is
// answered and in what is stored.
func TestPasswordsLeaveNoTrace(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	var dir string
	server := apptest.Start(t, func(cfg *config.Config) {
		dir = cfg.Data
		cfg.Limits.FailedLoginsPerMinute = 5
	})
	s := newClient(t, server.People(), alice)
	me := "/v2/user/" + s.me.Token
	own := basicHeader(s.me.Key, s.me.Secret)
	admin := basicHeader(s.cast.Dana.Key, s.cast.Dana.Secret)
	inOrg := "?TT-X-Organization-Key=" + s.cast.Organization
	password := func(value string) string {
		return `{"password":"` + value + `","old_password":"` + canary + `","kind":"administrative"}`
	}

	for _, sent := range []struct {
		method, target string
		credentials    [2]string
		body           string
		status         int
	}{
		{"POST", "/v2/user" + inOrg, admin, `{"username":"erin","password":"` + canary + `"}`, 200},
		{"POST", "/v2/user" + inOrg, admin, `{"username":"erin","password":"` + canary + `"}`, 400},
		{"POST", "/v2/user" + inOrg, own, `{"username":"finn","password":"` + canary + `"}`, 403},
		{"POST", me + "/password", admin, `{"password":"` + canary + `"}`, 204},
		{"POST", "/v2/login", simpleHeader("alice", canary), `{"device_id":"d"}`, 200},
		{"POST", "/v2/login", simpleHeader("alice", newCanary), `{"device_id":"d"}`, 401},
		{"POST", "/v2/login", simpleHeader("nobody", canary), `{"device_id":"d"}`, 401},
		{"POST", "/v2/login", simpleHeader(canary, canary), `{"device_id":"d"}`, 401},
		{"POST", "/v2/login", [2]string{"Authorization", "XMPP-Simple " + encode64("product:"+canary)}, `{}`, 401},
		{"POST", "/v2/login", [2]string{"Authorization", "XMPP-Simple " + canary}, `{}`, 401},
		{"POST", "/v2/login", [2]string{"Authorization", canary}, `{}`, 401},
		{"POST", "/v2/login", basicHeader("alice", canary), `{}`, 401},
		{"POST", "/v2/login", simpleHeader("alice", canary), `{"device_id":["` + canary + `"]}`, 400},
		{"POST", "/v2/login", simpleHeader("alice", canary), `{"password":"` + canary, 400},
		{"POST", "/v5/login", basicHeader("alice", canary), `{"device_id":"d"}`, 200},
		{"POST", "/v5/login", basicHeader("alice", newCanary), `{"device_id":"d"}`, 401},
		{"POST", "/v5/login", basicHeader("nobody", canary), `{"device_id":"d"}`, 401},
		{"POST", "/v5/login", basicHeader(s.me.Key, canary), `{"device_id":"d"}`, 401},
		{"GET", "/v2/user", basicHeader("alice", canary), "", 401},
		{"GET", "/v2/events?auth_basic=" + url.QueryEscape(encode64("alice:"+canary)),
			[2]string{"Accept", "text/event-stream"}, "", 401},
		{"GET", "/v2/events?password=" + canary, own, "", 200},
		{"POST", me + "/password", own, password("short"), 400},
		{"POST", me + "/password", own, `{"password":["` + canary + `"]}`, 400},
		{"POST", me + "/password", own, `{"password":"` + canary + `"}`, 400},
		{"POST", me + "/password", own, `{"password":"` + canary + `","old_password":"` + newCanary + `"}`, 403},
		{"POST", me + "/password", own, `{"password":"` + canary + `","password":"` + canary + `"}`, 400},
		{"POST", "/v2/user/" + s.cast.Bob.Token + "/password", own, password(canary), 403},
		{"POST", "/v2/user/nobody/password", own, password(canary), 404},
		{"POST", me + "/key", own, password(canary), 200},
		{"POST", me + "/key", own, password(newCanary), 403},
		{"POST", me + "/password", own, password(newCanary), 204},
		{"POST", me + "/" + canary, own, password(canary), 404},
		{"POST", "/v2/login", simpleHeader("alice", newCanary), `{"device_id":"d"}`, 200},
	} {
		a := s.send(sent.method, sent.target, sent.credentials, sent.body)
		if a.Status != sent.status && !(a.Status == 429 && sent.status == 401) {
			t.Errorf("%s %s %s: got %d %s, want %d", sent.method, sent.target, sent.body, a.Status, a.Body, sent.status)
		}
		wantNoCanary(t, "the answer to "+sent.method+" "+sent.target+" "+sent.body, a.Body)
	}
	log := s.cast.Log.String()
	if n := strings.Count(log, "msg=call"); n < 30 {
		t.Errorf("the log has %d lines about calls: it is not what was to be looked at", n)
	}
	wantNoCanary(t, "the log", log)
	wantNoCanaryInFiles(t, dir)
}

// wantNoCanary looks for the passwords, as they are and as they are sent.
func wantNoCanary(t *testing.T, where, text string) {
	t.Helper()
	for _, mark := range canaryMarks() {
		if strings.Contains(text, mark) {
			t.Errorf("%s holds a password as %q: %s", where, mark, text)
		}
	}
}

// canaryMarks is what gives a canary away: itself, and what base64 makes of it
// wherever it stands in a text.
func canaryMarks() []string {
	marks := []string{canary, newCanary}
	for _, password := range []string{canary, newCanary} {
		for _, before := range []string{"", "x", "xx"} {
			coded := base64.RawStdEncoding.EncodeToString([]byte(before + password))
			marks = append(marks, coded[4:len(coded)-2]) // without what its neighbours have a part in
		}
	}
	return marks
}

func wantNoCanaryInFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("Canary-")) {
			t.Errorf("%s holds a password", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
