package export

import (
	"context"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/overview"
	"signet/internal/store/provision"
)

// Profile is what an archive says of the account itself.
type Profile struct {
	Account       model.Entity
	Operator      bool
	Organizations []Membership
	Requests      []store.JoinRequest // of organizations that want the account
}

// Membership is the account in an organization.
type Membership struct {
	model.Membership
	Name     string             // of the organization
	Pending  []string           // roles that it asks for
	Metadata map[string]string  // nil where the archive has no content
	Kept     *provision.Person  // what the directory of the organization calls the account; nil: it does not keep it
	Subjects []store.SubjectRow // whom the provider of the organization knows as the account
}

// Profile returns what the archive says of the account.
func (a *Archive) Profile(ctx context.Context) (p Profile, err error) {
	of := &a.Exported
	p = Profile{Account: of.SeenBy(a.actor, ""), Operator: of.Operator}
	p.Account.Account.Disabled = of.Disabled
	err = a.exporter.store.View(ctx, func(tx *store.Tx) error {
		p.Organizations = make([]Membership, len(of.Memberships))
		for i, m := range of.Memberships {
			o, _, err := tx.Organization(m.Organization)
			if err != nil {
				return err
			}
			pending, err := overview.PendingRoles(tx, m.Organization, []model.AccountID{a.Account})
			if err != nil {
				return err
			}
			p.Organizations[i] = Membership{Membership: m, Name: o.Name, Pending: overview.RoleNames(pending[a.Account])}
			if err := p.Organizations[i].known(tx); err != nil {
				return err
			}
		}
		if !of.All {
			return nil
		}
		requests, err := tx.JoinRequestsOf([]model.AccountID{a.Account})
		p.Requests = requests[a.Account]
		return err
	})
	if err != nil || !a.Own {
		return p, err
	}
	for i := range p.Organizations {
		m := &p.Organizations[i]
		if m.Metadata, err = a.exporter.service.Metadata(ctx, of.Reader, a.Account.String(), m.Organization); err != nil {
			return p, err
		}
	}
	return p, nil
}

// known reads under which names the organization's directory and its provider know the account.
func (m *Membership) known(tx *store.Tx) error {
	person, kept, err := provision.Of(tx, m.Organization, m.Account)
	if err != nil {
		return err
	}
	if kept {
		m.Kept = &person
	}
	m.Subjects, err = tx.SubjectsOf(m.Organization, []model.AccountID{m.Account})
	return err
}

// Avatar opens the person's picture, where the server keeps one: nil, where there is none, or
// the archive has no content. The caller closes it.
func (a *Archive) Avatar(ctx context.Context) (contentType string, picture blob.Blob, err error) {
	text, stored := model.StoredAvatar(a.Exported.Avatar)
	id, ok := model.ParseBlobID(text)
	if !a.Own || !stored || !ok {
		return "", nil, nil
	}
	contentType, picture, err = a.exporter.service.Avatar(ctx, a.Exported.Reader, id)
	if model.IsNotFound(err) || model.IsLost(err) {
		return "", nil, nil
	}
	return contentType, picture, err
}

// Keys returns the account's keys, without their secrets.
func (a *Archive) Keys(ctx context.Context) ([]model.Key, error) {
	return a.exporter.access.ExportedKeys(ctx, a.actor, a.Export)
}

// Webhooks returns the account's webhooks, without what they sign with.
func (a *Archive) Webhooks(ctx context.Context) ([]store.WebhookRow, error) {
	return a.exporter.access.ExportedWebhooks(ctx, a.actor, a.Export)
}

// Passkeys returns the account's passkeys.
func (a *Archive) Passkeys(ctx context.Context) ([]model.Passkey, error) {
	return a.exporter.access.ExportedPasskeys(ctx, a.actor, a.Export)
}

// Mutes returns what the person has muted.
func (a *Archive) Mutes(ctx context.Context) ([]model.Mute, error) {
	all, err := a.exporter.service.Mutes(ctx, a.Exported.Reader)
	var out []model.Mute
	for _, m := range all {
		if a.Exported.Reader.MemberOf(m.Organization) {
			out = append(out, m)
		}
	}
	return out, err
}
