package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"time"
)

// Identity is the provider of OpenID Connect with which members of an organization sign in, without the secret.
type Identity struct {
	ID               string         `json:"id"` // by which one signs in
	Issuer           string         `json:"issuer"`
	ClientID         string         `json:"client_id"`
	HasSecret        bool           `json:"has_secret"`
	Name             string         `json:"name"`
	Domains          []string       `json:"domains"`           // of e-mail addresses
	ConfirmedDomains []string       `json:"confirmed_domains"` // those that an operator confirmed
	Claims           IdentityClaims `json:"claims"`
	AdminGroups      []string       `json:"admin_groups"`
	Provision        bool           `json:"provision"`
	Passwords        bool           `json:"passwords"`
	PasswordsOff     bool           `json:"passwords_off"` // that they are not wanted holds
	Enabled          bool           `json:"enabled"`
	Shown            bool           `json:"shown"`
	Tried            bool           `json:"tried"` // an administrator has come by it as it is now
	CreatedTime      time.Time      `json:"created_time"`
	// RedirectURI and LogoutURI are what the provider has to know.
	RedirectURI string `json:"redirect_uri"`
	LogoutURI   string `json:"backchannel_logout_uri"`
}

// IdentityClaims are names of claims, where they are not the usual ones.
type IdentityClaims struct {
	Username    string `json:"username,omitempty"`
	Email       string `json:"email,omitempty"`
	DisplayName string `json:"display_name,omitempty"`
	Groups      string `json:"groups,omitempty"`
}

// IdentityChange is what is set of a provider. What is nil stays.
type IdentityChange struct {
	Issuer       *string         `json:"issuer,omitempty"`
	ClientID     *string         `json:"client_id,omitempty"`
	ClientSecret *string         `json:"client_secret,omitempty"` // empty: there is none
	Name         *string         `json:"name,omitempty"`
	Domains      *[]string       `json:"domains,omitempty"` // an operator confirms those that it says
	Claims       *IdentityClaims `json:"claims,omitempty"`
	AdminGroups  *[]string       `json:"admin_groups,omitempty"`
	Provision    *bool           `json:"provision,omitempty"`
	Passwords    *bool           `json:"passwords,omitempty"`
	Enabled      *bool           `json:"enabled,omitempty"`
	Shown        *bool           `json:"shown,omitempty"`  // by operators only
	Forget       string          `json:"forget,omitempty"` // the address of a member whom the provider is to know no more
}

// LogValue keeps the secret out of logs.
func (i IdentityChange) LogValue() slog.Value { return slog.StringValue("a change of a provider") }

// Identity shows the provider of an organization to its administrators (GET /organization/:organization/identity).
// Where it has none, that is an [ErrNotFound].
func (c *Client) Identity(ctx context.Context, organization string) (*Identity, error) {
	return fetch[Identity](ctx, c, get("organization", organization, "identity"))
}

// SetIdentity sets the provider of an organization up, or changes it (POST /organization/:organization/identity).
func (c *Client) SetIdentity(ctx context.Context, organization string, change IdentityChange) error {
	return c.run(ctx, post(change, "organization", organization, "identity").harmless())
}

// RemoveIdentity ends that members of an organization sign in with a provider
// (DELETE /organization/:organization/identity).
func (c *Client) RemoveIdentity(ctx context.Context, organization string) error {
	return c.run(ctx, remove("organization", organization, "identity"))
}

// IdentityChoice is a provider with which one can sign in.
type IdentityChoice struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Providers lists the providers with which the domain of an e-mail address signs in at baseURL; without one those that
// everybody is shown (GET /session/providers). It takes no credentials.
func Providers(ctx context.Context, baseURL, email string, opts ...Option) ([]IdentityChoice, error) {
	c, err := New(baseURL, "login", "", opts...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }() // only drops idle connections
	r := get("session", "providers")
	if email != "" {
		r.query = url.Values{"login": {email}}
	}
	return list[IdentityChoice](ctx, c, r)
}

// BrowserSignIn is a sign-in with a provider that a program begins and a browser on the same machine carries out
// (RFC 8252). The program listens on a port of 127.0.0.1, and has a person open [BrowserSignIn.URL]; the browser
// is then sent to http://127.0.0.1:PORT/ with a state and a code in its query.
type BrowserSignIn struct {
	URL   string // that a person opens
	State string // which the browser has to bring

	base, provider, verifier string
}

// BeginBrowserSignIn begins one at baseURL, with the provider of an id, on a port on which the program listens.
func BeginBrowserSignIn(baseURL, provider string, port int) (*BrowserSignIn, error) {
	root, err := parseBase(baseURL)
	if err != nil {
		return nil, err
	}
	if provider == "" || port < 1 || port > 65535 {
		return nil, fmt.Errorf("%w: a sign-in names a provider, and a port", ErrArgument)
	}
	s := &BrowserSignIn{State: rand.Text(), base: baseURL, provider: provider, verifier: rand.Text() + rand.Text()}
	sum := sha256.Sum256([]byte(s.verifier))
	query := url.Values{"port": {strconv.Itoa(port)}, "state": {s.State},
		"challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}}
	s.URL = root + "/v2/session/oidc/" + url.PathEscape(provider) + "?" + query.Encode()
	return s, nil
}

// Finish exchanges the code that the browser brought for a key (POST /session/oidc/:id/key), within a minute, and
// returns a client that acts with it. The caller has compared the state.
func (s *BrowserSignIn) Finish(ctx context.Context, code, device string, opts ...Option) (*Client, *Session, error) {
	c, err := New(s.base, "login", "", opts...)
	if err != nil {
		return nil, nil, err
	}
	in := struct {
		Code     string `json:"code"`
		Verifier string `json:"code_verifier"`
		Device   string `json:"device_id,omitempty"`
	}{code, s.verifier, device}
	session, err := fetch[Session](ctx, c, post(in, "session", "oidc", s.provider, "key"))
	if err != nil {
		_ = c.Close() // only drops idle connections
		return nil, nil, err
	}
	c.authorization = basic(session.Auth.Key, session.Auth.Secret)
	return c, session, nil
}
