package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// endingBatch is how many days' keys one sweep looks at.
const endingBatch = 10_000

// noteKeyEndings notes, in the transaction that removes messages, that their keys may
// not be needed any more.
func noteKeyEndings(tx *store.Tx, rows []store.MessageRow) error {
	type place struct {
		organization model.OrganizationID
		day          store.KeyDay
	}
	var places []place
	for i := range rows {
		places = append(places, place{rows[i].Organization, rows[i].KeyDay()})
	}
	slices.SortFunc(places, func(a, b place) int {
		lasting := func(p place) int {
			if p.day.Lasting {
				return 1
			}
			return 0
		}
		return cmp.Or(strings.Compare(string(a.organization), string(b.organization)), cmp.Compare(lasting(a), lasting(b)), cmp.Compare(a.day.Day, b.day.Day))
	})
	for _, p := range slices.Compact(places) {
		if err := tx.NoteKeyEnding(p.organization, p.day); err != nil {
			return err
		}
	}
	return nil
}

// endKeys destroys the keys of which the last message went, as of a time; none where
// that is zero.
func (s *Service) endKeys(ctx context.Context, at time.Time) error {
	if s.vault.Unsealed {
		return nil
	}
	if err := s.vault.Ring.Refresh(ctx); err != nil {
		return err
	}
	if at.IsZero() {
		return nil
	}
	var endings []store.KeyEnding
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		endings, err = tx.KeyEndings(endingBatch)
		return err
	})
	if err != nil || len(endings) == 0 {
		return err
	}
	all := s.vault.Ring.Names()
	named := make([][]seal.Name, len(endings))
	var names []seal.Name
	for i, e := range endings {
		named[i] = []seal.Name{content.DayKey(e.Organization, e.Day)}
		if e.All() {
			named[i] = slices.DeleteFunc(slices.Clone(all), func(n seal.Name) bool { return n.Scope != string(e.Organization) })
		}
		names = append(names, named[i]...)
	}
	done, fault := s.vault.Ring.End(ctx, at, names, s.leftAt(at))
	s.messages.ForgetAll()
	settled := make(map[seal.Name]bool, len(done))
	for _, name := range done {
		settled[name] = true
	}
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		for i, e := range endings {
			if slices.ContainsFunc(named[i], func(n seal.Name) bool { return !settled[n] }) {
				continue // somebody may be sending with it at this moment
			}
			if err := tx.DeleteKeyEnding(e); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(fault, err)
}

// endPastKeys destroys the keys of days that are over, and of organizations that are
// gone, of which a crash, or a message that did not come about, has left some.
func (s *Service) endPastKeys(ctx context.Context, at time.Time) error {
	if s.vault.Unsealed {
		return nil
	}
	all := s.vault.Ring.Names()
	there := make(map[string]bool)
	for _, n := range all {
		if _, asked := there[n.Scope]; asked || n.Scope == "" {
			continue
		}
		err := s.store.View(ctx, func(tx *store.Tx) error {
			_, found, err := tx.Organization(model.OrganizationID(n.Scope))
			there[n.Scope] = found
			return err
		})
		if err != nil {
			return err
		}
	}
	everything := s.allKeys.Swap(false)
	names := slices.DeleteFunc(all, func(n seal.Name) bool {
		end, ends := seal.Ends(n.Period)
		past := everything || ends && !end.After(at)
		return !past && (n.Scope == "" || there[n.Scope])
	})
	_, err := s.vault.Ring.End(ctx, at, names, s.leftAt(at))
	return err
}

// DoubtKeys makes the next housekeeping ask of every key whether anything is left.
func (s *Service) DoubtKeys() { s.allKeys.Store(true) }

// leftAt returns what tells whether anything is left that a key seals, as of a time.
func (s *Service) leftAt(at time.Time) func(context.Context, seal.Name) (bool, error) {
	return func(ctx context.Context, name seal.Name) (bool, error) { return s.left(ctx, at, name) }
}

// left reports whether anything is left that a key seals. What must outlive its end,
// whatever for, says so here.
func (s *Service) left(ctx context.Context, at time.Time, name seal.Name) (left bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		left, err = content.KeyLeft(tx, name, at, s.time.Latest(at))
		return err
	})
	return left, err
}
