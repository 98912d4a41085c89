package app_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/descope/virtualwebauthn"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/testenv"
)

// browser keeps the cookie of a session, and calls several servers with it as if they were behind one address.
type browser struct {
	t      *testing.T
	http   map[*apptest.Server]*http.Client
	cookie string // what the cookie holds
}

func newBrowser(t *testing.T) *browser {
	return &browser{t: t, http: map[*apptest.Server]*http.Client{}}
}

// send calls a server with a JSON body. A new cookie takes the place of the one of before.
func (b *browser) send(s *apptest.Server, method, path string, body any) apptest.Answer {
	b.t.Helper()
	r := apptest.Request{Method: method, Target: "/v2" + path, Header: [][2]string{{"Sec-Fetch-Site", "same-origin"}}}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		r.Body, r.Header = string(text), append(r.Header, [2]string{"Content-Type", "application/json"})
	}
	address, err := url.Parse(s.Address())
	if err != nil {
		b.t.Fatal(err)
	}
	name := "signet-session-" + address.Port()
	if b.cookie != "" {
		r.Header = append(r.Header, [2]string{"Cookie", name + "=" + b.cookie})
	}
	if b.http[s] == nil {
		b.http[s] = s.NewHTTPClient()
	}
	got := s.MustSend(b.t, b.http[s], r)
	for _, set := range (&http.Response{Header: got.Header}).Cookies() {
		if set.Name == name {
			b.cookie = set.Value
		}
	}
	return got
}

// must is send that has to be answered with a status.
func (b *browser) must(status int, s *apptest.Server, method, path string, body any) apptest.Answer {
	b.t.Helper()
	got := b.send(s, method, path, body)
	if got.Status != status {
		b.t.Fatalf("%s %s: %d %s, want %d", method, path, got.Status, got.Body, status)
	}
	return got
}

// asked is what a begin has to have asked for.
func (b *browser) asked(s *apptest.Server, path string) string {
	b.t.Helper()
	var out struct{ Reply json.RawMessage }
	if err := json.Unmarshal([]byte(b.must(200, s, "POST", path, nil).Body), &out); err != nil {
		b.t.Fatal(err)
	}
	return string(out.Reply)
}

// signed is the answer of a device.
func signed(t *testing.T, party virtualwebauthn.RelyingParty, device virtualwebauthn.Authenticator,
	passkey *virtualwebauthn.Credential, asked string) map[string]json.RawMessage {
	t.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(asked)
	if err != nil {
		t.Fatal(err)
	}
	passkey.Counter++
	answer := virtualwebauthn.CreateAssertionResponse(party, device, *passkey, *options)
	return map[string]json.RawMessage{"credential": json.RawMessage(answer)}
}

// What one server asks for, another one takes, and only one of all: also what is answered twice at once. A requirement
// of a second factor holds on all of them within a second.
func TestServersTakeAChallengeOnce(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, 2, "", func(cfg *config.Config) { cfg.BaseURL = "https://chat.example.com" })
	one, other := c.nodes[0], c.nodes[1]
	const password = "correct horse battery"
	for _, p := range []*apptest.Person{c.Alice, c.Bob} {
		if err := c.Operator.Client.SetPassword(t.Context(), p.Token, "", password); err != nil {
			t.Fatal(err)
		}
	}
	party := virtualwebauthn.RelyingParty{ID: "chat.example.com", Origin: "https://chat.example.com"}
	device, passkey := virtualwebauthn.NewAuthenticator(), newCredential()
	alice := newBrowser(t)
	signIn := func(b *browser, at *apptest.Server, p *apptest.Person) {
		t.Helper()
		b.must(204, at, "POST", "/session", map[string]string{"username": p.Token, "password": password})
	}
	signIn(alice, one, c.Alice)
	options, err := virtualwebauthn.ParseAttestationOptions(alice.asked(one, "/user/me/passkey/begin"))
	if err != nil {
		t.Fatal(err)
	}
	device.Options.UserHandle = []byte(options.UserID)
	made := virtualwebauthn.CreateAttestationResponse(party, device, passkey, *options)
	alice.must(200, other, "POST", "/user/me/passkey/finish", map[string]json.RawMessage{"credential": []byte(made)})

	for range 10 {
		asked := newBrowser(t).asked(one, "/session/passkey/begin")
		answer := signed(t, party, device, &passkey, asked)
		statuses := make(chan int, len(c.nodes))
		for _, node := range c.nodes {
			b := newBrowser(t)
			go func() { statuses <- b.send(node, "POST", "/session/passkey/finish", answer).Status }()
		}
		if a, b := <-statuses, <-statuses; a+b != 204+401 {
			t.Fatalf("two servers answered %d and %d", a, b)
		}
	}

	// Who is signed in by a password on one server hears of a requirement that another one was told.
	bob := newBrowser(t)
	signIn(bob, one, c.Bob)
	bob.must(200, one, "GET", "/user", nil)
	required := "required"
	err = other.As(c.Operator).Client.UpdateOrganization(t.Context(), c.Organization,
		client.OrganizationSettings{SecondFactor: &required})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the password is not enough", func() bool {
		got := bob.send(one, "GET", "/user", nil)
		return got.Status == 403 && strings.Contains(got.Body, "second_factor_required")
	})

	// Begun on one server, finished on another, used on it while the first is gone.
	fresh := newBrowser(t)
	signIn(fresh, one, c.Alice)
	asked := fresh.asked(one, "/session/passkey/begin")
	one.Stop()
	fresh.must(204, other, "POST", "/session/passkey/finish", signed(t, party, device, &passkey, asked))
	fresh.must(200, other, "GET", "/user", nil)
}

// newCredential makes a passkey. The library writes coordinates of keys without the zeros at their beginning, which no
// authenticator leaves out: it makes another one then, as of 1 key in 128.
func newCredential() virtualwebauthn.Credential {
	const whole = 77 // bytes of a public key
	for {
		c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}
