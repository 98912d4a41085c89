package sweep

import (
	"cmp"
	"context"
	"slices"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/sealing"
)

// endingBatch is how many days' keys one sweep looks at.
const endingBatch = 10_000

// endKeys destroys the keys whose last message had gone by a time; none where that is
// zero.
func (w *Sweeper) endKeys(ctx context.Context, at time.Time) error {
	if w.Vault.Unsealed {
		return nil
	}
	if err := w.Vault.Ring.Refresh(ctx); err != nil {
		return err
	}
	if at.IsZero() {
		return nil
	}
	endings, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]sealing.KeyEnding, error) {
		return sealing.KeyEndings(tx, endingBatch)
	})
	if err != nil || len(endings) == 0 {
		return err
	}
	all := w.Vault.Ring.Names()
	named := make([][]seal.Name, len(endings))
	var names []seal.Name
	for i, e := range endings {
		named[i] = []seal.Name{content.DayKey(e.Organization, e.Day)}
		if e.All() {
			named[i] = slices.DeleteFunc(slices.Clone(all), func(n seal.Name) bool { return n.Scope != string(e.Organization) })
		}
		names = append(names, named[i]...)
	}
	done, fault := w.Vault.Ring.End(ctx, at, names, w.leftAt(at))
	w.Cases.Forget()
	settled := make(map[seal.Name]bool, len(done))
	for _, name := range done {
		settled[name] = true
	}
	err = w.Store.Update(ctx, func(tx *store.Tx) error {
		for i, e := range endings {
			if slices.ContainsFunc(named[i], func(n seal.Name) bool { return !settled[n] }) {
				continue // a send may use it at this moment
			}
			if err := sealing.DeleteKeyEnding(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	return cmp.Or(fault, err)
}

// endPastKeys destroys the keys of days that are over and of organizations that are
// gone. A crash, or a message that was never stored, leaves such keys.
func (w *Sweeper) endPastKeys(ctx context.Context, at time.Time) error {
	if w.Vault.Unsealed {
		return nil
	}
	all := w.Vault.Ring.Names()
	there := make(map[string]bool)
	for _, n := range all {
		if _, asked := there[n.Scope]; asked || n.Scope == "" {
			continue
		}
		err := w.Store.View(ctx, func(tx *store.Tx) error {
			_, found, err := tx.Organization(model.OrganizationID(n.Scope))
			there[n.Scope] = found
			return err
		})
		if err != nil {
			return err
		}
	}
	everything := w.allKeys.Swap(false)
	names := slices.DeleteFunc(all, func(n seal.Name) bool {
		end, ends := seal.Ends(n.Period)
		past := everything || ends && !end.After(at)
		return !past && (n.Scope == "" || there[n.Scope])
	})
	_, err := w.Vault.Ring.End(ctx, at, names, w.leftAt(at))
	return err
}

// AskAllKeys makes the next housekeeping ask of every key whether anything is left.
func (w *Sweeper) AskAllKeys() { w.allKeys.Store(true) }

// leftAt returns what tells whether anything is left that a key seals, as of a time.
func (w *Sweeper) leftAt(at time.Time) func(context.Context, seal.Name) (bool, error) {
	return func(ctx context.Context, name seal.Name) (bool, error) { return w.left(ctx, at, name) }
}

// left reports whether anything is left that a key seals. What must outlive its end,
// whatever for, says so here.
func (w *Sweeper) left(ctx context.Context, at time.Time, name seal.Name) (left bool, err error) {
	err = w.Store.View(ctx, func(tx *store.Tx) (err error) {
		left, err = content.KeyLeft(tx, name, at, w.Clock.Latest(at))
		return err
	})
	return left, err
}
