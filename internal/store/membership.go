package store

import (
	"sort"
	"time"

	"signet/internal/model"
)

// PutMembership adds an account to an organization, or changes the title and
// department of one that is there. added reports which. A row that no server wrote is none
// that is there, and is overwritten.
func (tx *Tx) PutMembership(m model.Membership) (added bool, err error) {
	tx.NotePeople(m.Account)
	// The insert comes first: of two who add it at the same time, one finds it there.
	code, err := tx.code(&membershipRow{m.Organization, m.Account, Millis(m.Joined), m.Since})
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(
		`INSERT INTO memberships (organization, account, title, department, joined, since, code)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization, account) DO NOTHING`,
		m.Organization, m.Account, m.Title, m.Department, Millis(m.Joined), m.Since, code)
	if err != nil || n > 0 {
		return n > 0, err
	}
	member, err := tx.IsMember(m.Organization, m.Account)
	switch {
	case err != nil:
		return false, err
	case member:
		return false, tx.Post(`UPDATE memberships SET title = ?, department = ? WHERE organization = ? AND account = ?`,
			m.Title, m.Department, m.Organization, m.Account)
	default:
		return true, tx.Post(`UPDATE memberships SET title = ?, department = ?, joined = ?, since = ?, code = ?
			WHERE organization = ? AND account = ?`,
			m.Title, m.Department, Millis(m.Joined), m.Since, code, m.Organization, m.Account)
	}
}

// DeleteMembership takes an account and its roles out of an organization, whose provider knows it no more.
func (tx *Tx) DeleteMembership(organization model.OrganizationID, account model.AccountID) error {
	tx.NotePeople(account)
	if err := tx.Post(`DELETE FROM roles WHERE organization = ? AND account = ?`, organization, account); err != nil {
		return err
	}
	if err := tx.NoteAccess(account); err != nil {
		return err
	}
	if err := tx.ForgetSubjects(organization, account); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM memberships WHERE organization = ? AND account = ?`, organization, account)
}

// Memberships returns where an account belongs, the oldest membership first,
// with its granted roles.
func (tx *Tx) Memberships(account model.AccountID) (out []model.Membership, err error) {
	if err = tx.AskMemberships(account, &out); err == nil {
		err = tx.Await()
	}
	return out, err
}

// AskMemberships asks for that.
func (tx *Tx) AskMemberships(account model.AccountID, out *[]model.Membership) error {
	return tx.askMemberships(out, `m.account = ?`, account)
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
	err = tx.membershipRows(func(m *membershipRow) { out = append(out, m.organization) },
		membershipsWhere+`account = ? ORDER BY joined, since, organization`, account)
	return out, err
}

// OrganizationsOfEach lists where several accounts belong; one that belongs nowhere
// is left out.
func (tx *Tx) OrganizationsOfEach(accounts []model.AccountID) (map[model.AccountID][]model.OrganizationID, error) {
	out := make(map[model.AccountID][]model.OrganizationID, len(accounts))
	err := tx.AskOrganizationsOfEach(accounts, out)
	if err == nil {
		err = tx.Await()
	}
	return out, err
}

// AskOrganizationsOfEach asks for that.
func (tx *Tx) AskOrganizationsOfEach(accounts []model.AccountID, out map[model.AccountID][]model.OrganizationID) error {
	return tx.askMembershipRows(func(m *membershipRow) { out[m.account] = append(out[m.account], m.organization) },
		membershipsWhere+`account IN (?*)`, accounts)
}

// membershipRow is what the code of a membership covers.
type membershipRow struct {
	organization model.OrganizationID
	account      model.AccountID
	joined       int64 // in milliseconds
	since        int64
}

func (p *membershipRow) cover(m *mac) {
	m.text("membership")
	m.text(string(p.organization))
	m.id(p.account)
	m.number(p.joined)
	m.number(p.since)
}

func (p *membershipRow) name() Forgery {
	return Forgery{"membership", string(p.organization) + " " + p.account.String()}
}

// membershipsWhere begins a query of membershipRows.
const membershipsWhere = `SELECT organization, account, joined, since, code FROM memberships m WHERE ` + OfStanding +
	`m.organization)) AND `

// membershipRows calls fn with the memberships that a query finds.
func (tx *Tx) membershipRows(fn func(p *membershipRow), query string, args ...any) error {
	if err := tx.askMembershipRows(fn, query, args...); err != nil {
		return err
	}
	return tx.Await()
}

func (tx *Tx) askMembershipRows(fn func(p *membershipRow), query string, args ...any) error {
	return tx.Ask(query, args, func(row Row) error {
		var p membershipRow
		var code []byte
		err := row.Scan(&p.organization, &p.account, &p.joined, &p.since, &code)
		if err == nil && tx.genuine(code, &p) {
			fn(&p)
		}
		return err
	})
}

// checkMemberships checks the codes of a batch of memberships.
func (tx *Tx) checkMemberships(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT organization, account, joined, since, code FROM memberships WHERE (organization, account) > (?, ?)
		ORDER BY organization, account LIMIT ? + 0`, after, func(row Row) error {
		var p membershipRow
		var code []byte
		err := row.Scan(&p.organization, &p.account, &p.joined, &p.since, &code)
		tx.genuine(code, &p)
		last, n = []any{p.organization, p.account}, n+1
		return err
	})
	return last, n, err
}

// MembershipsIn returns the memberships of several accounts in one organization,
// with their granted roles; accounts that do not belong to it are left out.
func (tx *Tx) MembershipsIn(organization model.OrganizationID, accounts []model.AccountID) ([]model.Membership, error) {
	return tx.memberships(`m.organization = ? AND m.account IN (?*)`, organization, accounts)
}

func (tx *Tx) memberships(where string, args ...any) (out []model.Membership, err error) {
	if err = tx.askMemberships(&out, where, args...); err == nil {
		err = tx.Await()
	}
	return out, err
}

func (tx *Tx) askMemberships(out *[]model.Membership, where string, args ...any) error {
	at := new(membershipRow) // of the row before: a membership has as many rows as it has roles
	genuine := false
	return tx.Ask(`SELECT m.organization, m.account, m.title, m.department, m.joined, m.since, m.code,
		COALESCE(r.role, ''), COALESCE(r.code, '')
		FROM memberships m LEFT JOIN roles r ON r.organization = m.organization AND r.account = m.account AND r.pending = 0
		WHERE `+OfStanding+`m.organization)) AND `+where+`
		ORDER BY m.joined, m.since, m.organization, m.account, r.role`, args, func(row Row) error {
		var m model.Membership
		var joined int64
		var role string
		var code, roleCode []byte
		if err := row.Scan(&m.Organization, &m.Account, &m.Title, &m.Department, &joined, &m.Since, &code, &role,
			&roleCode); err != nil {
			return err
		}
		if p := (membershipRow{m.Organization, m.Account, joined, m.Since}); p != *at {
			*at = p
			if genuine = tx.genuine(code, at); genuine {
				m.Joined = FromMillis(joined)
				*out = append(*out, m)
			}
		}
		if genuine && role != "" && tx.genuine(roleCode, &codedRole{m.Organization, m.Account, role, false}) {
			last := &(*out)[len(*out)-1]
			last.Roles = append(last.Roles, role)
		}
		return nil
	})
}

// IsMember reports whether an account belongs to an organization.
func (tx *Tx) IsMember(organization model.OrganizationID, account model.AccountID) (member bool, err error) {
	err = tx.membershipRows(func(*membershipRow) { member = true },
		membershipsWhere+`organization = ? AND account = ?`, organization, account)
	return member, err
}

// Members tells whether two accounts, or one given twice, belong to an organization.
type Members struct {
	a, b       model.AccountID
	hasA, hasB bool
}

// Both reports whether both belong to it.
func (m *Members) Both() bool { return m.hasA && m.hasB }

// AskMembers asks for that.
func (tx *Tx) AskMembers(organization model.OrganizationID, a, b model.AccountID) (*Members, error) {
	m := &Members{a: a, b: b}
	return m, tx.askMembershipRows(func(row *membershipRow) {
		m.hasA, m.hasB = m.hasA || row.account == m.a, m.hasB || row.account == m.b
	}, membershipsWhere+`organization = ? AND account IN (?*)`, organization, []model.AccountID{a, b})
}

// MembersAmong returns those of the accounts that belong to an organization.
func (tx *Tx) MembersAmong(organization model.OrganizationID, accounts []model.AccountID) (out []model.AccountID,
	err error) {
	err = tx.membershipRows(func(m *membershipRow) { out = append(out, m.account) },
		membershipsWhere+`organization = ? AND account IN (?*)`, organization, accounts)
	return out, err
}

// MembersAfter lists up to limit accounts of an organization after the given one, in their
// order.
func (tx *Tx) MembersAfter(organization model.OrganizationID, after model.AccountID, limit int) ([]model.AccountID,
	error) {
	return Column[model.AccountID](tx, `SELECT account FROM memberships m WHERE organization = ? AND account > ?
		AND `+OfStanding+`m.organization)) ORDER BY account LIMIT ? + 0`, organization, after, limit)
}

// codedRole is a role with its code.
type codedRole struct {
	organization model.OrganizationID
	account      model.AccountID
	role         string
	pending      bool
}

func (r *codedRole) cover(m *mac) {
	m.text("role")
	m.text(string(r.organization))
	m.id(r.account)
	m.text(r.role)
	m.flag(r.pending)
}

func (r *codedRole) name() Forgery {
	return Forgery{"role", string(r.organization) + " " + r.account.String() + " " + r.role}
}

// PutRole grants a role, whether it was asked for or not.
func (tx *Tx) PutRole(organization model.OrganizationID, account model.AccountID, role string) error {
	return tx.putRole(&codedRole{organization, account, role, false}, time.Time{})
}

// AskForRole notes since when a role is asked for. A granted one is not turned back into a
// pending one.
func (tx *Tx) AskForRole(organization model.OrganizationID, account model.AccountID, role string,
	since time.Time) error {
	return tx.putRole(&codedRole{organization, account, role, true}, since)
}

func (tx *Tx) putRole(r *codedRole, asked time.Time) error {
	code, err := tx.code(r)
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO roles (organization, account, role, pending, asked, code) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (organization, account, role) DO UPDATE SET
		pending = CASE WHEN excluded.pending > roles.pending THEN roles.pending ELSE excluded.pending END,
		asked = CASE WHEN excluded.pending > roles.pending THEN roles.asked ELSE excluded.asked END,
		code = CASE WHEN excluded.pending > roles.pending THEN roles.code ELSE excluded.code END`,
		r.organization, r.account, r.role, r.pending, Millis(asked), code)
}

// DeleteRole takes a role away, granted or asked for.
func (tx *Tx) DeleteRole(organization model.OrganizationID, account model.AccountID, role string) error {
	return tx.Post(`DELETE FROM roles WHERE organization = ? AND account = ? AND role = ?`, organization, account, role)
}

// roles calls fn with the accounts of a selection of roles.
func (tx *Tx) roles(fn func(account model.AccountID), where string, args ...any) error {
	return tx.Query(`SELECT organization, account, role, pending, code FROM roles r WHERE `+OfStanding+
		`r.organization)) AND `+where, args,
		func(row Row) error {
			r, genuine, err := tx.scanRole(row)
			if err == nil && genuine {
				fn(r.account)
			}
			return err
		})
}

// scanRole reads a role, and reports whether its code is right.
func (tx *Tx) scanRole(row Row) (r codedRole, genuine bool, err error) {
	var code []byte
	if err := row.Scan(&r.organization, &r.account, &r.role, &r.pending, &code); err != nil {
		return r, false, err
	}
	return r, tx.genuine(code, &r), nil
}

// checkRoles checks the codes of a batch of roles.
func (tx *Tx) checkRoles(after []any) (last []any, n int, err error) {
	err = tx.Query(`SELECT organization, account, role, pending, code FROM roles WHERE (organization, account, role) > (?, ?, ?)
		ORDER BY organization, account, role LIMIT ? + 0`, after, func(row Row) error {
		r, _, err := tx.scanRole(row)
		last, n = []any{r.organization, r.account, r.role}, n+1
		return err
	})
	return last, n, err
}

// PendingRole reports whether the role is asked for and not yet granted.
func (tx *Tx) PendingRole(organization model.OrganizationID, account model.AccountID, role string) (asked bool,
	err error) {
	err = tx.roles(func(model.AccountID) { asked = true },
		`organization = ? AND account = ? AND role = ? AND pending = 1`, organization, account, role)
	return asked, err
}

// Holders lists the accounts that hold a role in an organization.
func (tx *Tx) Holders(organization model.OrganizationID, role string) (out []model.AccountID, err error) {
	err = tx.roles(func(account model.AccountID) { out = append(out, account) },
		`organization = ? AND role = ? AND pending = 0`, organization, role)
	sort.Slice(out, func(i, j int) bool { return out[i].String() < out[j].String() })
	return out, err
}
