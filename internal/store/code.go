package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"sync"

	"signet/internal/model"
)

// A row that gives access carries an authentication code (column code, of a password
// password_code): HMAC-SHA-256 under a key that the database does not hold, over the row's
// kind and over all columns that say who may do what. A row that was not written by a
// server has none that fits, and is read as if it were not there. What was deleted, and a
// row that is put back as it once was, cannot be told.

// codeSize is that of a code, in bytes.
const codeSize = 16

// ErrNoCodes says that a row which gives access was to be written without the key.
var ErrNoCodes = errors.New("what gives access cannot be changed without the key ring: name it, and the master key, " +
	"as the server does")

// coded is a row that carries a code.
type coded interface {
	// cover writes the kind of the row, and then all that its code covers.
	cover(m *mac)
	// name returns which row it is.
	name() Forgery
}

// Forgery is a row whose code does not fit what it says.
type Forgery struct {
	// key, account, password, membership, join_request, role, webhook, provider, domain, subject, sign_in, passkey or
	// passkey_allowance
	Kind string
	Row  string // its primary key, with blanks between
}

// String names the row for people.
func (f Forgery) String() string { return f.Kind + " " + f.Row }

// codes makes and checks codes. It is safe for concurrent use.
type codes struct {
	macs   *sync.Pool // of *mac, all with the same key
	forged func(Forgery)
}

// mac is an HMAC with what it is to be made of, written so that no two rows are alike.
type mac struct {
	hash.Hash
	row, sum []byte
}

func (m *mac) text(text string) {
	m.row = binary.AppendUvarint(append(m.row, 't'), uint64(len(text)))
	m.row = append(m.row, text...)
}

func (m *mac) bytes(b []byte) {
	m.row = binary.AppendUvarint(append(m.row, 'b'), uint64(len(b)))
	m.row = append(m.row, b...)
}

func (m *mac) number(n int64) { m.row = binary.BigEndian.AppendUint64(append(m.row, 'n'), uint64(n)) }

func (m *mac) flag(yes bool) {
	m.row = append(m.row, 'f', 0)
	if yes {
		m.row[len(m.row)-1] = 1
	}
}

func (m *mac) id(id model.AccountID) { m.row = append(append(m.row, 'i'), id[:]...) }

// value writes an argument of a statement.
func (m *mac) value(value any) {
	switch v := value.(type) {
	case int64:
		m.number(v)
	case int:
		m.number(int64(v))
	case bool:
		m.flag(v)
	case string:
		m.text(v)
	case model.OrganizationID:
		m.text(string(v))
	case model.AccountID:
		m.id(v)
	case []byte:
		m.bytes(v)
	default:
		panic(fmt.Sprintf("no code covers a %T", value)) // the first write of such a row tells
	}
}

// Authenticate makes the store write codes under a key, and take rows without a right one
// for missing. forged is told of each of these that is read, so perhaps often of the same
// one; it is called in transactions, and waits for nothing. Without Authenticate rows are
// read as they are, and none that has a code is written. Call it before the first use.
func (s *Store) Authenticate(key []byte, forged func(Forgery)) {
	s.codes = &codes{forged: forged,
		macs: &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, key)} }}}
}

// of returns the code of a row.
func (c *codes) of(row coded) (code [codeSize]byte) {
	m := c.macs.Get().(*mac)
	m.row = m.row[:0]
	row.cover(m)
	m.Reset()
	m.Write(m.row)
	m.sum = m.Sum(m.sum[:0])
	copy(code[:], m.sum)
	c.macs.Put(m)
	return code
}

// code returns the code for a row that is written.
func (tx *Tx) code(row coded) ([]byte, error) {
	if tx.codes == nil {
		return nil, ErrNoCodes
	}
	code := tx.codes.of(row)
	return code[:], nil
}

// genuine reports whether a row that was read has the right code.
func (tx *Tx) genuine(stored []byte, row coded) bool {
	if tx.codes == nil {
		return true
	}
	want := tx.codes.of(row)
	if subtle.ConstantTimeCompare(want[:], stored) == 1 {
		return true
	}
	tx.codes.forged(row.name())
	return false
}

// codesBatch is how many rows one snapshot of Forgeries reads.
const codesBatch = 1000

// Forgeries checks the codes of all rows that have one, reports those that are wrong, and
// returns how many rows there are.
func (s *Store) Forgeries(ctx context.Context, report func(Forgery)) (rows int, err error) {
	if s.codes == nil {
		return 0, ErrNoCodes
	}
	for _, t := range []struct {
		page  func(tx *Tx, after []any) (last []any, n int, err error)
		after []any
	}{
		{(*Tx).checkKeys, []any{""}},
		{(*Tx).checkAccounts, []any{model.AccountID{}}},
		{(*Tx).checkMemberships, []any{"", model.AccountID{}}},
		{(*Tx).checkJoinRequests, []any{"", model.AccountID{}}},
		{(*Tx).checkRoles, []any{"", model.AccountID{}, ""}},
		{(*Tx).checkWebhooks, []any{model.AccountID{}, []byte{}}},
		{(*Tx).checkProviders, []any{""}},
		{(*Tx).checkDomains, []any{""}},
		{(*Tx).checkSubjects, []any{"", "", ""}},
		{(*Tx).checkSignIns, []any{[]byte{}}},
		{(*Tx).checkPasskeys, []any{model.AccountID{}, []byte{}}},
		{(*Tx).checkAllowances, []any{model.AccountID{}}},
	} {
		for n := codesBatch; n == codesBatch; rows += n {
			var found []Forgery
			last := t.after
			err := s.View(ctx, func(tx *Tx) (err error) {
				found = nil
				tx.codes = &codes{macs: s.codes.macs, forged: func(f Forgery) { found = append(found, f) }}
				last, n, err = t.page(tx, append(t.after[:len(t.after):len(t.after)], codesBatch))
				return err
			})
			if err != nil {
				return rows, err
			}
			for _, f := range found {
				report(f)
			}
			t.after = last
		}
	}
	return rows, nil
}

// RowKey returns the identifier of the key of the codes; empty where none is yet.
func (s *Store) RowKey(ctx context.Context) (id string, err error) { return s.meta(ctx, metaRowKey) }

// SettleRowKey notes the key, and returns the one that is noted: another where another
// node was first.
func (s *Store) SettleRowKey(ctx context.Context, id string) (settled string, err error) {
	err = s.Update(ctx, func(tx *Tx) error {
		settled, err = tx.settle(metaRowKey, id)
		return err
	})
	return settled, err
}
