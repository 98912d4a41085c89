package openid

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"signet/internal/model"
)

func refusef(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// verifier checks the issuer, the audience and the end of a token, and its signature.
func (p *Party) verifier(i *Issuer, by *signature) *oidc.IDTokenVerifier {
	return oidc.NewVerifier(i.URL, by, &oidc.Config{ClientID: i.ClientID, SupportedSigningAlgs: algorithms, Now: p.clock})
}

// checkToken checks an ID token (OpenID Connect Core 1.0, section 3.1.3.7), and returns what it says.
func (p *Party) checkToken(ctx context.Context, at *published, i *Issuer, a *Answer, raw string) (claims, error) {
	by := signature{keys: at.keys}
	token, err := p.verifier(i, &by).Verify(ctx, raw)
	if err != nil {
		return nil, by.fault(err)
	}
	said := claims{}
	if err := token.Claims(&said); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	now := p.clock()
	party := said.text("azp")
	switch {
	case !typedAs(raw, "id_token+jwt"):
		return nil, refusef("the token says that it is of another type than an ID token")
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(a.Nonce)) != 1 || a.Nonce == "":
		return nil, refusef("the ID token was made for another sign-in")
	case token.Subject == "" || len(token.Subject) > model.MaxSubject || !model.IsText(token.Subject):
		return nil, refusef("the ID token names nobody")
	case party != "" && party != i.ClientID, party == "" && len(token.Audience) > 1:
		return nil, refusef("the ID token was made for another party")
	case token.IssuedAt.IsZero() || token.IssuedAt.After(now.Add(skew)) || said.time("nbf").After(now.Add(skew)):
		return nil, refusef("the ID token is of the future")
	case token.Expiry.Sub(token.IssuedAt) <= 0:
		return nil, refusef("the ID token ends before it begins")
	}
	if a.Fresh {
		if at := said.time("auth_time"); at.IsZero() || now.Sub(at) > model.FreshSignIn || at.After(now.Add(skew)) {
			return nil, refusef("the person did not prove anew who it is: the ID token needs the claim auth_time")
		}
	}
	return said, nil
}

// logoutEvent is the event of a logout token. Its value is an object (section 2.4), which the library does not ask.
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

// typedAs reports whether the header of a token, whose signature was checked, says that it is of a type, or of none in
// particular: so that what an issuer signs for one thing is taken for no other (RFC 8725, section 3.11).
func typedAs(raw, want string) bool {
	first, _, _ := strings.Cut(raw, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil {
		return false
	}
	var header struct {
		Type string `json:"typ"`
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return false
	}
	typ := strings.TrimPrefix(strings.ToLower(header.Type), "application/")
	return typ == "" || typ == "jwt" || typ == want
}

// Logout is what a logout token says: which sessions end.
type Logout struct {
	Subject string // empty: the session alone is named
	Session string // empty: all of the subject
	ID      string // of the token, which is good once
}

// Logout checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). One that is older than
// model.SignInLife is none: for so long it is known which ones were seen.
func (p *Party) Logout(ctx context.Context, i Issuer, raw string) (Logout, error) {
	at, err := p.published(ctx, i.URL)
	if err != nil {
		return Logout{}, err
	}
	by := signature{keys: at.keys}
	token, err := p.verifier(&i, &by).VerifyLogout(ctx, raw)
	if err != nil {
		return Logout{}, by.fault(err)
	}
	var said struct {
		Events map[string]any `json:"events"`
	}
	if err := token.Claims(&said); err != nil {
		return Logout{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if _, ok := said.Events[logoutEvent].(map[string]any); !ok {
		return Logout{}, refusef("the logout token tells of no logout")
	}
	if !typedAs(raw, "logout+jwt") {
		return Logout{}, refusef("the token says that it is of another type than a logout token")
	}
	now := p.clock()
	if token.IssuedAt.IsZero() || token.IssuedAt.After(now.Add(skew)) ||
		now.Sub(token.IssuedAt) >= model.SignInLife-skew {
		return Logout{}, refusef("the logout token is not of now")
	}
	return Logout{Subject: token.Subject, Session: token.SessionID, ID: token.TokenID}, nil
}

// time reads a claim that is a time in seconds; zero where there is none.
func (c claims) time(name string) time.Time {
	seconds, ok := c[name].(float64)
	if !ok || seconds <= 0 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0)
}
