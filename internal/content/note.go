package content

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/notes"
)

// Pen writes notes of groups, in a transaction: only there it is known whom they name. So it has
// the keys beforehand, and seals inside the transaction, which takes some microseconds and asks
// for nothing.
type Pen struct {
	Leases Leases // of all keys of the transaction

	vault  *Vault
	now    time.Time
	keys   map[model.OrganizationID]*seal.Lease
	wanted []model.OrganizationID // whose keys it lacked
}

// Noting calls act with a pen for notes that are written at a time. Its transaction begins with
// Fresh. The keys of the organizations that are named are there; where notes of another one are
// written the transaction ends with ErrAgain, and act is called again with its key.
func (v *Vault) Noting(ctx context.Context, now time.Time, act func(*Pen) error,
	likely ...model.OrganizationID) error {
	wanted := likely
	for {
		p := &Pen{vault: v, now: now, keys: map[model.OrganizationID]*seal.Lease{}}
		err := p.lend(ctx, wanted)
		if err == nil {
			err = act(p)
		}
		p.Leases.release(err)
		if !errors.Is(err, ErrAgain) {
			return err
		}
		wanted = append(slices.Clip(wanted), p.wanted...)
	}
}

// lend gets keys.
func (p *Pen) lend(ctx context.Context, of []model.OrganizationID) error {
	for _, id := range of {
		if p.vault.Unsealed || p.keys[id] != nil {
			continue
		}
		lease, err := p.vault.Ring.Use(ctx, DayKey(id, notes.KeyDay(p.now)))
		if err != nil {
			return ringFault(err)
		}
		p.keys[id], p.Leases = lease, append(p.Leases, lease)
	}
	return nil
}

// Fresh answers ErrAgain where too much time has passed for storing what is sealed with the pen's
// keys, and what was sealed with others of its leases.
func (p *Pen) Fresh() error { return p.Leases.fresh() }

// Change is what is noted of a group.
type Change struct {
	Event    model.NoteEvent
	Caller   model.AccountID // zero: nobody
	Subjects []model.AccountID
	Unnamed  int // to how many it was done besides, whom nobody names any more
}

// Write writes a note of a group, whose row is locked and as it is after the change, and returns
// its place in the order of the group's messages.
func (p *Pen) Write(tx *store.Tx, g *model.Group, c Change) (sort int64, err error) {
	if sort, err = tx.Position(1, model.AccountID(g.ID)); err != nil { // as messages to it do
		return 0, err
	}
	n := notes.Row{Group: g.ID, Sort: sort, Organization: g.Organization, Event: c.Event, Created: p.now,
		Subjects: len(c.Subjects) + c.Unnamed, Replay: g.ReplayHistory}
	if c.Event == model.NoteCreated || c.Event == model.NoteRenamed {
		if n.Name, err = p.seal(&n, model.AccountID{}, g.Name); err != nil {
			return 0, err
		}
	}
	if err := p.name(tx, &n, &c); err != nil {
		return 0, err
	}
	return sort, notes.Insert(tx, &n)
}

// name gives a note the accounts that it names.
func (p *Pen) name(tx *store.Tx, n *notes.Row, c *Change) error {
	ids := append([]model.AccountID{c.Caller}, c.Subjects[:min(len(c.Subjects), model.MostNoted)]...)
	accounts, err := tx.Accounts(ids)
	if err != nil {
		return err
	}
	names := make(map[model.AccountID]string, len(accounts))
	for i := range accounts {
		names[accounts[i].ID] = accounts[i].DisplayName
	}
	for place, id := range ids {
		name, found := names[id]
		if !found { // nobody, or the command line
			continue
		}
		sealed, err := p.seal(n, id, name)
		if err != nil {
			return err
		}
		n.Names = append(n.Names, notes.Name{Place: place, Account: id, Sealed: sealed})
	}
	return nil
}

func (p *Pen) seal(n *notes.Row, account model.AccountID, text string) ([]byte, error) {
	if p.vault.Unsealed {
		return []byte(text), nil
	}
	lease := p.keys[n.Organization]
	if lease == nil {
		p.wanted = append(p.wanted, n.Organization)
		return nil, ErrAgain
	}
	return lease.Seal([]byte(text), noteBinding(n, account))
}

// OpenNote reads a note. Unreadable tells of its error whether it will never open again.
func (v *Vault) OpenNote(ctx context.Context, row *notes.Row) (n model.Note, err error) {
	n = model.Note{Event: row.Event, Count: row.Subjects, Sort: row.Sort, Created: row.Created}
	if len(row.Name) > 0 {
		if n.Name, err = v.openNoted(ctx, row, model.AccountID{}, row.Name); err != nil {
			return n, err
		}
	}
	for _, name := range row.Names {
		noted := model.NotedAccount{Account: name.Account}
		if noted.Name, err = v.openNoted(ctx, row, name.Account, name.Sealed); err != nil {
			return n, err
		}
		if name.Place == 0 {
			n.Caller = noted
		} else {
			n.Subjects = append(n.Subjects, noted)
		}
	}
	return n, nil
}

func (v *Vault) openNoted(ctx context.Context, row *notes.Row, account model.AccountID, sealed []byte) (string, error) {
	text, err := v.open(ctx, sealed, noteBinding(row, account))
	if err != nil {
		return "", fmt.Errorf("open note %d of group %s: %w", row.Sort, row.Group, err)
	}
	return string(text), nil
}

// noteBinding is what a name in a note is bound to; that of the group has no account.
func noteBinding(n *notes.Row, account model.AccountID) []byte {
	row := binary.BigEndian.AppendUint64(append(n.Group[:len(n.Group):len(n.Group)], account[:]...), uint64(n.Sort))
	return seal.Bind(string(n.Organization), "notes", string(row), "name")
}
