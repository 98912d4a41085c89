package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"signet/internal/access"
	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/openid"
	"signet/internal/store"
)

// secretLength is of states, nonces and the like: 256 random bits, and a little more.
const secretLength = 43

// NewBrowser is what the cookie of a browser says that begins to sign in.
func NewBrowser() string { return model.RandomText(secretLength) }

// Start is where a sign-in begins.
type Start struct {
	Organization model.OrganizationID
	Return       string // a path of the server's own
	Hint         string // who the person says that it is; empty: it does not
	Browser      string // what the cookie of the browser says
	Redirect     string // where the provider sends the browser back to: the server's own URL
	Command      *CommandLine
}

// CommandLine is a program on the person's machine, which listens there (RFC 8252, section 7.3).
type CommandLine struct {
	Port      int    // on the loopback address
	State     string // which it gets back
	Challenge string // S256 of the verifier that comes with the code (RFC 7636)
}

func (c *CommandLine) valid() error {
	switch {
	case c.Port < 1 || c.Port > 65535:
		return model.Invalidf("port_invalid", "port", "Want the port on which the command line listens.")
	case len(c.Challenge) != secretLength || strings.Trim(c.Challenge, model.Base62+"-_") != "":
		return model.Invalidf("challenge_invalid", "challenge", "Want the S256 challenge of RFC 7636.")
	case c.State == "" || len(c.State) > 128 || strings.Trim(c.State, model.Base62+"-_") != "":
		return model.Invalidf("state_invalid", "state", "Want up to 128 letters and digits.")
	}
	return nil
}

// Begin begins a sign-in, and returns where the browser is sent to.
func (s *Identities) Begin(ctx context.Context, b Start) (url string, err error) {
	f := &flow{Kind: signsIn, Return: b.Return}
	if c := b.Command; c != nil {
		if err := c.valid(); err != nil {
			return "", err
		}
		f.Kind, f.Port, f.Given, f.Challenge = commands, c.Port, c.State, c.Challenge
	}
	return s.begin(ctx, &b, f)
}

// begin keeps a flow, and returns where the browser is sent to.
func (s *Identities) begin(ctx context.Context, b *Start, f *flow) (url string, err error) {
	if f.Return == "" {
		f.Return = "/"
	}
	if !model.ValidReturn(f.Return) {
		return "", model.Invalidf("return_invalid", "return", "Want a path of this server.")
	}
	p, err := s.provider(ctx, b.Organization)
	if err != nil {
		return "", err
	}
	if !p.Enabled && f.Kind != tries {
		return "", model.Missing()
	}
	issuer, err := s.issuer(ctx, &p, b.Redirect)
	if err != nil {
		return "", err
	}
	state, browser := model.RandomText(secretLength), sha256.Sum256([]byte(b.Browser))
	f.Issuer, f.Version, f.Browser, f.Redirect = p.Issuer, p.Version, browser[:], b.Redirect
	f.Nonce, f.Verifier = model.RandomText(secretLength), oauth2.GenerateVerifier()
	url, err = s.party.Begin(ctx, issuer, openid.Request{State: state, Nonce: f.Nonce, Verifier: f.Verifier,
		Groups: len(p.AdminGroups) > 0, Fresh: f.Kind == elevates, Hint: hint(b.Hint)})
	if err != nil {
		return "", s.fault(ctx, f.Kind, b.Organization, err)
	}
	return url, s.keep(ctx, b.Organization, token(byState, state), f)
}

// hint leaves out what no person is called.
func hint(text string) string {
	if len(text) > 320 || !model.IsText(text) {
		return ""
	}
	return text
}

// provider returns that of an organization.
func (s *Identities) provider(ctx context.Context, organization model.OrganizationID) (p store.ProviderRow, err error) {
	if _, ok := model.ParseOrganizationID(string(organization)); !ok {
		return p, model.Missing()
	}
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		var found bool
		p, found, err = tx.Provider(organization)
		if err == nil && !found {
			err = model.Missing()
		}
		return err
	}, store.Short)
	return p, err
}

// issuer is how the server is known to the issuer of a provider.
func (s *Identities) issuer(ctx context.Context, p *store.ProviderRow, redirect string) (openid.Issuer, error) {
	i := openid.Issuer{URL: p.Issuer, ClientID: p.ClientID, Redirect: redirect}
	if len(p.Secret) == 0 {
		return i, nil
	}
	var err error
	i.Secret, err = s.Vault.OpenClientSecret(ctx, p.Organization, p.Secret)
	return i, err
}

// retry is after which time a provider may be asked again that did not answer.
const retry = 5 * time.Second

// fault tells what a provider did not do. Why, is for the log of the server, and for who tries the provider, which
// counts as no sign-in.
func (s *Identities) fault(ctx context.Context, of kind, organization model.OrganizationID, err error) error {
	switch {
	case errors.Is(err, openid.ErrUnreachable):
		if of != tries {
			s.Counts.Unreachable.Add(1)
		}
		s.say(ctx, organization, err)
		return &model.Error{Kind: model.Unavailable, Code: "identity_unavailable", RetryAfter: retry,
			Message: "The provider of identities does not answer, please try again."}
	case errors.Is(err, openid.ErrRefused):
		s.say(ctx, organization, err)
		return model.Forbiddenf("identity_refused", "The provider of identities vouches for nobody, or not as it should.")
	}
	return err
}

// mostSaid limits the issuer's words in the log, in bytes.
const mostSaid = 300

// say logs why a sign-in failed.
func (s *Identities) say(ctx context.Context, organization model.OrganizationID, err error) {
	s.Log.InfoContext(ctx, "a provider of identities signed nobody in", slog.String("organization", string(organization)),
		slog.String("why", cut(err.Error())))
}

func cut(text string) string {
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text[:min(len(text), mostSaid)]), "")
}

// Try begins to try the provider of an organization, whether it is enabled or not: by an administrator of it, in whose
// session the browser is. test is by what is asked what came of it.
func (s *Identities) Try(ctx context.Context, actor *model.Actor, b Start) (test, url string, err error) {
	if err := actor.MayAdminister(b.Organization); err != nil {
		return "", "", err
	}
	test = model.RandomText(secretLength)
	url, err = s.begin(ctx, &b, &flow{Kind: tries, Return: b.Return, Account: actor.Account, Test: test})
	if err != nil {
		return "", "", err
	}
	return test, url, s.Access.Act(ctx, actor, model.ActionIdentityTest,
		func(tx *store.Tx, line *model.AuditEntry) error {
			audit.OnOrganization(line, b.Organization)
			return s.Access.StillAdministers(tx, actor, b.Organization)
		})
}

// Elevate begins to elevate a session of the organization's scope, whose person has to prove anew to the provider who
// it is: so that members without a password can be administrators.
func (s *Identities) Elevate(ctx context.Context, actor *model.Actor, b Start) (url string, err error) {
	switch {
	case !actor.Key.Session:
		return "", model.Missing()
	case actor.Key.Scope != b.Organization:
		return "", model.Forbiddenf("exceeds_issuer", "The session opens more than the organization of the provider.")
	}
	if err := access.MayGiveAccess(actor); err != nil {
		return "", err
	}
	return s.begin(ctx, &b, &flow{Kind: elevates, Return: b.Return, Account: actor.Account, Session: actor.Key.Key})
}
