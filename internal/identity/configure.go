package identity

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"signet/internal/access"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// Command is what is asked for of a provider; what is nil stays.
type Command struct {
	Issuer, ClientID, ClientSecret, Name *string
	Domains, AdminGroups                 *[]string
	Claims                               *model.ClaimNames
	Provision, Passwords, Enabled, Shown *bool
	Forget                               string // a member whom the provider is to know no more; empty: nobody
}

// Set sets the provider of an organization up, or changes it (contract, section 9), by its administrators. Domains
// that an operator names are confirmed; an administrator keeps the confirmed ones, and adds others unconfirmed.
func (s *Identities) Set(ctx context.Context, actor *model.Actor, organization model.OrganizationID, in Command) error {
	if err := actor.MayAdminister(organization); err != nil {
		return err
	}
	if err := access.MayGiveAccess(actor); err != nil {
		return err
	}
	if err := s.valid(actor, &in); err != nil {
		return err
	}
	act := func(fresh func(*store.Tx) error, sealed []byte) error {
		err := s.Access.Administer(ctx, actor, model.ActionIdentitySet, organization,
			func(tx *store.Tx, line *model.AuditEntry) error {
				if err := fresh(tx); err != nil {
					return err
				}
				return s.set(tx, actor, organization, &in, sealed, line)
			})
		if err == nil && in.Issuer != nil {
			err = s.endUnvouched(ctx, actor, organization)
		}
		return err
	}
	if in.ClientSecret == nil || *in.ClientSecret == "" {
		return act(func(*store.Tx) error { return nil }, []byte{})
	}
	var sealed []byte
	return s.Vault.Sealing(func(leases *content.Leases) (err error) {
		sealed, err = s.Vault.SealClientSecret(ctx, leases, organization, *in.ClientSecret)
		return err
	}, func(fresh func(*store.Tx) error) error { return act(fresh, sealed) })
}

// valid refuses what no provider can have, and brings domains into their form.
func (s *Identities) valid(actor *model.Actor, in *Command) error {
	if in.Shown != nil && !actor.Operates() {
		return model.NotAllowed() // the sign-in page is everybody's
	}
	if in.Issuer != nil {
		if !model.ValidIssuer(*in.Issuer) {
			return model.Invalidf("issuer_invalid", "issuer", "Want the URL of the issuer as it spells itself, such as "+
				"https://login.example.com, of up to %d characters.", model.MaxIssuer)
		}
		if err := s.Check(*in.Issuer); err != nil {
			return model.Invalidf("issuer_refused", "issuer", "This issuer may not be called: %s.", err)
		}
	}
	for _, text := range []struct {
		field string
		value *string
		most  int
	}{{"client_id", in.ClientID, model.MaxIssuer}, {"client_secret", in.ClientSecret, 4 * model.MaxIssuer},
		{"name", in.Name, model.MaxName}} {
		if text.value == nil {
			continue
		}
		if err := model.TooLong(text.field, *text.value, text.most); err != nil {
			return err
		}
	}
	if err := validClaims(in.Claims); err != nil {
		return err
	}
	if err := validList("admin_groups", in.AdminGroups); err != nil {
		return err
	}
	return validDomains(in.Domains)
}

func validClaims(c *model.ClaimNames) error {
	if c == nil {
		return nil
	}
	for _, name := range []string{c.Username, c.Email, c.DisplayName, c.Groups} {
		if err := model.TooLong("claims", name, model.MaxClaimName); err != nil {
			return err
		}
	}
	return nil
}

func validList(field string, list *[]string) error {
	if list == nil {
		return nil
	}
	if len(*list) > model.MaxProviderList {
		return model.Invalidf("too_many", field, "At most %d are allowed.", model.MaxProviderList)
	}
	for _, one := range *list {
		if err := model.TooLong(field, one, model.MaxName); err != nil {
			return err
		}
	}
	return nil
}

// validDomains brings domains into the form that those of e-mail addresses have.
func validDomains(list *[]string) error {
	if err := validList("domains", list); err != nil || list == nil {
		return err
	}
	var folded []string
	for _, text := range *list {
		domain := DomainOf("x@" + strings.TrimPrefix(strings.TrimSpace(text), "@"))
		if domain == "" {
			return model.Invalidf("domain_invalid", "domains", "Want domains of e-mail addresses, such as example.com.")
		}
		if !slices.Contains(folded, domain) {
			folded = append(folded, domain)
		}
	}
	*list = folded
	return nil
}

// DomainOf is the domain of an e-mail address, in the one form in which they are compared; empty where it is no
// address.
func DomainOf(email string) string {
	address := access.Email(email)
	if !model.ValidEmail(address) {
		return ""
	}
	return address[strings.LastIndexByte(address, '@')+1:]
}

// set writes what is asked for, in a transaction that has locked the organization.
func (s *Identities) set(tx *store.Tx, actor *model.Actor, organization model.OrganizationID, in *Command,
	sealed []byte, line *model.AuditEntry) error {
	p, found, err := tx.Provider(organization)
	if err != nil {
		return err
	}
	before := p.Provider
	if !found {
		o, there, err := tx.Organization(organization)
		if err != nil || !there {
			return orMissing(err)
		}
		p = store.ProviderRow{Secret: []byte{}, Provider: model.Provider{Organization: organization, Name: o.Name,
			Passwords: true, Enabled: true, Created: s.now(), Domains: []string{}, AdminGroups: []string{}}}
	}
	if err := apply(&p, in, sealed, found); err != nil {
		return err
	}
	if found && !actor.Operates() && (p.Version != before.Version || before.Enabled && !p.Enabled) {
		if err := wantOtherWay(tx, organization); err != nil {
			return err
		}
	}
	if in.Domains != nil {
		if err := s.claimDomains(tx, actor, &p.Provider); err != nil {
			return err
		}
	}
	line.Detail = detail(&p.Provider)
	if in.Forget != "" {
		t, err := s.Access.Target(tx, actor, in.Forget)
		if err != nil {
			return err
		}
		line.Action, line.User = model.ActionIdentityForget, t.ID
		if err := tx.ForgetSubjects(organization, t.ID); err != nil {
			return err
		}
	}
	return tx.PutProvider(&p)
}

func orMissing(err error) error {
	if err != nil {
		return err
	}
	return model.Missing()
}

// apply puts what is asked for into a provider.
func apply(p *store.ProviderRow, in *Command, sealed []byte, found bool) error {
	before := p.Provider
	p.Issuer, p.ClientID = given(in.Issuer, p.Issuer), given(in.ClientID, p.ClientID)
	switch {
	case p.Issuer == "":
		return model.Invalidf("issuer_required", "issuer", "A provider has an issuer.")
	case p.ClientID == "":
		return model.Invalidf("client_id_required", "client_id", "A provider has a client ID.")
	case found && p.Issuer != before.Issuer && in.ClientSecret == nil && len(p.Secret) > 0:
		return model.Invalidf("client_secret_required", "client_secret", // else it would be told to another issuer
			"Another issuer takes the secret by which it knows the server.")
	}
	if in.ClientSecret != nil {
		p.Secret = sealed
	}
	if p.Issuer != before.Issuer || p.ClientID != before.ClientID || in.ClientSecret != nil {
		p.Version++
	}
	if in.Name != nil && model.TidyName(*in.Name) != "" {
		p.Name = model.TidyName(*in.Name)
	}
	if in.Domains != nil {
		p.Domains = *in.Domains
	}
	if in.AdminGroups != nil {
		p.AdminGroups = *in.AdminGroups
	}
	if in.Claims != nil {
		p.Claims = *in.Claims
	}
	p.Provision, p.Passwords = given(in.Provision, p.Provision), given(in.Passwords, p.Passwords)
	p.Enabled, p.Shown = given(in.Enabled, p.Enabled), given(in.Shown, p.Shown)
	return nil
}

func given[T any](asked *T, has T) T {
	if asked != nil {
		return *asked
	}
	return has
}

// claimDomains confirms the domains that an operator says, and drops confirmed ones that are asked for no more.
func (s *Identities) claimDomains(tx *store.Tx, actor *model.Actor, p *model.Provider) error {
	confirmed, err := tx.DomainsOf(p.Organization)
	if err != nil {
		return err
	}
	for _, d := range confirmed {
		if !slices.Contains(p.Domains, d.Domain) {
			if err := tx.DropDomain(p.Organization, d.Domain); err != nil {
				return err
			}
		}
	}
	if !actor.Operates() {
		return nil
	}
	for _, domain := range p.Domains {
		ok, err := tx.ConfirmDomain(&store.ConfirmedDomain{Domain: domain, Organization: p.Organization,
			Confirmed: s.now()})
		if err != nil {
			return err
		}
		if !ok {
			return model.Invalidf("domain_taken", "domains", "The domain %s is confirmed to be of another organization.",
				domain)
		}
	}
	return nil
}

// wantOtherWay refuses what could leave an organization whose administrators cannot sign in: one of them has to have a
// password, a passkey, or an administrative key. Operators always can, and are not asked.
func wantOtherWay(tx *store.Tx, organization model.OrganizationID) error {
	admins, err := tx.Holders(organization, model.RoleAdmin)
	if err != nil {
		return err
	}
	disabled, err := tx.DisabledAmong(admins)
	if err != nil {
		return err
	}
	for _, id := range admins {
		if slices.Contains(disabled, id) {
			continue
		}
		password, err := tx.Password(id)
		if err != nil || password.Hash != "" {
			return err
		}
		passkeys, err := tx.Passkeys(id)
		if err != nil || slices.ContainsFunc(passkeys, func(p model.Passkey) bool {
			k := p.Key()
			return k.Covers(organization)
		}) {
			return err
		}
		keys, err := tx.Keys(id)
		if err != nil || slices.ContainsFunc(keys, func(k model.Key) bool {
			return k.Kind == model.Administrative && !k.Session && k.Expires.IsZero() && k.Covers(organization)
		}) {
			return err
		}
	}
	return model.Invalidf("administrators_locked_out", "", "No administrator of the organization could sign in any more: "+
		"give one a password, a passkey or an administrative key first, or ask an operator.")
}

// detail tells the audit log of a provider.
func detail(p *model.Provider) string {
	host := ""
	if u, err := url.Parse(p.Issuer); err == nil {
		host = u.Host
	}
	return fmt.Sprintf("issuer=%s version=%d enabled=%v passwords=%v provision=%v domains=%d admin_groups=%d", host,
		p.Version, p.Enabled, p.Passwords, p.Provision, len(p.Domains), len(p.AdminGroups))
}

// endUnvouched ends what came of sign-ins with an issuer that the organization has no more. It goes on though the
// caller leaves: what there is to end was decided.
func (s *Identities) endUnvouched(ctx context.Context, actor *model.Actor, organization model.OrganizationID) error {
	_, err := s.Access.EndUnvouched(context.WithoutCancel(ctx), actor, organization)
	return err
}

// Remove ends that members of an organization sign in with its provider, which knows none of them any more, and the
// sessions that came of it, but for the actor's. Where it fails in the middle of these, another call goes on with them.
func (s *Identities) Remove(ctx context.Context, actor *model.Actor, organization model.OrganizationID) error {
	if err := actor.MayAdminister(organization); err != nil {
		return err
	}
	if err := access.MayGiveAccess(actor); err != nil {
		return err
	}
	err := s.Access.Administer(ctx, actor, model.ActionIdentityRemove, organization,
		func(tx *store.Tx, _ *model.AuditEntry) error {
			if !actor.Operates() {
				if err := wantOtherWay(tx, organization); err != nil {
					return err
				}
			}
			found, err := tx.DeleteProvider(organization)
			if err == nil && !found {
				err = model.Missing()
			}
			return err
		})
	if err == nil || model.IsNotFound(err) {
		err = cmp.Or(s.endUnvouched(ctx, actor, organization), err)
	}
	return err
}

// Shown is a provider as its administrators see it, without the secret.
type Shown struct {
	model.Provider
	HasSecret bool
	Confirmed []string // of its domains
	Tried     bool     // an administrator has come by it as it is now, which passwords wait for to be off
}

// Show shows the provider of an organization to its administrators.
func (s *Identities) Show(ctx context.Context, actor *model.Actor, organization model.OrganizationID) (out Shown,
	err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return out, err
	}
	var found bool
	err = s.Access.Administer(ctx, actor, model.ActionIdentityRead, organization,
		func(tx *store.Tx, _ *model.AuditEntry) (err error) {
			var p store.ProviderRow
			out = Shown{}
			if p, found, err = tx.Provider(organization); err != nil {
				return err
			}
			if !found { // which is worth knowing, and no refusal
				if _, there, err := tx.Organization(organization); err != nil || !there {
					return orMissing(err)
				}
				return nil
			}
			confirmed, err := tx.DomainsOf(organization)
			if err != nil {
				return err
			}
			for _, d := range confirmed {
				out.Confirmed = append(out.Confirmed, d.Domain)
			}
			out.Provider, out.HasSecret = p.Provider, len(p.Secret) > 0
			out.Tried, err = access.ProviderTried(tx, &p.Provider)
			return err
		})
	if err == nil && !found {
		err = model.Missing()
	}
	return out, err
}

// Choice is a provider as whoever signs in sees it.
type Choice struct {
	ID   model.OrganizationID
	Name string
}

// mostChoices is how many providers the sign-in page shows.
const mostChoices = 20

// Choices are the providers that the domain of an e-mail address signs in with; without one, those that an operator has
// the sign-in page show. They tell nothing of who there is.
func (s *Identities) Choices(ctx context.Context, login string) (out []Choice, err error) {
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		out = nil
		if login == "" {
			shown, err := tx.ShownProviders(mostChoices)
			for i := range shown {
				out = append(out, Choice{shown[i].Organization, shown[i].Name})
			}
			return err
		}
		domain := DomainOf(login)
		if domain == "" {
			return nil
		}
		owner, found, err := tx.DomainOwner(domain)
		if err != nil || !found {
			return err
		}
		p, found, err := tx.Provider(owner)
		if found && p.Enabled {
			out = append(out, Choice{owner, cmp.Or(p.Name, string(owner))})
		}
		return err
	}, store.Short)
	return out, err
}

// ChoiceOf is the provider that a session of the organization's scope can be elevated by; none where that is empty.
func (s *Identities) ChoiceOf(ctx context.Context, organization model.OrganizationID) (c Choice, found bool,
	err error) {
	if organization == "" {
		return c, false, nil
	}
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		p, there, err := tx.Provider(organization)
		found = there && p.Enabled
		c = Choice{organization, p.Name}
		return err
	}, store.Short)
	return c, found, err
}
