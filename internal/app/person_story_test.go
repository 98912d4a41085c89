package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/openid/openidtest"
	"signet/internal/passkey/passkeytest"
)

// TestAPersonComesAndLeaves: a directory makes an account, the first sign-in with the provider finds it, a passkey
// follows, and in the middle of an open stream the directory says that the person has left. Two servers take turns; the
// embedded store has one, which takes both of them.
func TestAPersonComesAndLeaves(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		s := apptest.Start(t, atOneAddress, localIssuers, func(cfg *config.Config) { cfg.Database = "" })
		tellOfAPerson(&cluster{Cast: s.People(), t: t, nodes: []*apptest.Server{s, s}})
	})
	bothWays(t, func(t *testing.T, nats string) {
		tellOfAPerson(newCluster(t, 2, nats, atOneAddress, localIssuers))
	})
}

// erin is somebody who comes.
type erin struct {
	c      *cluster
	issuer string
	visit  func(sentTo string) (back string) // plays erin at the provider
	device *passkeytest.Device
	token  string // of the account that the directory made
}

// mustHaveProvider starts a provider that knows erin: zitadel's, as a process, or in the short tests one that needs not
// be built.
func (p *erin) mustHaveProvider() {
	t, back := p.c.t, oneAddress+p.c.oidc()+"/callback"
	if testing.Short() {
		forger := openidtest.NewForger(t, time.Now)
		forger.Says(map[string]any{"sub": "1", "email": "erin@example.com", "email_verified": true,
			"preferred_username": "erin", "name": "Erin Evans"})
		p.issuer, p.visit = forger.URL, forger.Visit
		return
	}
	provider := openidtest.StartReal(t, map[string]openidtest.Person{
		"1": {Username: "erin", Email: "erin@example.com", EmailVerified: true, FirstName: "Erin", LastName: "Evans"},
	}, back)
	p.issuer, p.visit = provider.URL, func(sentTo string) string { return provider.SignIn(t, sentTo, "erin") }
}

func tellOfAPerson(c *cluster) {
	t, one, other := c.t, c.nodes[0], c.nodes[1]
	p := &erin{c: c, device: passkeytest.New(t, oneAddress)}
	p.mustHaveProvider()
	c.mustSetUp(p.issuer) // which may make accounts
	d := newDirectory(t, c.Cast)
	p.token = d.must(one, http.StatusCreated, "POST", "/Users", `{"userName":"erin@example.com","externalId":"e-1",
		"name":{"givenName":"Erin","familyName":"Evans"},"emails":[{"value":"erin@example.com","primary":true}],
		"active":true}`)

	// The first sign-in finds the account, by the address that the provider has verified.
	b := newBrowser(t)
	p.wantIn(b, p.signInByProvider(b, one, other))
	for _, node := range c.nodes {
		if n := metric(t, node, "signet_identity_accounts_total"); n != 0 {
			t.Errorf("%v accounts were made beside the directory's", n)
		}
	}

	// Just signed in, the person makes a passkey, and signs in by it alone from then on.
	made := p.device.Make(t, b.begin(one, "/user/me/passkey/begin"))
	b.must(http.StatusOK, other, "POST", "/user/me/passkey/finish", made)
	b.must(http.StatusNoContent, one, "DELETE", "/session", nil)
	if left := b.cookies[sessionCookie]; left != "" {
		t.Errorf("whoever has signed out keeps the cookie %s", left)
	}
	b = newBrowser(t)
	p.wantPasskey(http.StatusNoContent, b, one, other)
	p.wantOwn(b)

	// An administrative key takes an elevated session, which the passkey makes of it.
	wanted := map[string]string{"kind": "administrative", "organization": c.Organization}
	b.must(http.StatusForbidden, one, "POST", "/user/me/key", wanted)
	p.wantPasskey(http.StatusNoContent, b, other, one)
	key := reply[struct {
		Key    string `json:"api_key"`
		Secret string `json:"api_secret"`
	}](t, b.must(http.StatusOK, other, "POST", "/user/me/key", wanted))
	opens := map[string][][2]string{
		"the session": b.header(other),
		"the key":     {{"Authorization", "Basic " + basic(&apptest.Person{Key: key.Key, Secret: key.Secret})}},
	}
	streams := map[string]*listener{}
	for how, header := range opens {
		streams[how] = c.listenWith(1, header)
		if status := c.call(1, "GET", "/v2/user", header...); status != http.StatusOK { // which the server remembers
			t.Fatalf("%s opens with %d", how, status)
		}
	}

	// One server is told that the person has left, and the other one ends everything.
	d.must(one, http.StatusOK, "PATCH", "/Users/"+p.token, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
		"Operations":[{"op":"Replace","path":"active","value":"False"}]}`)
	told := time.Now()
	for how, header := range opens {
		streams[how].wantEnd()
		after := time.Since(told)
		eventually(t, how+" is refused", func() bool { return c.call(1, "GET", "/v2/user", header...) == 401 })
		if took := time.Since(told); took > within {
			t.Errorf("%s: the stream ended after %v, calls were refused after %v", how, after, took)
		}
	}
	for i, node := range c.nodes {
		p.wantOut(node, c.nodes[1-i])
	}

	// Back again, the person signs in anew; what was ended stays so.
	d.must(other, http.StatusOK, "PATCH", "/Users/"+p.token,
		`{"Operations":[{"op":"Replace","value":{"active":true}}]}`)
	b = newBrowser(t)
	p.wantIn(b, p.signInByProvider(b, other, one))
	b = newBrowser(t)
	p.wantPasskey(http.StatusNoContent, b, other, one)
	p.wantOwn(b)
	for how, header := range opens {
		for i := range c.nodes {
			if status := c.call(i, "GET", "/v2/user", header...); status != http.StatusUnauthorized {
				t.Errorf("%s of before opens with %d", how, status)
			}
		}
	}
}

// signInByProvider begins on one server and comes back to another.
func (p *erin) signInByProvider(b *browser, begun, back *apptest.Server) apptest.Answer {
	p.c.t.Helper()
	a := b.follow(begun, "same-origin", p.c.oidc()+"?return=/console")
	if a.Status != http.StatusFound {
		p.c.t.Fatalf("a sign-in begins with %d %s", a.Status, a.Body)
	}
	to := p.visit(a.Header.Get("Location"))
	if !strings.HasPrefix(to, oneAddress) {
		p.c.t.Fatalf("the provider sends people to %s", to)
	}
	return b.follow(back, "cross-site", target(p.c.t, to))
}

// wantIn checks that a sign-in has let the person in.
func (p *erin) wantIn(b *browser, a apptest.Answer) {
	p.c.t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/console" {
		p.c.t.Fatalf("a sign-in ends with %d %s", a.Status, a.Header.Get("Location"))
	}
	p.wantOwn(b)
}

// wantOwn checks that the session opens the account which the directory made, on all servers.
func (p *erin) wantOwn(b *browser) {
	p.c.t.Helper()
	for _, node := range p.c.nodes {
		a := b.must(http.StatusOK, node, "GET", "/user", nil)
		if got := reply[struct{ Token string }](p.c.t, a).Token; got != p.token {
			p.c.t.Fatalf("the session is of %s, want %s", got, p.token)
		}
	}
}

// wantPasskey has the passkey sign what one server asks for, and checks how another answers. In a session that
// elevates it.
func (p *erin) wantPasskey(status int, b *browser, begun, back *apptest.Server) {
	p.c.t.Helper()
	asked := b.begin(begun, "/session/passkey/begin")
	b.must(status, back, "POST", "/session/passkey/finish", p.device.Sign(p.c.t, asked))
}

// wantOut checks that the person is let in neither by the provider nor by the passkey.
func (p *erin) wantOut(begun, back *apptest.Server) {
	p.c.t.Helper()
	b := newBrowser(p.c.t)
	a := p.signInByProvider(b, begun, back)
	to, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.Status != http.StatusSeeOther || to.Query().Get("sign_in") != "identity_unknown" {
		p.c.t.Errorf("by the provider, whoever has left is answered %d %s", a.Status, a.Header.Get("Location"))
	}
	p.wantPasskey(http.StatusUnauthorized, b, begun, back)
	if b.cookies[sessionCookie] != "" {
		p.c.t.Error("whoever has left has a session")
	}
}
