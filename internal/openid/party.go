package openid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"signet/internal/model"
)

var (
	// ErrUnreachable is that an issuer does not answer, or not as an issuer does: nothing is known of the person.
	ErrUnreachable = errors.New("the issuer cannot be asked")
	// ErrRefused is that what was said of a person proves nothing, or that the issuer refused.
	ErrRefused = errors.New("the issuer vouches for nobody")
)

const (
	// remembered is for how long what an issuer publishes of itself is not asked again. For as long people may be sent
	// to one that does not answer, of which the server does not hear. Its keys are asked for, too, when a token names
	// one that is not known.
	remembered = 5 * time.Minute
	// mostRemembered bounds how many issuers are remembered.
	mostRemembered = 1000
	// skew is how far the clock of an issuer may be ahead.
	skew = 2 * time.Minute
)

// algorithms are those with which a token may be signed: such as an issuer alone can sign with. With those that share
// a secret, or need none, anybody could.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256,
	oidc.PS384, oidc.PS512, oidc.EdDSA}

// Issuer is an issuer, and by what it knows the server.
type Issuer struct {
	URL      string // as it spells itself
	ClientID string
	Secret   string // empty: it knows the server by PKCE alone
	Redirect string // where it sends people back to
}

// Party is the server towards all issuers. It is safe for concurrent use.
type Party struct {
	client *http.Client // has codes exchanged
	asks   *http.Client // what issuers publish, and tell of people
	keys   *http.Client // their keys
	clock  func() time.Time

	mu    sync.Mutex // guards known
	known map[string]*published
}

// published is what an issuer publishes of itself.
type published struct {
	*oidc.Provider
	at   time.Time // when that was asked
	keys oidc.KeySet

	Groups   bool     // it has a scope of this name
	Names    bool     // it names itself in its answers (RFC 9207)
	Methods  []string // by which it knows clients
	UserInfo bool
}

// New returns the server towards issuers, which it calls by a client.
func New(client *http.Client, clock func() time.Time) *Party {
	return &Party{client: client, asks: asking{}.by(client), keys: asking{check: areKeys}.by(client), clock: clock,
		known: map[string]*published{}}
}

// published returns what an issuer publishes, which has to name the issuer exactly so: else one could answer in
// another's name.
func (p *Party) published(ctx context.Context, issuer string) (*published, error) {
	now := p.clock()
	p.mu.Lock()
	known := p.known[issuer]
	p.mu.Unlock()
	if known != nil && now.Sub(known.at) < remembered {
		return known, nil
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.asks), issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	var says struct {
		Scopes  []string `json:"scopes_supported"`
		Names   bool     `json:"authorization_response_iss_parameter_supported"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		Keys    string   `json:"jwks_uri"`
	}
	if err := provider.Claims(&says); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	at := provider.Endpoint()
	if err := checkEndpoints(issuer, at.AuthURL, at.TokenURL, says.Keys,
		cmp.Or(provider.UserInfoEndpoint(), at.TokenURL)); err != nil {
		return nil, err
	}
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(ctx, p.keys), says.Keys)
	known = &published{Provider: provider, at: now, keys: keys, Groups: slices.Contains(says.Scopes, "groups"),
		Names: says.Names, Methods: says.Methods, UserInfo: provider.UserInfoEndpoint() != ""}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= mostRemembered {
		clear(p.known)
	}
	p.known[issuer] = known
	return known, nil
}

// checkEndpoints refuses an issuer that sends people, has codes sent, or tells its keys and of people where no URL of
// the web leads; over plain HTTP only one that is itself there.
func checkEndpoints(issuer string, endpoints ...string) error {
	of, _ := url.Parse(issuer)
	for _, text := range endpoints {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != of.Scheme {
			return fmt.Errorf("%w: it publishes an endpoint that is no URL of https", ErrUnreachable)
		}
	}
	return nil
}

// Check asks whether an issuer publishes what a relying party needs.
func (p *Party) Check(ctx context.Context, issuer string) error {
	_, err := p.published(ctx, issuer)
	return err
}

// config is how the server asks an issuer.
func (p *published) config(i *Issuer, groups bool) *oauth2.Config {
	endpoint := p.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if i.Secret == "" || len(p.Methods) > 0 && !slices.Contains(p.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if groups && p.Groups {
		scopes = append(scopes, "groups")
	}
	return &oauth2.Config{ClientID: i.ClientID, ClientSecret: i.Secret, Endpoint: endpoint, RedirectURL: i.Redirect,
		Scopes: scopes}
}

// Request is what a person is sent to an issuer with.
type Request struct {
	State    string // by which the answer is known, once
	Nonce    string // which the ID token has to repeat
	Verifier string // of PKCE: only who has it gets anything for the code
	Groups   bool   // the person's groups are wanted
	Fresh    bool   // it has to prove anew who it is
	Hint     string // who it says that it is; empty: it does not
}

// Begin returns where a person is sent to.
func (p *Party) Begin(ctx context.Context, i Issuer, r Request) (string, error) {
	at, err := p.published(ctx, i.URL)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)}
	if r.Fresh {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	if r.Hint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", r.Hint))
	}
	return at.config(&i, r.Groups).AuthCodeURL(r.State, options...), nil
}

// Answer is what a person comes back with, and what is known of its way there.
type Answer struct {
	Code     string
	Issuer   string // the parameter iss; empty: there was none
	Nonce    string
	Verifier string
	Groups   bool
	Fresh    bool
	Names    model.ClaimNames
}

// Finish exchanges the code for an ID token, and returns whom the issuer vouches for.
func (p *Party) Finish(ctx context.Context, i Issuer, a Answer) (Person, error) {
	at, err := p.published(ctx, i.URL)
	if err != nil {
		return Person{}, err
	}
	// Else somebody could have the code of an honest issuer sent to another one (mix-up, RFC 9207).
	if a.Issuer != i.URL && (a.Issuer != "" || at.Names) {
		return Person{}, fmt.Errorf("%w: another issuer answered", ErrRefused)
	}
	tokens, err := at.config(&i, a.Groups).Exchange(oidc.ClientContext(ctx, p.client), a.Code,
		oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return Person{}, exchangeFault(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return Person{}, fmt.Errorf("%w: it gave no ID token for the code", ErrRefused)
	}
	claims, err := p.checkToken(ctx, at, &i, &a, raw)
	if err != nil {
		return Person{}, err
	}
	if claims.lacks(&a.Names, a.Groups) && at.UserInfo {
		if err := p.ask(ctx, at, tokens, claims); err != nil && a.Groups && !claims.has(groupsClaim(&a.Names)) {
			return Person{}, err // who is in no group would lose its role
		}
	}
	return claims.person(&a.Names), nil
}

// exchangeFault tells an issuer that gives nothing for a code from one that does not answer. Of an answer that is none
// of OAuth nothing is repeated: it may have in it what the issuer was sent.
func exchangeFault(err error) error {
	told, answered := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !answered:
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	case told.ErrorCode == "invalid_grant":
		return fmt.Errorf("%w: it gives nothing for the code", ErrRefused)
	case told.ErrorCode == "":
		return fmt.Errorf("%w: it answers the code with %s", ErrUnreachable, told.Response.Status)
	}
	return fmt.Errorf("%w: it answers the code with %s %s", ErrUnreachable, told.ErrorCode, told.ErrorDescription)
}

// ask takes what the ID token leaves out from the issuer's UserInfo endpoint.
func (p *Party) ask(ctx context.Context, at *published, tokens *oauth2.Token, into claims) error {
	info, err := at.Provider.UserInfo(oidc.ClientContext(ctx, p.asks), oauth2.StaticTokenSource(tokens))
	if err != nil {
		return cmp.Or(unasked(err), fmt.Errorf("%w: it tells nothing of the person that can be read", ErrUnreachable))
	}
	more := claims{}
	if err := info.Claims(&more); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if info.Subject != into.text("sub") {
		return fmt.Errorf("%w: it told of somebody else", ErrRefused)
	}
	into.add(more)
	return nil
}
