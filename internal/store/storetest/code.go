package storetest

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/schema"
)

// Forging ends the statements by which a test does what the store itself never does:
// change what rows say behind its back.
const Forging = ` /* of a forger */`

// uncovered are the columns, of rows that carry a code, that it does not cover: they open
// nothing. A new column is covered, or stands here.
var uncovered = map[string][]string{
	"keys": {"issued_by", "noticed", "label", "device", "last_used", "last_address"},
	"accounts": {"username", "display_name", "first_name", "last_name", "avatar", "status", "dnd", "dnd_text", "emails",
		"phones"},
	"memberships":   {"title", "department"},
	"join_requests": {"title", "department"},
	"roles":         {"asked"},
	"passkeys":      {"label", "transports", "copied", "counter", "last_used"},

	"passkey_allowances": {},

	"providers": nil, "provider_domains": nil, "subjects": nil, "sign_ins": nil,
}

// flags are the numbers that are yes or no.
var flags = []string{"operator", "login", "pending", "provision", "passwords", "enabled", "shown", "eligible"}

// codes: a row of which anything was changed that says who may do what is as good as missing.
func codes(t *testing.T, h conformance.Harness) {
	d := conformance.NewDatabase(t, h)
	e := d.MustOpen(t)
	opened, err := store.Open(t.Context(), e, conformance.Epoch("first"))
	if err != nil {
		t.Fatal(err)
	}
	told, expected := 0, 0
	opened.Authenticate(rowKey, func(f store.Forgery) {
		if told++; told > expected {
			t.Errorf("the code is wrong of %s", f)
		}
	})
	p := &platform{Store: opened, clock: d.Clock, memory: memory{}}
	ann := p.mustAccount(t, "ann").ID
	organization := p.mustOrganization(t, ann)
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.PutRole(organization, ann, model.RoleAdmin),
			tx.SetPassword(ann, store.Password{Hash: "hash"}),
			wished(tx, store.JoinRequest{Organization: organization, Account: ann, Created: p.now()}),
			tx.InsertKey(&model.Key{Key: "key", Account: ann, SecretHash: []byte{1}, PreviousHash: []byte{}, Counter: "key",
				Created: p.now()}), tx.PutProvider(provider(organization, p.now())),
			heldBy(tx.ConfirmDomain(&store.ConfirmedDomain{Domain: "example.com", Organization: organization})),
			heldBy(tx.LinkSubject(&store.SubjectRow{Subject: model.Subject{Organization: organization, Issuer: "issuer",
				Subject: "ann"}, Account: ann})),
			heldBy(tx.PutSignIn(&store.SignIn{Token: make([]byte, 32), Organization: organization, Said: "{}"})),
			madePasskey(tx, &model.Passkey{ID: model.PasskeyID(p.id()), Account: ann, Credential: []byte("credential"),
				PublicKey: []byte("key"), RelyingParty: "example.com", Created: p.now()}),
			tx.AllowPasskey(ann, p.now().Add(time.Hour)))
	})
	const written = 11
	forged := func() (rows []string) {
		t.Helper()
		n, err := opened.Forgeries(t.Context(), func(f store.Forgery) { rows = append(rows, f.String()) })
		if err != nil || n != written {
			t.Fatalf("%d rows were looked at: %v", n, err)
		}
		return rows
	}
	wantEqual(t, "rows that no server wrote", len(forged()), 0)

	for table, c := range covered() {
		t.Run(table+"_"+c.Name, func(t *testing.T) {
			change := `UPDATE ` + table + ` SET ` + c.Name + ` = ?` + Forging
			was, is := forgery(t, e, table, c)
			conformance.MustExec(t, e, change, is)
			if rows := forged(); len(rows) == 0 {
				t.Errorf("with another %s it is taken for a row that a server wrote", c.Name)
			}
			conformance.MustExec(t, e, change, was)
			if rows := forged(); len(rows) != 0 {
				t.Errorf("as it was: %v", rows)
			}
		})
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
			conformance.MustExec(t, e, `UPDATE memberships SET since = since + ?`+Forging, 1)
		}
		conformance.MustExec(t, e, `UPDATE memberships SET since = since - ?`+Forging, 1)
		wantEqual(t, "rows that no server wrote", len(forged()), 0)
		wantEqual(t, "rows of which was told", told, expected)
	})
	t.Run("are_looked_at_in_batches", func(t *testing.T) {
		const many = 1500
		p.mustUpdate(t, func(tx *store.Tx) error {
			for i := range many {
				if err := tx.PutRole(organization, ann, fmt.Sprintf("role_%d", i)); err != nil {
					return err
				}
			}
			return nil
		})
		conformance.MustExec(t, e, `UPDATE roles SET pending = 1 WHERE role IN ('role_3', 'role_999', 'role_1400')`+Forging)
		rows := 0
		n, err := opened.Forgeries(t.Context(), func(store.Forgery) { rows++ })
		if err != nil || n != many+written || rows != 3 {
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
			"leave to make a passkey": func(tx *store.Tx) error { return tx.AllowPasskey(ann, p.now()) },
			"a passkey": func(tx *store.Tx) error {
				return madePasskey(tx, &model.Passkey{ID: model.PasskeyID(p.id()), Account: ann, Credential: []byte("other")})
			},
			"a role":    func(tx *store.Tx) error { return tx.PutRole(organization, ann, "r") },
			"password":  func(tx *store.Tx) error { return tx.SetPassword(ann, store.Password{Hash: "other"}) },
			"operators": func(tx *store.Tx) error { return tx.EndOperator(ann) },
		} {
			wantError(t, what, bare.Update(t.Context(), write), store.ErrNoCodes)
		}
	})
}

// covered are the columns that the codes of their rows cover, by the name of their table.
func covered() iter.Seq2[string, schema.Column] {
	return func(yield func(string, schema.Column) bool) {
		for _, table := range store.Tables() {
			except, coded := uncovered[table.Name]
			for _, c := range table.Columns {
				if coded && !slices.Contains(except, c.Name) && !yield(table.Name, c) {
					return
				}
			}
		}
	}
}

// forgery returns what a column holds of the only row of a table, and what it might hold.
func forgery(t *testing.T, e store.Engine, table string, c schema.Column) (was, is any) {
	t.Helper()
	held := `SELECT ` + c.Name + ` FROM ` + table + Forging
	switch c.Kind {
	case schema.NumberColumn:
		n := conformance.Column[int64](t, e, held)[0]
		if slices.Contains(flags, c.Name) {
			return n, 1 - n
		}
		return n, n + 1
	case schema.TextColumn:
		text := conformance.Column[string](t, e, held)[0]
		if c.Name == "networks" {
			return text, "192.0.2.0/24"
		}
		return text, text + "x"
	default:
		b := conformance.Column[[]byte](t, e, held)[0]
		if len(b) != 16 {
			return b, append(slices.Clone(b), 1)
		}
		other := slices.Clone(b) // an identifier, or a code
		other[3] ^= 1
		return b, other
	}
}

// wished notes that an organization wants an account.
func wished(tx *store.Tx, r store.JoinRequest) error {
	_, err := tx.PutJoinRequest(r)
	return err
}
