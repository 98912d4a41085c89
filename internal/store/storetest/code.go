package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/schema"
)

// Forging ends the statements by which a test does what the store itself never does:
// change what rows say behind its back.
const Forging = ` /* of a forger */`

// uncovered are the columns, of rows that carry a code, that it does not cover: they open
// nothing. A new column is covered, or stands here.
var uncovered = map[string][]string{
	"keys": {"issued_by", "noticed", "device", "last_used", "last_address"},
	"accounts": {"username", "display_name", "first_name", "last_name", "avatar", "status", "dnd", "dnd_text", "emails",
		"phones"},
	"memberships":   {"title", "department"},
	"join_requests": {"title", "department"},
	"roles":         nil,
}

// flags are the numbers that are yes or no.
var flags = []string{"operator", "login", "pending"}

// codes: a row of which anything was changed that says who may do what is as good as missing.
func codes(t *testing.T, h Harness) {
	d := newDatabase(t, h)
	e := d.mustOpen(t)
	opened, err := store.Open(t.Context(), e, epoch("first"))
	if err != nil {
		t.Fatal(err)
	}
	told, expected := 0, 0
	opened.Authenticate(rowKey, func(f store.Forgery) {
		if told++; told > expected {
			t.Errorf("the code is wrong of %s", f)
		}
	})
	p := &platform{Store: opened, clock: d.clock, memory: memory{}}
	ann := p.mustAccount(t, "ann").ID
	organization := p.mustOrganization(t, ann)
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.PutRole(organization, ann, model.RoleAdmin, false),
			tx.SetPassword(ann, store.Password{Hash: "hash"}),
			wished(tx, store.JoinRequest{Organization: organization, Account: ann, Created: p.now()}),
			tx.InsertKey(&model.Key{Key: "key", Account: ann, SecretHash: []byte{1}, PreviousHash: []byte{}, Counter: "key",
				Created: p.now()}))
	})
	forged := func() (rows []string) {
		t.Helper()
		n, err := opened.Forgeries(t.Context(), func(f store.Forgery) { rows = append(rows, f.String()) })
		if err != nil || n != 5 {
			t.Fatalf("%d rows were looked at: %v", n, err)
		}
		return rows
	}
	wantEqual(t, "rows that no server wrote", len(forged()), 0)

	for _, table := range store.Tables() {
		except, coded := uncovered[table.Name]
		if !coded {
			continue
		}
		for _, c := range table.Columns {
			if slices.Contains(except, c.Name) {
				continue
			}
			t.Run(table.Name+"_"+c.Name, func(t *testing.T) {
				var was, is any
				change := `UPDATE ` + table.Name + ` SET ` + c.Name + ` = ?` + Forging
				switch c.Kind {
				case schema.NumberColumn:
					n := column[int64](t, e, `SELECT `+c.Name+` FROM `+table.Name+Forging)[0]
					if was, is = n, n+1; slices.Contains(flags, c.Name) {
						is = 1 - n
					}
				case schema.TextColumn:
					text := column[string](t, e, `SELECT `+c.Name+` FROM `+table.Name+Forging)[0]
					if was, is = text, text+"x"; c.Name == "networks" {
						is = "192.0.2.0/24"
					}
				default:
					b := column[[]byte](t, e, `SELECT `+c.Name+` FROM `+table.Name+Forging)[0]
					other := append(slices.Clone(b), 1)
					if len(b) == 16 { // an identifier, or a code
						other = append(other[:0], b...)
						other[3] ^= 1
					}
					was, is = b, other
				}
				mustExec(t, e, change, is)
				if rows := forged(); len(rows) == 0 {
					t.Errorf("with another %s it is taken for a row that a server wrote", c.Name)
				}
				mustExec(t, e, change, was)
				if rows := forged(); len(rows) != 0 {
					t.Errorf("as it was: %v", rows)
				}
			})
		}
	}
	t.Run("of_a_membership_that_is_not_there_is_overwritten", func(t *testing.T) {
		expected++
		for _, want := range []bool{false, true} { // the second time over a row that no server wrote
			p.mustUpdate(t, func(tx *store.Tx) error {
				added, err := tx.PutMembership(model.Membership{Organization: organization, Account: ann, Joined: p.now()})
				wantEqual(t, "added", added, want)
				return err
			})
			wantEqual(t, "rows that no server wrote", len(forged()), 0)
			mustExec(t, e, `UPDATE memberships SET since = since + ?`+Forging, 1)
		}
		mustExec(t, e, `UPDATE memberships SET since = since - ?`+Forging, 1)
		wantEqual(t, "rows that no server wrote", len(forged()), 0)
		wantEqual(t, "rows of which was told", told, expected)
	})
	t.Run("are_looked_at_in_batches", func(t *testing.T) {
		const many = 1500
		p.mustUpdate(t, func(tx *store.Tx) error {
			for i := range many {
				if err := tx.PutRole(organization, ann, fmt.Sprintf("role_%d", i), false); err != nil {
					return err
				}
			}
			return nil
		})
		mustExec(t, e, `UPDATE roles SET pending = 1 WHERE role IN ('role_3', 'role_999', 'role_1400')`+Forging)
		rows := 0
		n, err := opened.Forgeries(t.Context(), func(store.Forgery) { rows++ })
		if err != nil || n != many+5 || rows != 3 {
			t.Errorf("of %d rows no server wrote %d: %v", n, rows, err)
		}
	})
	t.Run("are_not_written_without_the_key", func(t *testing.T) {
		bare, err := store.OpenCurrent(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		for what, write := range map[string]func(tx *store.Tx) error{
			"a key":  func(tx *store.Tx) error { return tx.InsertKey(&model.Key{Key: "other", Account: ann}) },
			"limits": func(tx *store.Tx) error { return tx.LimitKeys(ann, "key", nil, nil) },
			"a wish": func(tx *store.Tx) error {
				return wished(tx, store.JoinRequest{Organization: organization, Account: ann})
			},
			"a role":    func(tx *store.Tx) error { return tx.PutRole(organization, ann, "r", false) },
			"password":  func(tx *store.Tx) error { return tx.SetPassword(ann, store.Password{Hash: "other"}) },
			"operators": func(tx *store.Tx) error { return tx.EndOperator(ann) },
		} {
			wantError(t, what, bare.Update(t.Context(), write), store.ErrNoCodes)
		}
	})
}

// wished notes that an organization wants an account.
func wished(tx *store.Tx, r store.JoinRequest) error {
	_, err := tx.PutJoinRequest(r)
	return err
}
