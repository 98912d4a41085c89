package overview

import (
	"bytes"
	"cmp"

	"signet/internal/continuation"
	"signet/internal/model"
	"signet/internal/store"
)

// cursor is an entry of a list that is in the order of accounts.
type cursor struct {
	Account model.AccountID `json:"a"`
	Then    string          `json:"t,omitempty"` // which of the account's entries
	All     bool            `json:"z,omitempty"` // what comes after all of them
}

func (p cursor) compare(o cursor) int {
	all := func(p cursor) int {
		if p.All {
			return 1
		}
		return 0
	}
	return cmp.Or(bytes.Compare(p.Account[:], o.Account[:]), cmp.Compare(all(p), all(o)), cmp.Compare(p.Then, o.Then))
}

// walk is a list in the order of accounts.
type walk[E any] struct {
	list *continuation.List
	// accounts returns up to limit accounts after one, in their order: fewer only at the end.
	accounts func(tx *store.Tx, after model.AccountID, limit int) ([]model.AccountID, error)
	// entries returns those of accounts, in the order of their cursors. It may leave out what
	// comes up to from, and what is more than a page behind it.
	entries func(tx *store.Tx, accounts []model.AccountID, from cursor) ([]E, error)
	cursor  func(*E) cursor
}

// page returns the page that was asked for.
func (w *walk[E]) page(tx *store.Tx, ask Ask) (out Page[E], err error) {
	var from cursor
	if ask.Continuation != "" {
		if err := w.list.Open(ask.Continuation, &from); err != nil {
			return out, err
		}
	}
	after := before(from.Account)
	if from.All {
		after = from.Account
	}
	out.Results = make([]E, 0, ask.Size)
	for looked := 0; ; looked += piece {
		accounts, err := w.accounts(tx, after, piece)
		if err != nil || len(accounts) == 0 {
			return out, err
		}
		entries, err := w.entries(tx, accounts, from)
		if err != nil {
			return out, err
		}
		for i := range entries {
			if w.cursor(&entries[i]).compare(from) <= 0 {
				continue
			}
			if len(out.Results) == ask.Size {
				out.Continuation, err = w.list.Seal(w.cursor(&out.Results[ask.Size-1]))
				return out, err
			}
			out.Results = append(out.Results, entries[i])
		}
		if len(accounts) < piece {
			return out, nil
		}
		if after = accounts[len(accounts)-1]; looked+piece >= mostLooked {
			out.Continuation, err = w.list.Seal(cursor{Account: after, All: true})
			return out, err
		}
	}
}

// before returns the account identifier that comes directly before another one; the least
// is before itself.
func before(id model.AccountID) model.AccountID {
	for i := len(id) - 1; i >= 0; i-- {
		id[i]--
		if id[i] != 0xff {
			return id
		}
	}
	return model.AccountID{}
}
