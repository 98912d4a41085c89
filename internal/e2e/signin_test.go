package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/openid/openidtest"
	"signet/internal/passkey/passkeytest"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// oneAddress is where people find a cluster, as its settings say.
const oneAddress = "https://chat.example.com"

// browser is one that keeps cookies, before a proxy that ends TLS and has all nodes of a cluster at one address.
type browser struct {
	*http.Client
	t    *testing.T
	node *server // that its next call reaches
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t}
	transport := &http.Transport{DisableKeepAlives: true, // a kept connection would stay with its node
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return b.node.dial(ctx, "", "") }}
	b.Client = &http.Client{Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return b
}

// must has a page of the server's own call a node, which has to answer with a status.
func (b *browser) must(status int, node *server, method, path string, body any) string {
	b.t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		sent = strings.NewReader(string(text))
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, oneAddress+"/v2"+path, sent)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/json")
	got, text := b.do(node, r)
	if got.StatusCode != status {
		b.t.Fatalf("%s %s: got %s %s, want %d", method, path, got.Status, text, status)
	}
	return text
}

// follow goes to an address of the cluster, at a node, and returns where that sends the browser.
func (b *browser) follow(node *server, address string) (to string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), "GET", address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	got, text := b.do(node, r)
	if to = got.Header.Get("Location"); to == "" {
		b.t.Fatalf("%s: got %s %s", address, got.Status, text)
	}
	return to
}

func (b *browser) do(node *server, r *http.Request) (got *http.Response, text string) {
	b.t.Helper()
	b.node = node
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	r.Header.Set("X-Forwarded-Proto", "https")
	got, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return got, string(body)
}

// TestServersShareASignIn: begun on one server, which is killed then, ended on a second, used on a third: with a
// provider, and with a passkey, whose making is begun on a server that is killed, too.
func TestServersShareASignIn(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := mustServeCluster(t, postgrestest.URL(t), "--base-url", oneAddress, "--trusted-proxies", "127.0.0.1",
		"--egress.issuers", "127.0.0.1", "--egress.networks", "127.0.0.1")
	first, second, third := c.nodes[0], c.nodes[1], c.nodes[2]
	credentials := first.mustReadOperator()
	operator := first.client(credentials.Key, credentials.Secret)
	organization, err := operator.CreateOrganization(t.Context(), "General Hospital", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	alice, err := operator.CreateUser(t.Context(), organization, client.NewUser{Username: "alice",
		Emails: []string{"alice@example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	oidc := oneAddress + "/v2/session/oidc/" + organization
	provider := openidtest.StartReal(t, map[string]openidtest.Person{
		"1": {Username: "alice", Email: "alice@example.com", EmailVerified: true, FirstName: "Alice", LastName: "Ames"},
	}, oidc+"/callback")
	err = operator.SetIdentity(t.Context(), organization, client.IdentityChange{Issuer: &provider.URL,
		ClientID: new(openidtest.ClientID), ClientSecret: new(openidtest.ClientSecret), Domains: &[]string{"example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	wantAlice := func(b *browser, node *server) {
		t.Helper()
		if got := b.must(200, node, "GET", "/session", nil); !strings.Contains(got, alice.Token) {
			t.Errorf("the session is %s, want one of %s", got, alice.Token)
		}
	}

	b := newBrowser(t)
	sentTo := b.follow(first, oidc+"?return=/console")
	first.kill()
	back := provider.SignIn(t, sentTo, "alice")
	if to := b.follow(second, back); to != "/console" {
		t.Fatalf("a sign-in ends at %s", to)
	}
	wantAlice(b, third)
	if to := b.follow(third, back); to != "/?sign_in=sign_in_unknown" {
		t.Errorf("the same once more leads to %s", to)
	}
	first.mustStart()
	wantAlice(b, first)

	device := passkeytest.New(t, oneAddress)
	asked := b.must(200, second, "POST", "/user/me/passkey/begin", nil)
	second.kill()
	b.must(200, third, "POST", "/user/me/passkey/finish", device.Make(t, asked))
	second.mustStart()

	b = newBrowser(t)
	asked = b.must(200, third, "POST", "/session/passkey/begin", nil)
	third.kill()
	answer := device.Sign(t, asked)
	b.must(204, first, "POST", "/session/passkey/finish", answer)
	wantAlice(b, second)
	newBrowser(t).must(401, second, "POST", "/session/passkey/finish", answer)
	third.mustStart()
	c.end()
}
