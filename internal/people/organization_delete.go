package people

import (
	"context"
	"slices"

	"signet/internal/fanout"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
	"signet/internal/store/legalhold"
)

// DeleteCommand names an organization to delete, and repeats its name: a command asks for that
// itself.
type DeleteCommand struct {
	Organization model.OrganizationID
	Name         string

	// Traces has what accounts keep of it erased, too, and the accounts that it created and that
	// are in no other organization, unless KeepAccounts is set. It is for commands alone.
	Traces, KeepAccounts bool
}

// DeleteOrganization ends an organization: from the answer on it has no members and is not
// shown, and the keys that act there alone end like revoked ones. One row says so, however
// many members there are. What it held is erased in pieces, so that a large one delays no
// other call: the first here, which is all that a small one has, the rest by the sweep.
func (p *People) DeleteOrganization(ctx context.Context, actor *model.Actor, command DeleteCommand) error {
	id := command.Organization
	traces := command.Traces && actor.Command
	if traces && !command.KeepAccounts {
		if err := p.mayErase(ctx, id); err != nil {
			return err
		}
	}
	var told []model.AccountID
	err := p.access.Administer(ctx, actor, model.ActionOrganizationDelete, id,
		func(tx *store.Tx, line *model.AuditEntry) error {
			o, found, err := tx.Organization(id)
			if err != nil {
				return err
			}
			if !found {
				return model.Missing()
			}
			if !actor.Command && model.TidyName(command.Name) != o.Name {
				return model.Invalidf("name_mismatch", "name", "The name must repeat the organization's name.")
			}
			if held, err := legalhold.Held(tx, id); err != nil {
				return err
			} else if held {
				return model.UnderHold()
			}
			if err := erasure.EndOrganization(tx, id); err != nil {
				return err
			}
			if traces {
				if err := erasure.NoteTraces(tx, id, command.KeepAccounts); err != nil {
					return err
				}
			}
			told, _, _, err = erasure.EraseMembers(tx, id, fanout.Rows)
			return err
		})
	if err != nil {
		return err
	}
	p.memory.Forget()
	p.access.DropAll()
	p.memory.ForgetRecipients()
	p.hub.Forget(actor.Account) // other nodes forget whose organization allows what
	p.hub.Wake(ctx, told...)
	p.eraseSoon()
	p.endStreamsOf(context.WithoutCancel(ctx), id) // also where the caller has gone
	return nil
}

// mayErase refuses an organization with accounts of its own of which a legal hold keeps messages,
// in another organization that they have left. Looking for these takes long.
func (p *People) mayErase(ctx context.Context, id model.OrganizationID) error {
	accounts, err := store.Read(ctx, p.store, func(tx *store.Tx) ([]model.AccountID, error) {
		return erasure.OnlyIn(tx, id)
	})
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := p.underNoHold(ctx, &model.Account{ID: account, CreatedBy: id}); err != nil {
			return err
		}
	}
	return nil
}

// readersAtOnce is of how many readers one transaction asks where they belong.
const readersAtOnce = 500

// endStreamsOf ends, on this node, what serves a deleted organization alone: what was opened
// with keys of its scope, and what members read that are in no other one. Other nodes find
// theirs within a second.
func (p *People) endStreamsOf(ctx context.Context, id model.OrganizationID) {
	for some := range slices.Chunk(p.hub.Subscriptions(), readersAtOnce) {
		accounts := make([]model.AccountID, len(some))
		for i, sub := range some {
			accounts[i] = sub.Account
		}
		left, err := store.Read(ctx, p.store, func(tx *store.Tx) (map[model.AccountID][]model.OrganizationID, error) {
			return tx.OrganizationsOfEach(accounts)
		})
		if err != nil {
			p.streams.Recheck() // it is deleted all the same
			return
		}
		for _, sub := range some {
			if sub.Scope == id || sub.Member && len(left[sub.Account]) == 0 {
				sub.End(live.Revoked)
			}
		}
	}
}
