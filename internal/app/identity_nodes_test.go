package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/openid/openidtest"
	"signet/internal/testenv"
)

// localIssuers lets a server call issuers on this machine.
func localIssuers(cfg *config.Config) {
	cfg.Egress.Issuers, cfg.Egress.Networks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
}

// mustSetUp has members of the organization sign in with an issuer.
func (c *cluster) mustSetUp(issuer string) {
	c.t.Helper()
	c.must(c.nodes[0].Operator.Client.SetIdentity(c.t.Context(), c.Organization, client.IdentityChange{Issuer: &issuer,
		ClientID: new(openidtest.ClientID), ClientSecret: new(openidtest.ClientSecret), Domains: &[]string{"example.com"},
		Provision: new(true)}))
}

// oidc is the path of the sign-ins of the organization.
func (c *cluster) oidc() string { return "/v2/session/oidc/" + c.Organization }

// beginSignIn begins one on a node: it returns where the browser is sent to, and its cookie.
func (c *cluster) beginSignIn(node int) (to, cookie string) {
	c.t.Helper()
	s := c.nodes[node]
	a := s.MustSend(c.t, s.NewHTTPClient(), apptest.Request{Method: "GET", Target: c.oidc() + "?return=/console"})
	cookie, _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if a.Status != http.StatusFound || cookie == "" {
		c.t.Fatalf("a sign-in begins with %d %s", a.Status, a.Body)
	}
	return a.Header.Get("Location"), cookie
}

// finishSignIn comes back to a node, as if all had one address, and returns the cookie of the session.
func (c *cluster) finishSignIn(begun, node int, back, cookie string) (session string) {
	c.t.Helper()
	s := c.nodes[node]
	at, err := url.Parse(back)
	if err != nil {
		c.t.Fatal(err)
	}
	a := s.MustSend(c.t, s.NewHTTPClient(), apptest.Request{Method: "GET", Target: at.RequestURI(),
		Header: [][2]string{{"Cookie", c.elsewhere(cookie, begun, node)}}})
	session, _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != "/console" || session == "" {
		c.t.Fatalf("a sign-in ends with %d %v %s", a.Status, a.Header, a.Body)
	}
	return session
}

// elsewhere is a cookie of one node as its browser would send it to another, were they at one address.
func (c *cluster) elsewhere(cookie string, from, to int) string {
	return strings.Replace(cookie, portOf(c.nodes[from]), portOf(c.nodes[to]), 1)
}

// TestAProviderEndsSessionsOnAllServers: what a provider ends, with the server that hears of it, ends on the others
// within a second, streams and the keys that it issued included.
func TestAProviderEndsSessionsOnAllServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats, localIssuers)
		forger := openidtest.NewForger(t, time.Now)
		c.mustSetUp(forger.URL)
		for what, named := range map[string]map[string]any{"a session": {"sid": "s1"}, "a person": {"sub": "p1"}} {
			forger.Says(map[string]any{"sub": "p1", "email": "alice@example.com", "email_verified": true, "sid": "s1"})
			to, cookie := c.beginSignIn(0)
			session := c.finishSignIn(0, 0, forger.Visit(to), cookie)
			header := [][2]string{{"Cookie", c.elsewhere(session, 0, 1)}, ownPage}
			if status := c.call(1, "GET", "/v2/user", header...); status != http.StatusOK {
				t.Fatalf("the session opens with %d", status)
			}
			stream := c.listenWith(1, header)
			s := c.nodes[0]
			a := s.MustSend(t, s.NewHTTPClient(), apptest.Request{Method: "POST", Target: c.oidc() + "/logout",
				Header: [][2]string{{"Content-Type", "application/x-www-form-urlencoded"}},
				Body:   url.Values{"logout_token": {forger.LogoutToken(named)}}.Encode()})
			if a.Status != http.StatusNoContent {
				t.Fatalf("the logout answers %d %s", a.Status, a.Body)
			}
			ended := time.Now()
			stream.wantEnd()
			after := time.Since(ended)
			eventually(t, "a call is refused", func() bool { return c.call(1, "GET", "/v2/user", header...) == 401 })
			if took := time.Since(ended); took > within {
				t.Errorf("%s: the stream ended after %v, calls were refused after %v", what, after, took)
			}
		}
		if n := metric(t, c.nodes[0], "signet_identity_logouts_total"); n != 2 {
			t.Errorf("the server ended %v sessions", n)
		}
		if n := metric(t, c.nodes[0], `signet_identity_sign_ins_total{outcome="signed_in"}`); n != 2 {
			t.Errorf("the server counts %v sign-ins", n)
		}
	})
}

// A server calls no issuer that its settings do not name.
func TestIssuersAreCalledThroughTheGuard(t *testing.T) {
	t.Parallel()
	forger := openidtest.NewForger(t, time.Now)
	s := apptest.Start(t, func(cfg *config.Config) { cfg.Egress.Issuers = []string{"127.0.0.1"} })
	org, err := s.Operator.Client.CreateOrganization(t.Context(), "Clinic", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	set := func(issuer string) error {
		return s.Operator.Client.SetIdentity(t.Context(), org, client.IdentityChange{Issuer: &issuer, ClientID: new("x"),
			ClientSecret: new("")})
	}
	if err := set("https://elsewhere.example.com"); err == nil || !strings.Contains(err.Error(), "issuer_refused") {
		t.Errorf("a host that no setting names: %v", err)
	}
	if err := set(forger.URL); err == nil || !strings.Contains(err.Error(), "issuer_refused") { // no network names it
		t.Errorf("a loopback address: %v", err)
	}
	if n := forger.Calls(); n != 0 {
		t.Errorf("the issuer was called %d times", n)
	}
	if n := metric(t, s, `signet_egress_refused_total{for="issuers"}`); n != 2 {
		t.Error(fmt.Sprint("refused were ", n))
	}
}
