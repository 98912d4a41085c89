package store

import (
	"sort"

	"signet/internal/model"
)

// PutMembership adds an account to an organization, or changes the title and
// department of one that is there. added reports which.
func (tx *Tx) PutMembership(m model.Membership) (added bool, err error) {
	// The insert comes first: of two who add it at the same time, one finds it there.
	n, err := tx.exec(
		`INSERT INTO memberships (organization, account, title, department, joined, since) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, account) DO NOTHING`,
		m.Organization, m.Account, m.Title, m.Department, millis(m.Joined), m.Since)
	if err != nil || n > 0 {
		return n > 0, err
	}
	err = tx.post(`UPDATE memberships SET title = ?, department = ? WHERE organization = ? AND account = ?`,
		m.Title, m.Department, m.Organization, m.Account)
	return false, err
}

// DeleteMembership takes an account and its roles out of an organization.
func (tx *Tx) DeleteMembership(organization model.OrganizationID, account model.AccountID) error {
	if err := tx.post(`DELETE FROM roles WHERE organization = ? AND account = ?`, organization, account); err != nil {
		return err
	}
	err := tx.post(`DELETE FROM memberships WHERE organization = ? AND account = ?`, organization, account)
	return err
}

// Memberships returns where an account belongs, the oldest membership first,
// with its granted roles.
func (tx *Tx) Memberships(account model.AccountID) ([]model.Membership, error) {
	return tx.memberships(`m.account = ?`, account)
}

// MembershipsOfEach lists where several accounts belong, of each the oldest membership
// first; one that belongs nowhere is left out.
func (tx *Tx) MembershipsOfEach(accounts []model.AccountID) (map[model.AccountID][]model.Membership, error) {
	all, err := tx.memberships(`m.account IN (?*)`, accounts)
	out := make(map[model.AccountID][]model.Membership, len(accounts))
	for _, m := range all {
		out[m.Account] = append(out[m.Account], m)
	}
	return out, err
}

// OrganizationsOf lists where an account belongs, the oldest membership first, and
// nothing more: for the way of every message.
func (tx *Tx) OrganizationsOf(account model.AccountID) (out []model.OrganizationID, err error) {
	err = tx.each(`SELECT organization FROM memberships WHERE account = ? ORDER BY joined, since, organization`,
		[]any{account}, func(row Row) error {
			var id model.OrganizationID
			err := row.Scan(&id)
			out = append(out, id)
			return err
		})
	return out, err
}

// OrganizationsOfEach lists where several accounts belong; one that belongs nowhere
// is left out.
func (tx *Tx) OrganizationsOfEach(accounts []model.AccountID) (map[model.AccountID][]model.OrganizationID, error) {
	out := make(map[model.AccountID][]model.OrganizationID, len(accounts))
	err := tx.each(`SELECT account, organization FROM memberships WHERE account IN (?*)`, []any{accounts},
		func(row Row) error {
			var account model.AccountID
			var organization model.OrganizationID
			err := row.Scan(&account, &organization)
			out[account] = append(out[account], organization)
			return err
		})
	return out, err
}

// MembershipsIn returns the memberships of several accounts in one organization,
// with their granted roles; accounts that do not belong to it are left out.
func (tx *Tx) MembershipsIn(organization model.OrganizationID, accounts []model.AccountID) ([]model.Membership, error) {
	return tx.memberships(`m.organization = ? AND m.account IN (?*)`, organization, accounts)
}

func (tx *Tx) memberships(where string, args ...any) ([]model.Membership, error) {
	var out []model.Membership
	err := tx.each(`SELECT m.organization, m.account, m.title, m.department, m.joined, m.since, COALESCE(r.role, '')
		FROM memberships m LEFT JOIN roles r ON r.organization = m.organization AND r.account = m.account AND r.pending = 0
		WHERE `+where+` ORDER BY m.joined, m.since, m.organization, m.account, r.role`, args, func(row Row) error {
		var m model.Membership
		var joined int64
		var role string
		if err := row.Scan(&m.Organization, &m.Account, &m.Title, &m.Department, &joined, &m.Since, &role); err != nil {
			return err
		}
		if n := len(out) - 1; n < 0 || out[n].Organization != m.Organization || out[n].Account != m.Account {
			m.Joined = fromMillis(joined)
			out = append(out, m)
		}
		if role != "" {
			last := &out[len(out)-1]
			last.Roles = append(last.Roles, role)
		}
		return nil
	})
	return out, err
}

// IsMember reports whether an account belongs to an organization.
func (tx *Tx) IsMember(organization model.OrganizationID, account model.AccountID) (bool, error) {
	var one int64
	return tx.one(`SELECT 1 FROM memberships WHERE organization = ? AND account = ?`, []any{organization, account}, &one)
}

// AreMembers reports whether two accounts, or one given twice, belong to an
// organization.
func (tx *Tx) AreMembers(organization model.OrganizationID, a, b model.AccountID) (bool, error) {
	var one int64
	return tx.one(`SELECT 1 FROM memberships a JOIN memberships b ON b.organization = a.organization
		WHERE a.organization = ? AND a.account = ? AND b.account = ?`, []any{organization, a, b}, &one)
}

// MembersOf lists all accounts of an organization.
func (tx *Tx) MembersOf(organization model.OrganizationID) (out []model.AccountID, err error) {
	err = tx.each(`SELECT account FROM memberships WHERE organization = ?`, []any{organization}, func(row Row) error {
		var id model.AccountID
		err := row.Scan(&id)
		out = append(out, id)
		return err
	})
	return out, err
}

// PutRole grants a role, or notes that it is asked for. A granted one is not
// turned back into a pending one.
func (tx *Tx) PutRole(organization model.OrganizationID, account model.AccountID, role string, pending bool) error {
	err := tx.post(`INSERT INTO roles (organization, account, role, pending) VALUES (?, ?, ?, ?)
		ON CONFLICT (organization, account, role) DO UPDATE SET pending = CASE WHEN roles.pending = 0 THEN 0
		ELSE excluded.pending END`,
		organization, account, role, pending)
	return err
}

// DeleteRole takes a role away, granted or asked for.
func (tx *Tx) DeleteRole(organization model.OrganizationID, account model.AccountID, role string) error {
	err := tx.post(`DELETE FROM roles WHERE organization = ? AND account = ? AND role = ?`, organization, account, role)
	return err
}

// PendingRole reports whether the role is asked for and not yet granted.
func (tx *Tx) PendingRole(organization model.OrganizationID, account model.AccountID, role string) (bool, error) {
	var one int64
	return tx.one(`SELECT 1 FROM roles WHERE organization = ? AND account = ? AND role = ? AND pending = 1`,
		[]any{organization, account, role}, &one)
}

// Holders lists the accounts that hold a role in an organization.
func (tx *Tx) Holders(organization model.OrganizationID, role string) (out []model.AccountID, err error) {
	err = tx.each(`SELECT account FROM roles WHERE organization = ? AND role = ? AND pending = 0`,
		[]any{organization, role}, func(row Row) error {
			var id model.AccountID
			err := row.Scan(&id)
			out = append(out, id)
			return err
		})
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out, err
}
