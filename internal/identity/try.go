package identity

import (
	"context"
	"encoding/json"

	"signet/internal/model"
	"signet/internal/openid"
	"signet/internal/store"
)

// Tried is what came of trying a provider.
type Tried struct {
	Passed  bool   `json:"passed"`
	Code    string `json:"code,omitempty"`    // of the error with which a sign-in would have failed; empty: it would not
	Problem string `json:"problem,omitempty"` // why, for people

	Subject     string          `json:"subject,omitempty"` // what the provider said; empty: nothing
	Email       string          `json:"email,omitempty"`
	Verified    bool            `json:"verified,omitempty"`
	Username    string          `json:"username,omitempty"`
	DisplayName string          `json:"display_name,omitempty"`
	Groups      []string        `json:"groups,omitempty"`
	Outcome     string          `json:"outcome,omitempty"` // known, linked or made
	Account     model.AccountID `json:"account,omitzero"`  // that the person would sign in to; zero: a new one
	Admin       bool            `json:"admin,omitempty"`   // the groups make it an administrator
}

// mostGroups is how many groups what came of a test repeats.
const mostGroups = 50

// finishTry keeps what would have come of a sign-in. Where it is the administrator's own account to which it leads, the
// account is linked, as by a sign-in: it has then come by the provider as it is now.
func (s *Identities) finishTry(ctx context.Context, c *Callback, f *flow) error {
	out := &Tried{}
	p, person, err := s.vouched(ctx, c, f)
	if err == nil {
		out.Subject, out.Email, out.Verified = person.Subject, person.Email, person.Verified
		out.Username, out.DisplayName = person.Username, person.DisplayName
		out.Groups = person.Groups[:min(len(person.Groups), mostGroups)]
		out.Admin = p.Administers(person.Groups)
		err = s.tryPlace(ctx, &p, &person, f, out)
	}
	if err != nil {
		told, ok := asModel(s.fault(ctx, f.Kind, c.Organization, err))
		if !ok {
			return err
		}
		out.Code, out.Problem = told.Code, told.Message
		if _, shown := asModel(err); !shown {
			out.Problem = cut(err.Error())
		}
	}
	out.Passed = err == nil
	return s.keep(ctx, c.Organization, token(byTest, f.Test), &flow{Kind: tried, Account: f.Account, Result: out})
}

// tryPlace finds where a sign-in would lead to.
func (s *Identities) tryPlace(ctx context.Context, p *store.ProviderRow, person *openid.Person, f *flow,
	out *Tried) error {
	at, err := store.Read(ctx, s.Store, func(tx *store.Tx) (place, error) { return s.find(tx, p, person) })
	if err != nil {
		return err
	}
	out.Outcome, out.Account = string(at.way), at.account
	if at.way == made || at.account != f.Account {
		return nil
	}
	_, err = s.admit(ctx, p, person)
	return err
}

// Tested returns what came of a test that an administrator of the organization began; nil: it is not over. A test is
// asked about for model.SignInLife.
func (s *Identities) Tested(ctx context.Context, actor *model.Actor, organization model.OrganizationID, test string) (
	out *Tried, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return nil, err
	}
	err = s.Access.Administer(ctx, actor, model.ActionIdentityRead, organization, func(tx *store.Tx,
		_ *model.AuditEntry) error {
		out = nil
		row, found, err := tx.SignIn(organization, token(byTest, test), s.now().Add(-model.SignInLife))
		if err != nil || !found {
			return err
		}
		var f flow
		if err := json.Unmarshal([]byte(row.Said), &f); err != nil {
			return err
		}
		if f.Account == actor.Account {
			out = f.Result
		}
		return nil
	})
	return out, err
}
