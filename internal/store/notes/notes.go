// Package notes keeps what changed of groups, in the one order with their messages, and finds which
// of it a reader may see.
//
// It owns notes and note_names. It does not know when something is noted, nor how names are sealed
// (package content).
package notes

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/sealing"
)

// Row is a note as it is stored: its names are sealed.
type Row struct {
	Group        model.GroupID
	Sort         int64
	Organization model.OrganizationID
	Event        model.NoteEvent
	Created      time.Time
	Subjects     int    // how many there are
	Replay       bool   // the group's history was on
	Name         []byte // that the group has since; none: it is about no name
	Names        []Name // in the order of their places
}

// Sealed are the sealed texts of a note.
func (n *Row) Sealed() (out [][]byte) {
	if len(n.Name) > 0 {
		out = append(out, n.Name)
	}
	for _, name := range n.Names {
		out = append(out, name.Sealed)
	}
	return out
}

// Name is an account that a note names.
type Name struct {
	Place   int // 0: who did it; from 1 on: to whom it was done
	Account model.AccountID
	Sealed  []byte
}

// noteEvents are the events, each at the number that is stored for it. A number is never given to
// another one.
var noteEvents = []model.NoteEvent{1: model.NoteCreated, 2: model.NoteAdded, 3: model.NoteRemoved, 4: model.NoteLeft,
	5: model.NoteRenamed, 6: model.NoteHistoryOn, 7: model.NoteHistoryOff, 8: model.NotePublic, 9: model.NotePrivate}

// Insert adds a note of a group, whose row is locked.
func Insert(tx *store.Tx, n *Row) error {
	number := slices.Index(noteEvents, n.Event)
	if number < 1 {
		return fmt.Errorf("%q is no event of a note", n.Event)
	}
	if err := tx.Post(`INSERT INTO notes (group_token, sort, organization_number, event, created, subjects, replay, name)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, n.Group, n.Sort, tx.Existing(n.Organization), number, store.Millis(n.Created),
		n.Subjects, n.Replay, append([]byte{}, n.Name...)); err != nil {
		return err
	}
	for _, name := range n.Names {
		if err := tx.Post(`INSERT INTO note_names (group_token, sort, place, account, name) VALUES (?, ?, ?, ?, ?)`, n.Group,
			n.Sort, name.Place, name.Account, name.Sealed); err != nil {
			return err
		}
	}
	return nil
}

// Part is a part of the notes of a group that a reader may see.
type Part struct {
	Group       model.GroupID
	Spans       []Span    // in their order, without overlap
	After       int64     // what has a sort up to it is left out
	Before      int64     // so is what has this sort or a greater one
	Since       time.Time // what is not younger than that is over
	OldestFirst bool
}

// Read returns up to limit notes of a part, the newest first unless it says otherwise.
func Read(tx *store.Tx, p *Part, limit int) (out []Row, err error) {
	spans := slices.Clone(p.Spans)
	if !p.OldestFirst {
		slices.Reverse(spans)
	}
	for _, s := range spans {
		from, to := max(s.From, p.After+1), min(s.To, p.Before)
		if from >= to || len(out) == limit {
			continue
		}
		args := []any{p.Group, from, to, s.Replay, store.Millis(p.Since), limit - len(out)}
		var found []Row
		if p.OldestFirst {
			found, err = rows(tx, oldest, args)
		} else {
			found, err = rows(tx, newest, args)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, readNames(tx, p.Group, out)
}

// The parts of the statements.
const (
	columns = `SELECT group_token, sort, organization_number, event, created, subjects, replay, name FROM notes`
	within  = columns + ` WHERE group_token = ? AND sort >= ? AND sort < ? AND replay >= ? AND created > ?`
	newest  = within + ` ORDER BY sort DESC LIMIT ? + 0`
	oldest  = within + ` ORDER BY sort LIMIT ? + 0`
)

func rows(tx *store.Tx, query string, args []any) (out []Row, err error) {
	var numbers []int64
	err = tx.Query(query, args, func(row store.Row) error {
		var n Row
		var number, created int64
		var event int
		if err := row.Scan(&n.Group, &n.Sort, &number, &event, &created, &n.Subjects, &n.Replay, &n.Name); err != nil {
			return err
		}
		if event < 1 || event >= len(noteEvents) {
			return fmt.Errorf("note %d of group %s has an event that is not known: %d", n.Sort, n.Group, event)
		}
		n.Event, n.Created = noteEvents[event], store.FromMillis(created)
		out, numbers = append(out, n), append(numbers, number)
		return nil
	})
	if err == nil {
		err = tx.NameOrganizations(numbers, func(i int) *model.OrganizationID { return &out[i].Organization })
	}
	return out, err
}

// readNames gives notes of a group the accounts that they name, but for those that are being
// erased.
func readNames(tx *store.Tx, group model.GroupID, out []Row) error {
	if len(out) == 0 {
		return nil
	}
	sorts, at := make([]int64, len(out)), make(map[int64]int, len(out))
	for i := range out {
		sorts[i], at[out[i].Sort] = out[i].Sort, i
	}
	return tx.Query(`SELECT sort, place, account, name FROM note_names n WHERE group_token = ? AND sort IN (?*)
		AND NOT EXISTS (SELECT 1 FROM account_erasures e WHERE e.account = n.account) ORDER BY sort, place`,
		[]any{group, sorts}, func(row store.Row) error {
			var sort int64
			var n Name
			err := row.Scan(&sort, &n.Place, &n.Account, &n.Sealed)
			note := &out[at[sort]]
			note.Names = append(note.Names, n)
			return err
		})
}

// Key names a note.
type Key struct {
	Group model.GroupID
	Sort  int64
}

// After returns up to limit notes of all groups in the order of their keys, with all whom they
// name, from the one after the given one.
func After(tx *store.Tx, after Key, limit int) ([]Row, error) {
	out, err := rows(tx, columns+` WHERE (group_token, sort) > (?, ?) ORDER BY group_token, sort LIMIT ? + 0`,
		[]any{after.Group, after.Sort, limit})
	for i := 0; i < len(out) && err == nil; i++ {
		n := &out[i]
		n.Names, err = store.List(tx, `SELECT place, account, name FROM note_names WHERE group_token = ? AND sort = ?
			ORDER BY place`, []any{n.Group, n.Sort}, func(name *Name, row store.Row) error {
			return row.Scan(&name.Place, &name.Account, &name.Sealed)
		})
	}
	return out, err
}

// DeleteOf removes the next notes of a group, at most limit, and returns how many that were.
func DeleteOf(tx *store.Tx, group model.GroupID, limit int) (int, error) {
	found, err := rows(tx, columns+` WHERE group_token = ? ORDER BY sort LIMIT ? + 0`, []any{group, limit})
	if err != nil {
		return 0, err
	}
	return len(found), remove(tx, found)
}

// DeleteBefore removes the oldest notes that are no younger than a time, at most limit, and returns
// how many that were.
func DeleteBefore(tx *store.Tx, t time.Time, limit int) (int, error) {
	found, err := rows(tx, columns+` WHERE created <= ? ORDER BY created, organization_number LIMIT ? + 0`,
		[]any{store.Millis(t), limit})
	if err != nil {
		return 0, err
	}
	return len(found), remove(tx, found)
}

// remove removes notes, and notes that the keys of their days may go.
func remove(tx *store.Tx, rows []Row) error {
	tx.NoteWithdrawn()
	type ending struct {
		organization model.OrganizationID
		day          store.KeyDay
	}
	var endings []ending
	for i := range rows {
		n := &rows[i]
		for _, table := range []string{"note_names", "notes"} {
			if err := tx.Post(`DELETE FROM `+table+` WHERE group_token = ? AND sort = ?`, n.Group, n.Sort); err != nil {
				return err
			}
		}
		if e := (ending{n.Organization, KeyDay(n.Created)}); n.Organization != "" && !slices.Contains(endings, e) {
			endings = append(endings, e)
		}
	}
	slices.SortFunc(endings, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.organization, b.organization), cmp.Compare(a.day.Day, b.day.Day))
	})
	for _, e := range endings {
		if err := sealing.NoteKeyEnding(tx, e.organization, e.day); err != nil {
			return err
		}
	}
	return nil
}

// KeyDay is the day of the key with which a note is sealed that is written at a time: that of
// messages which end when the note does.
func KeyDay(created time.Time) store.KeyDay {
	m := store.MessageRow{Message: model.Message{Expires: created.Add(model.NoteLife)}}
	return m.KeyDay()
}

// Left reports whether an organization has a note under the key of a day.
func Left(tx *store.Tx, organization model.OrganizationID, day store.KeyDay) (bool, error) {
	if day.Lasting {
		return false, nil
	}
	start, end := day.Bounds()
	life := model.NoteLife.Milliseconds()
	var one int64
	return tx.One(`SELECT 1 FROM notes WHERE created >= ? AND created < ? AND organization_number + 0 = ? LIMIT 1`,
		[]any{start - life, end - life, tx.Numbered(organization)}, &one)
}

// Naming returns up to limit of the notes that name an account.
func Naming(tx *store.Tx, account model.AccountID, limit int) ([]Key, error) {
	return store.List(tx, `SELECT group_token, sort FROM note_names WHERE account = ? LIMIT ? + 0`, []any{account, limit},
		func(k *Key, row store.Row) error { return row.Scan(&k.Group, &k.Sort) })
}

// Forget takes the name of an account out of notes.
func Forget(tx *store.Tx, account model.AccountID, keys []Key) error {
	tx.NoteWithdrawn()
	for _, k := range keys {
		if err := tx.Post(`DELETE FROM note_names WHERE group_token = ? AND sort = ? AND account = ?`, k.Group, k.Sort,
			account); err != nil {
			return err
		}
	}
	return nil
}
