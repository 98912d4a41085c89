package people

import (
	"slices"
	"strings"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/provision"
)

// givenName is a name in a call; nil: it is not given.
type givenName struct {
	field string
	value *string
}

// namesTooLong refuses the first that is longer than a name may be.
func namesTooLong(names ...givenName) error {
	for _, name := range names {
		if name.value != nil {
			if err := model.TooLong(name.field, *name.value, model.MaxName); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesOf are what an account is called, by the fields of the interface.
func namesOf(a *model.Account) map[string]string {
	return map[string]string{"display_name": a.DisplayName, "first_name": a.FirstName, "last_name": a.LastName,
		"username": a.Username}
}

// changedNames are the names of an account that are other ones after a change, for its line of
// the audit log; nil where none is.
func changedNames(before, after *model.Account, salt []byte) *auditlog.Names {
	changed := &auditlog.Names{Account: after.ID, Salt: salt,
		AuditNames: model.AuditNames{Old: map[string]string{}, New: map[string]string{}}}
	now := namesOf(after)
	for field, name := range namesOf(before) {
		if now[field] != name {
			changed.Old[field], changed.New[field] = name, now[field]
		}
	}
	if len(changed.New) == 0 {
		return nil
	}
	return changed
}

// mayNameItself asks whether an account may change its names as it does: not where one of its
// organizations leaves that to its administrators, or has a directory that keeps it, nor to a display name
// that another member of one of them has.
func mayNameItself(tx *store.Tx, after *model.Account, changed *auditlog.Names, memberships []model.Membership) error {
	in := make([]model.OrganizationID, len(memberships))
	for i, m := range memberships {
		in[i] = m.Organization
		o, found, err := tx.Organization(m.Organization)
		if err != nil {
			return err
		}
		if found && o.Settings.FixesNames() {
			return model.NameFixed(slices.Min(fieldsOf(changed)))
		}
	}
	kept, err := provision.Keeps(tx, after.ID)
	if err == nil && kept {
		err = model.NameFixed(slices.Min(fieldsOf(changed)))
	}
	if err != nil {
		return err
	}
	if _, given := changed.New["display_name"]; !given {
		return nil
	}
	taken, err := search.OthersNamed(tx, after.DisplayName, after.ID, in)
	if err == nil && taken {
		err = model.NameTaken()
	}
	return err
}

// fieldsOf are the names that were changed, in their order.
func fieldsOf(changed *auditlog.Names) (fields []string) {
	for field := range changed.New {
		fields = append(fields, field)
	}
	slices.Sort(fields)
	return fields
}

// renamed makes a line that of changed names.
func renamed(tx *store.Tx, line *model.AuditEntry, account *model.Account, changed *auditlog.Names) error {
	line.Action, line.Detail = model.ActionUserRename, strings.Join(fieldsOf(changed), " ")
	return audit.OnAccount(tx, line, account)
}
