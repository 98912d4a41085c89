package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/searchindex"
)

// ErrOperatorAccount says that an account is an operator's, which is not erased.
var ErrOperatorAccount = errors.New("an operator's account is not erased; `signet operator reset` ends its credentials")

// LastAdministratorError says that these organizations would have no administrator if an
// account were erased.
type LastAdministratorError struct{ Organizations []string }

func (e *LastAdministratorError) Error() string {
	return fmt.Sprintf("it is the last administrator of %s: give another member the role first (`signet roles grant "+
		"ACCOUNT admin --org %s`), or erase it with --last-administrator, and an operator does so "+
		"later", strings.Join(e.Organizations, ", "),
		e.Organizations[0])
}

// Eraser removes every trace of accounts and organizations from a store, in batches,
// for the command line. It works beside servers that use the store. An erasure that
// was broken off is finished by running it again.
type Eraser struct {
	Store *store.Store
	Clock func() time.Time

	// LastAdministrators lets an account be erased without which an organization has no
	// administrator.
	LastAdministrators bool

	Erased store.Erased // what went so far, by table
	Blobs  int          // attachments that went; the servers erase their bytes
}

func (e *Eraser) add(gone store.Erased) {
	if e.Erased == nil {
		e.Erased = store.Erased{}
	}
	for table, n := range gone {
		e.Erased[table] += n
	}
}

// Account erases an account with what it sent, for all readers, and what was sent to
// it alone. 403 `legal_hold` where an organization of it is under one.
func (e *Eraser) Account(ctx context.Context, id model.AccountID) error {
	var gone store.Erased
	line := model.AuditEntry{Time: model.AuditTime{Time: e.Clock().UTC()}, Action: model.ActionUserErase}
	err := audit.RecordCommand(ctx, e.Store, line, func(tx *store.Tx, line *model.AuditEntry) error {
		account, found, err := tx.Account(id)
		if err != nil {
			return err
		}
		if !found {
			return model.Missing()
		}
		if account.Operator {
			return ErrOperatorAccount
		}
		if err := e.leaveAdministrators(tx, id); err != nil {
			return err
		}
		if err := tx.LockQueues(id); err != nil {
			return err
		}
		if _, held, err := tx.HoldOver(&account); err != nil {
			return err
		} else if held {
			return model.UnderHold()
		}
		if err := audit.OnAccount(tx, line, &account); err != nil {
			return err
		}
		if err := searchindex.RemoveAccount(tx, id); err != nil {
			return err
		}
		gone, err = tx.CloseAccount(id)
		return err
	})
	if err != nil {
		return err
	}
	e.add(gone)
	traces := accountTraces{store: e.Store, gone: func(rows []store.MessageRow, erased store.Erased) {
		e.add(erased)
		if len(rows) > 0 {
			e.add(store.Erased{"messages": int64(len(rows))})
		}
		e.Blobs += blobsOf(rows)
	}}
	for left, more := (store.AccountErasure{Account: id}), true; more; {
		if left, more, err = traces.erase(ctx, left); err != nil {
			return err
		}
	}
	return nil
}

// blobsOf is how many of these messages have an attachment.
func blobsOf(rows []store.MessageRow) (n int) {
	for i := range rows {
		if !rows[i].Blob.IsZero() {
			n++
		}
	}
	return n
}

// leaveAdministrators refuses an account without which an organization has no
// administrator. It locks the organizations, so that no other one leaves meanwhile.
func (e *Eraser) leaveAdministrators(tx *store.Tx, id model.AccountID) error {
	memberships, err := tx.Memberships(id)
	if err != nil || e.LastAdministrators {
		return err
	}
	// In one order, so that no two transactions wait for each other.
	slices.SortFunc(memberships, func(a, b model.Membership) int { return cmp.Compare(a.Organization, b.Organization) })
	var last []string
	for _, m := range memberships {
		if !m.Has(model.RoleAdmin) {
			continue
		}
		if err := tx.LockOrganization(m.Organization); err != nil {
			return err
		}
		administrators, err := tx.Holders(m.Organization, model.RoleAdmin)
		if err != nil {
			return err
		}
		if len(administrators) == 1 && administrators[0] == id {
			last = append(last, string(m.Organization))
		}
	}
	if len(last) > 0 {
		return &LastAdministratorError{last}
	}
	return nil
}

// Organization erases an organization, and the accounts that it created and that are
// in no other one, unless keep is set.
func (e *Eraser) Organization(ctx context.Context, id model.OrganizationID, keepAccounts bool) error {
	if err := e.endOrganization(ctx, id); err != nil {
		return err
	}
	if err := e.remains(ctx, id); err != nil {
		return err
	}
	if !keepAccounts {
		accounts, err := store.Read(ctx, e.Store, func(tx *store.Tx) ([]model.AccountID, error) { return tx.OnlyIn(id) })
		if err != nil {
			return err
		}
		for _, account := range accounts {
			if err := e.Account(ctx, account); err != nil && !model.IsNotFound(err) {
				return err
			}
		}
	}
	traces := accountTraces{store: e.Store, gone: func(_ []store.MessageRow, erased store.Erased) { e.add(erased) }}
	if err := traces.tracesOf(ctx, id); err != nil {
		return err
	}
	return e.Store.Update(ctx, func(tx *store.Tx) error { return errors.Join(tx.ForgetToken(id), tx.FinishErasure(id)) })
}

// remains erases what a deleted organization held.
func (e *Eraser) remains(ctx context.Context, id model.OrganizationID) error {
	var at remains
	for more := true; more; {
		step := time.Now()
		var done part
		from := at
		err := e.Store.Update(ctx, func(tx *store.Tx) (err error) {
			done, more = part{}, false
			if found, err := tx.BeingErased(id); err != nil || !found {
				return err
			}
			done, at, more, err = next(tx, id, from)
			return err
		})
		if err != nil {
			return err
		}
		if n := len(done.messages); n > 0 {
			done.erased = store.Erased{"messages": int64(n)}
		}
		for _, of := range []string{"messages", "memberships", "groups"} { // what a reader of the counts knows
			if n := done.erased[of]; n > 0 {
				e.add(store.Erased{of: n})
			}
		}
		e.Blobs += blobsOf(done.messages)
		if err := backlog.Rest(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// endOrganization does what DeleteOrganization does, for the command line. One that
// is gone already, and not all that it held, is gone on with.
func (e *Eraser) endOrganization(ctx context.Context, id model.OrganizationID) error {
	line := model.AuditEntry{Time: model.AuditTime{Time: e.Clock().UTC()}, Action: model.ActionOrganizationDelete}
	var gone store.Erased
	err := audit.RecordCommand(ctx, e.Store, line, func(tx *store.Tx, line *model.AuditEntry) error {
		gone = nil
		audit.OnOrganization(line, id)
		if err := tx.LockOrganization(id); err != nil {
			return err
		}
		_, found, err := tx.Organization(id)
		if err != nil {
			return err
		}
		if !found {
			left, err := tx.BeingErased(id)
			if err == nil && !left {
				err = model.Missing()
			}
			return err
		}
		if held, err := tx.Held(id); err != nil {
			return err
		} else if held {
			return model.UnderHold()
		}
		gone = store.Erased{"organizations": 1}
		return tx.EndOrganization(id)
	})
	if err == nil {
		e.add(gone)
	}
	return err
}
