package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/url"
	"strconv"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/openid"
	"signet/internal/store"
)

// Callback is what a browser brings back from a provider.
type Callback struct {
	Organization model.OrganizationID
	State, Code  string
	Issuer       string // the parameter iss; empty: there was none
	Error        string // why the provider refused; empty: it did not
	Browser      string // what the cookie of the browser says; empty: it has none
}

// Finished is what came of a sign-in, as far as it was known.
type Finished struct {
	Return  string         // a path of the server's own, or a command line that listens; empty: unknown
	Proven  *access.Proven // who signs in; nil: nobody does by this call
	Session string         // the key of the session that was elevated; empty: none was
	Secret  string         // its new one
}

// Finish ends a sign-in that a browser began, on whichever server. Whatever comes of it, it is over. Where the sign-in
// was known, Return is set with an error too.
func (s *Identities) Finish(ctx context.Context, c Callback) (out Finished, err error) {
	if _, ok := model.ParseOrganizationID(string(c.Organization)); !ok {
		return out, unknownSignIn()
	}
	f, err := s.take(ctx, c.Organization, token(byState, c.State))
	if err != nil {
		return out, err
	}
	browser := sha256.Sum256([]byte(c.Browser))
	if c.Browser == "" || subtle.ConstantTimeCompare(browser[:], f.Browser) != 1 {
		return out, unknownSignIn()
	}
	out.Return = f.Return
	err = s.finish(ctx, &c, f, &out)
	if told, ok := asModel(err); ok && told.Kind == model.Forbidden {
		s.Counts.Refused.Add(1)
	}
	return out, err
}

// finish does what the sign-in was begun for.
func (s *Identities) finish(ctx context.Context, c *Callback, f *flow, out *Finished) error {
	if f.Kind == tries {
		return s.finishTry(ctx, c, f)
	}
	p, person, err := s.vouched(ctx, c, f)
	if err != nil {
		return s.fault(ctx, f.Kind, c.Organization, err)
	}
	vouched := access.Vouched{Session: person.Session, Subject: model.Subject{Organization: p.Organization,
		Issuer: p.Issuer, Subject: person.Subject}}
	if f.Kind == elevates {
		if err := s.followElevated(ctx, &p, &person, f.Account); err != nil {
			return err
		}
		out.Session = f.Session
		out.Secret, err = s.Access.ElevateVouched(ctx, f.Session, f.Account, vouched)
		return err
	}
	account, err := s.admit(ctx, &p, &person)
	if err != nil {
		return err
	}
	if err := s.followGroups(ctx, &p, &person, account); err != nil {
		return err
	}
	if f.Kind == commands {
		out.Return, err = s.giveCode(ctx, f, account, &vouched)
		return err
	}
	s.Counts.SignedIn.Add(1)
	out.Proven = access.ProvenBy(account, vouched)
	return nil
}

// followGroups has the role of an account follow the groups of its person, where the provider has groups for that.
func (s *Identities) followGroups(ctx context.Context, p *store.ProviderRow, person *openid.Person,
	account model.AccountID) error {
	if len(p.AdminGroups) == 0 {
		return nil
	}
	_, err := s.People.FollowGroups(ctx, p.Organization, account, p.Administers(person.Groups))
	return err
}

// followElevated is followGroups before a session is elevated, of nobody else than the account whose session it is.
func (s *Identities) followElevated(ctx context.Context, p *store.ProviderRow, person *openid.Person,
	account model.AccountID) error {
	at, err := store.Read(ctx, s.Store, func(tx *store.Tx) (place, error) { return s.find(tx, p, person) })
	if err != nil {
		return err
	}
	if at.way != known || at.account != account {
		return access.Unvouched()
	}
	return s.followGroups(ctx, p, person, account)
}

// vouched asks the provider, as it was when the sign-in began, for whom it vouches.
func (s *Identities) vouched(ctx context.Context, c *Callback, f *flow) (p store.ProviderRow, person openid.Person,
	err error) {
	if p, err = s.provider(ctx, c.Organization); err != nil {
		return p, person, err
	}
	// A provider that was removed and set up again counts its versions anew.
	if p.Issuer != f.Issuer || p.Version != f.Version || !p.Enabled && f.Kind != tries {
		return p, person, unknownSignIn()
	}
	if c.Error != "" || c.Code == "" {
		return p, person, refusedBy(c.Error)
	}
	issuer, err := s.issuer(ctx, &p, f.Redirect)
	if err != nil {
		return p, person, err
	}
	person, err = s.party.Finish(ctx, issuer, openid.Answer{Code: c.Code, Issuer: c.Issuer, Nonce: f.Nonce,
		Verifier: f.Verifier, Groups: len(p.AdminGroups) > 0, Fresh: f.Kind == elevates, Names: p.Claims})
	return p, person, err
}

// giveCode keeps what a command line exchanges for a key, and returns where it gets the code.
func (s *Identities) giveCode(ctx context.Context, f *flow, account model.AccountID, v *access.Vouched) (string,
	error) {
	code := model.RandomText(secretLength)
	err := s.keep(ctx, v.Organization, token(byCode, code), &flow{Kind: gives, Account: account, Issuer: v.Issuer,
		Subject: v.Subject.Subject, SID: v.Session, Challenge: f.Challenge, At: s.now()})
	query := url.Values{"code": {code}, "state": {f.Given}}
	to := url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(f.Port)), Path: "/",
		RawQuery: query.Encode()}
	return to.String(), err
}

// codeLife is for how long a command line may exchange its code.
const codeLife = time.Minute

// Exchange returns who signed in for the command line that has the code and the verifier of its challenge.
func (s *Identities) Exchange(ctx context.Context, organization model.OrganizationID, code, verifier string) (
	*access.Proven, error) {
	if _, ok := model.ParseOrganizationID(string(organization)); !ok {
		return nil, unknownSignIn()
	}
	f, err := s.take(ctx, organization, token(byCode, code))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if f.Kind != gives || subtle.ConstantTimeCompare([]byte(challenge), []byte(f.Challenge)) != 1 ||
		s.now().Sub(f.At) > codeLife {
		return nil, unknownSignIn()
	}
	vouched := access.Vouched{Session: f.SID, Subject: model.Subject{Organization: organization, Issuer: f.Issuer,
		Subject: f.Subject}}
	if err := s.wantNotEnded(ctx, &vouched, f.At); err != nil {
		return nil, err
	}
	s.Counts.SignedIn.Add(1)
	return access.ProvenBy(f.Account, vouched), nil
}

// endMarks are under what it is noted that a provider has ended all sessions of a person, or one of its own.
func endMarks(v *access.Vouched) [][]byte {
	of := string(v.Organization) + "\n" + v.Issuer + "\n"
	return [][]byte{token(byEnd, of+v.Subject.Subject), token(byEndOne, of+v.Session)}
}

// noteEnd notes what a provider ends, for the command lines that have a code of before and come for their keys yet.
func (s *Identities) noteEnd(ctx context.Context, v *access.Vouched) error {
	marks := endMarks(v)
	mark := marks[0]
	if v.Session != "" {
		mark = marks[1]
	}
	return s.Store.Update(ctx, func(tx *store.Tx) error {
		if _, _, err := tx.TakeSignIn(v.Organization, mark, time.UnixMilli(0)); err != nil {
			return err
		}
		_, err := tx.PutSignIn(&store.SignIn{Token: mark, Organization: v.Organization, Said: usedLogout, Created: s.now()})
		return err
	})
}

// wantNotEnded refuses what a provider vouched for before it ended the session.
func (s *Identities) wantNotEnded(ctx context.Context, v *access.Vouched, vouchedFor time.Time) error {
	return s.Store.View(ctx, func(tx *store.Tx) error {
		for _, mark := range endMarks(v) {
			_, ended, err := tx.SignIn(v.Organization, mark, vouchedFor.Add(-time.Millisecond))
			if err == nil && ended {
				err = unknownSignIn()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Logout ends the sessions that the provider of an organization says with a logout token (OpenID Connect Back-Channel
// Logout 1.0): once for each token. It returns how many these were. A token counts as used once they have ended, so
// that the provider can send it again where that failed.
func (s *Identities) Logout(ctx context.Context, organization model.OrganizationID, raw string) (ended int, err error) {
	p, err := s.provider(ctx, organization)
	if err != nil {
		return 0, err
	}
	said, err := s.party.Logout(ctx, openid.Issuer{URL: p.Issuer, ClientID: p.ClientID}, raw)
	if err != nil {
		return 0, s.fault(ctx, logged, organization, err)
	}
	used := token(byID, string(organization)+":"+said.ID)
	if err := s.wantUnused(ctx, organization, used); err != nil {
		return 0, err
	}
	vouched := access.Vouched{Session: said.Session,
		Subject: model.Subject{Organization: organization, Issuer: p.Issuer, Subject: said.Subject}}
	if err := s.noteEnd(ctx, &vouched); err != nil {
		return 0, err
	}
	ended, err = s.Access.EndVouched(ctx, vouched)
	s.Counts.LoggedOut.Add(int64(ended))
	if err != nil {
		return ended, err
	}
	return ended, s.Store.Update(ctx, func(tx *store.Tx) error {
		// Where it is noted already, the same token came twice at a time.
		_, err := tx.PutSignIn(&store.SignIn{Token: used, Organization: organization, Said: usedLogout, Created: s.now()})
		return err
	})
}

// wantUnused refuses a logout token that was used.
func (s *Identities) wantUnused(ctx context.Context, organization model.OrganizationID, used []byte) error {
	return s.Store.View(ctx, func(tx *store.Tx) error {
		_, seen, err := tx.SignIn(organization, used, s.now().Add(-model.SignInLife))
		if err == nil && seen {
			err = model.Forbiddenf("identity_refused", "This logout token was used before.")
		}
		return err
	})
}
