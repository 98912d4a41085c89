package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"signet/internal/model"
)

// ProviderRow is a provider with the secret by which its issuer knows the server.
type ProviderRow struct {
	model.Provider
	Secret []byte // sealed
}

const providerColumns = `organization, issuer, client_id, secret, name, domains, claims, admin_groups, provision,
	passwords, enabled, shown, version, created, code`

// values are what a provider has in its columns, all of which its code covers.
func (p *ProviderRow) values() ([]any, error) {
	domains, err := json.Marshal(p.Domains)
	if err != nil {
		return nil, err
	}
	claims, err := json.Marshal(p.Claims)
	if err != nil {
		return nil, err
	}
	groups, err := json.Marshal(p.AdminGroups)
	return []any{p.Organization, p.Issuer, p.ClientID, p.Secret, p.Name, string(domains), string(claims), string(groups),
		p.Provision, p.Passwords, p.Enabled, p.Shown, p.Version, Millis(p.Created)}, err
}

// codedProvider is what the code of a provider covers.
type codedProvider struct {
	organization model.OrganizationID
	values       []any
}

func (p *codedProvider) cover(m *mac) {
	m.text("provider")
	for _, value := range p.values {
		m.value(value)
	}
}

func (p *codedProvider) name() Forgery { return Forgery{"provider", string(p.organization)} }

// scanProvider reads a provider, and reports whether its code is right.
func (tx *Tx) scanProvider(row Row, p *ProviderRow) (genuine bool, err error) {
	var domains, claims, groups string
	var created int64
	var code []byte
	if err := row.Scan(&p.Organization, &p.Issuer, &p.ClientID, &p.Secret, &p.Name, &domains, &claims, &groups,
		&p.Provision, &p.Passwords, &p.Enabled, &p.Shown, &p.Version, &created, &code); err != nil {
		return false, err
	}
	p.Created = FromMillis(created)
	values := []any{p.Organization, p.Issuer, p.ClientID, p.Secret, p.Name, domains, claims, groups, p.Provision,
		p.Passwords, p.Enabled, p.Shown, p.Version, created}
	if !tx.genuine(code, &codedProvider{p.Organization, values}) {
		return false, nil // what it holds is perhaps no JSON either
	}
	if err := errors.Join(json.Unmarshal([]byte(domains), &p.Domains), json.Unmarshal([]byte(claims), &p.Claims),
		json.Unmarshal([]byte(groups), &p.AdminGroups)); err != nil {
		return false, fmt.Errorf("read the provider of %s: %w", p.Organization, err)
	}
	return true, nil
}

// providers returns those of a selection.
func (tx *Tx) providers(where string, args ...any) (out []ProviderRow, err error) {
	const selected = `SELECT ` + providerColumns + ` FROM providers WHERE ` + OfStanding + `providers.organization)) AND `
	err = tx.Query(selected+where, args, func(row Row) error {
		var p ProviderRow
		genuine, err := tx.scanProvider(row, &p)
		if err == nil && genuine {
			out = append(out, p)
		}
		return err
	})
	return out, err
}

// Provider returns the provider of an organization.
func (tx *Tx) Provider(organization model.OrganizationID) (p ProviderRow, found bool, err error) {
	all, err := tx.providers(`organization = ?`, organization)
	if err != nil || len(all) == 0 {
		return p, false, err
	}
	return all[0], true, nil
}

// ShownProviders returns those that everybody sees on the sign-in page, up to limit, by their names.
func (tx *Tx) ShownProviders(limit int) ([]ProviderRow, error) {
	return tx.providers(`shown = 1 AND enabled = 1 ORDER BY name, organization LIMIT ? + 0`, limit)
}

// ProvidersAfter returns up to limit providers in the order of their organizations, from the one after the given one.
func (tx *Tx) ProvidersAfter(last model.OrganizationID, limit int) ([]ProviderRow, error) {
	return tx.providers(`organization > ? ORDER BY organization LIMIT ? + 0`, last, limit)
}

// PutProvider adds the provider of an organization, or replaces it.
func (tx *Tx) PutProvider(p *ProviderRow) error {
	values, err := p.values()
	if err != nil {
		return err
	}
	code, err := tx.code(&codedProvider{p.Organization, values})
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO providers (`+providerColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id,
		secret = excluded.secret, name = excluded.name, domains = excluded.domains, claims = excluded.claims,
		admin_groups = excluded.admin_groups, provision = excluded.provision, passwords = excluded.passwords,
		enabled = excluded.enabled, shown = excluded.shown, version = excluded.version, created = excluded.created,
		code = excluded.code`, append(values, code)...)
}

// DeleteProvider removes the provider of an organization with all that it knows, and reports whether there was one.
// Which keys came of its sign-ins stays known, for as long as they are there.
func (tx *Tx) DeleteProvider(organization model.OrganizationID) (bool, error) {
	for _, table := range []string{"provider_domains", "subjects"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE organization = ?`, organization); err != nil {
			return false, err
		}
	}
	n, err := tx.Exec(`DELETE FROM providers WHERE organization = ?`, organization)
	return n > 0, err
}

// checkProviders checks the codes of a batch of providers.
func (tx *Tx) checkProviders(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+providerColumns+` FROM providers WHERE organization > ? ORDER BY organization LIMIT ? + 0`,
		after, func(row Row) error {
			var p ProviderRow
			_, err := tx.scanProvider(row, &p)
			last, n = []any{p.Organization}, n+1
			return err
		})
	return last, n, err
}

// ConfirmedDomain is a domain of e-mail addresses that an operator confirmed.
type ConfirmedDomain struct {
	Domain       string
	Organization model.OrganizationID
	Confirmed    time.Time
}

func (d *ConfirmedDomain) cover(m *mac) {
	m.text("domain")
	m.text(d.Domain)
	m.text(string(d.Organization))
	m.number(Millis(d.Confirmed))
}

func (d *ConfirmedDomain) name() Forgery { return Forgery{"domain", d.Domain} }

const domainColumns = `domain, organization, confirmed, code`

func (tx *Tx) scanDomain(row Row, d *ConfirmedDomain) (genuine bool, err error) {
	var confirmed int64
	var code []byte
	if err := row.Scan(&d.Domain, &d.Organization, &confirmed, &code); err != nil {
		return false, err
	}
	d.Confirmed = FromMillis(confirmed)
	return tx.genuine(code, d), nil
}

func (tx *Tx) domains(where string, args ...any) (out []ConfirmedDomain, err error) {
	const selected = `SELECT ` + domainColumns + ` FROM provider_domains WHERE ` +
		OfStanding + `provider_domains.organization)) AND `
	err = tx.Query(selected+where, args, func(row Row) error {
		var d ConfirmedDomain
		genuine, err := tx.scanDomain(row, &d)
		if err == nil && genuine {
			out = append(out, d)
		}
		return err
	})
	return out, err
}

// DomainOwner returns the organization that a domain was confirmed to be of.
func (tx *Tx) DomainOwner(domain string) (owner model.OrganizationID, found bool, err error) {
	all, err := tx.domains(`domain = ?`, domain)
	if err != nil || len(all) == 0 {
		return "", false, err
	}
	return all[0].Organization, true, nil
}

// DomainsOf lists the confirmed domains of an organization.
func (tx *Tx) DomainsOf(organization model.OrganizationID) ([]ConfirmedDomain, error) {
	return tx.domains(`organization = ? ORDER BY domain`, organization)
}

// ConfirmDomain notes that a domain is an organization's. ok is false where it is another's.
func (tx *Tx) ConfirmDomain(d *ConfirmedDomain) (ok bool, err error) {
	code, err := tx.code(d)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO provider_domains (`+domainColumns+`) VALUES (?, ?, ?, ?)
		ON CONFLICT (domain) DO UPDATE SET confirmed = excluded.confirmed, code = excluded.code
		WHERE provider_domains.organization = excluded.organization`, d.Domain, d.Organization, Millis(d.Confirmed), code)
	return n > 0, err
}

// DropDomain takes a confirmed domain from an organization.
func (tx *Tx) DropDomain(organization model.OrganizationID, domain string) error {
	return tx.Post(`DELETE FROM provider_domains WHERE domain = ? AND organization = ?`, domain, organization)
}

// checkDomains checks the codes of a batch of confirmed domains.
func (tx *Tx) checkDomains(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT `+domainColumns+` FROM provider_domains WHERE domain > ? ORDER BY domain LIMIT ? + 0`, after,
		func(row Row) error {
			var d ConfirmedDomain
			_, err := tx.scanDomain(row, &d)
			last, n = []any{d.Domain}, n+1
			return err
		})
	return last, n, err
}
