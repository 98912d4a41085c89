package people

import (
	"context"
	"errors"
	"slices"
	"strings"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
)

// Existing is an account that has the addresses of a person who is asked for.
type Existing struct {
	model.Entity
	Member  bool     // of the organization of the call
	Differs []string // of a member: the fields of which something else is asked for
}

// look finds out, for a dry run, what keeps a person from being made besides the faults that are
// known: a password that has a name in it, and addresses that are taken. Where one account has all
// of these, that is told.
func (b *batch) look(ctx context.Context, c *CreateCommand, account *model.Account, out *Outcome) error {
	if c.Password != "" && access.ValidPassword(c.Password) == nil {
		err := b.access.WantOwnPassword(ctx, c.Password, account, []model.Membership{{Organization: c.Organization}})
		if told, refused := errors.AsType[*model.Error](err); refused {
			out.Errs = append(out.Errs, told)
		} else if err != nil {
			return err
		}
	}
	known := out.Errs
	return b.store.View(ctx, func(tx *store.Tx) error {
		out.Errs, out.SameAs, out.Existing = slices.Clip(known), b.claimant(account), nil
		claims, err := b.claims(tx, c, account)
		if err != nil {
			return err
		}
		told := map[model.AddressKind]bool{}
		for _, claim := range claims {
			if !told[claim.kind] {
				told[claim.kind] = true
				out.Errs = append(out.Errs, model.AddressTaken(claim.kind))
			}
		}
		if len(claims) > 0 && !slices.ContainsFunc(claims, func(o claim) bool { return o.owner != claims[0].owner }) {
			out.Existing, err = b.existing(tx, claims[0].owner, c, account)
		}
		return err
	})
}

// claim is an address of a person that somebody has.
type claim struct {
	kind  model.AddressKind
	owner model.AccountID // zero: one before in the call, who is not made
}

// claims are the addresses of a person that somebody has, or would have.
func (b *batch) claims(tx *store.Tx, c *CreateCommand, account *model.Account) (out []claim, err error) {
	for _, address := range account.Addresses() {
		owner, taken, err := tx.AccountAt(address)
		if err != nil {
			return nil, err
		}
		if _, claimed := b.claimed[address]; taken || claimed {
			out = append(out, claim{address.Kind, owner})
		}
	}
	for _, text := range slices.Concat(c.Emails, c.Phones) {
		owner, kind, taken, err := b.access.FormerOwner(tx, text)
		if err != nil {
			return nil, err
		}
		if taken {
			out = append(out, claim{kind, owner})
		}
	}
	return out, nil
}

// existing returns an account that has the addresses of a person, as the actor sees it; nil where
// that is nobody, or ends just now.
func (b *batch) existing(tx *store.Tx, owner model.AccountID, c *CreateCommand,
	account *model.Account) (*Existing, error) {
	if owner == (model.AccountID{}) {
		return nil, nil
	}
	t, err := b.access.Target(tx, b.actor, owner.String())
	if model.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := &Existing{Entity: t.SeenBy(b.actor, c.Organization)}
	var m model.Membership
	if m, found.Member = t.In(c.Organization); found.Member {
		found.Differs = differing(c, account, &t.Account, &m)
	}
	return found, nil
}

// differing are the fields of an account that say something else than a person who is asked for.
// What the person does not say is no difference, nor is an address more that the account has.
func differing(c *CreateCommand, asked, is *model.Account, m *model.Membership) []string {
	out := []string{}
	for _, text := range []struct{ field, asked, is string }{
		{"username", strings.ToLower(asked.Username), strings.ToLower(is.Username)},
		{"display_name", model.TidyName(c.DisplayName), is.DisplayName},
		{"first_name", asked.FirstName, is.FirstName},
		{"last_name", asked.LastName, is.LastName},
		{"title", model.TidyName(c.Title), m.Title},
		{"department", model.TidyName(c.Department), m.Department},
	} {
		if text.asked != "" && text.asked != text.is {
			out = append(out, text.field)
		}
	}
	has := is.Addresses()
	for _, kind := range []struct {
		field string
		kind  model.AddressKind
	}{{"emails", model.EmailAddress}, {"phones", model.PhoneAddress}} {
		if slices.ContainsFunc(asked.Addresses(), func(a model.Address) bool {
			return a.Kind == kind.kind && !slices.Contains(has, a)
		}) {
			out = append(out, kind.field)
		}
	}
	return out
}
