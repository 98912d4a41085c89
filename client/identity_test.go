package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

const identityJSON = `{"id":"o1","issuer":"https://login.example.com","client_id":"signet","has_secret":true,"name":"Clinic",
	"domains":["example.com"],"confirmed_domains":["example.com"],"claims":{"groups":"roles"},"admin_groups":["admins"],
	"provision":true,"passwords":false,"passwords_off":true,"enabled":true,"shown":true,"tried":true,
	"created_time":"2026-11-21T08:15:30.123Z","redirect_uri":"https://signet.example.com/v2/session/oidc/o1/callback",
	"backchannel_logout_uri":"https://signet.example.com/v2/session/oidc/o1/logout"}`

// identityCalls are those about the provider of an organization.
var identityCalls = []call{
	{name: "Identity", request: "GET /v2/organization/o1/identity", answer: replies(identityJSON), want: identityJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Identity(ctx, "o1") }},
	{name: "SetIdentity", request: "POST /v2/organization/o1/identity",
		body: `{"issuer":"https://login.example.com","client_secret":"","domains":[],"claims":{"email":"upn"},"passwords":false,` +
			`"forget":"ann"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error {
			return c.SetIdentity(ctx, "o1", IdentityChange{Issuer: new("https://login.example.com"), ClientSecret: new(""),
				Domains: &[]string{}, Claims: &IdentityClaims{Email: "upn"}, Passwords: new(false), Forget: "ann"})
		})},
	{name: "RemoveIdentity", request: "DELETE /v2/organization/o1/identity", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RemoveIdentity(ctx, "o1") })},
}

func TestProvidersOfAnAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/v2/session/providers?login=ann%40example.com" {
			t.Errorf("got %s", r.RequestURI)
		}
		replies(`[{"id":"o1","name":"Clinic"}]`)(w, r)
	}))
	t.Cleanup(server.Close)
	all, err := Providers(t.Context(), server.URL, "ann@example.com")
	if err != nil || len(all) != 1 || all[0] != (IdentityChoice{"o1", "Clinic"}) {
		t.Errorf("got %v, %v", all, err)
	}
}

// The code is exchanged with the verifier of the challenge that the browser brought to the server.
func TestABrowserSignsAProgramIn(t *testing.T) {
	var challenge string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Code     string
			Verifier string `json:"code_verifier"`
			Device   string `json:"device_id"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Method+r.URL.Path != "POST/v2/session/oidc/o1/key" {
			t.Errorf("got %s %s: %v", r.Method, r.URL, err)
		}
		sum := sha256.Sum256([]byte(in.Verifier))
		if in.Code != "code" || in.Device != "laptop" || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge {
			t.Errorf("got %+v", in)
		}
		replies(`{"user":`+userJSON+`,"auth":{"key":"k1","secret":"s1","resource":"laptop"}}`)(w, r)
	}))
	t.Cleanup(server.Close)
	begun, err := BeginBrowserSignIn(server.URL+"/v2", "o1", 4711)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(begun.URL)
	if err != nil || to.Path != "/v2/session/oidc/o1" || to.Query().Get("port") != "4711" ||
		to.Query().Get("state") != begun.State {
		t.Errorf("to open is %s", begun.URL)
	}
	challenge = to.Query().Get("challenge")
	c, session, err := begun.Finish(t.Context(), "code", "laptop")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if session.User.Token != "u1" || session.Auth.Key != "k1" || c.authorization != basic("k1", "s1") {
		t.Errorf("got %+v", session)
	}
	for _, port := range []int{0, 65536} {
		if _, err := BeginBrowserSignIn(server.URL, "o1", port); !errors.Is(err, ErrArgument) {
			t.Errorf("port %d: %v", port, err)
		}
	}
}
