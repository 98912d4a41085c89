package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"signet/internal/store"
)

// TestEverythingAtOnce does all that an engine can do from many goroutines, with
// contexts that end and functions that fail, and then asks whether what was
// acknowledged is there, and nothing else.
func TestEverythingAtOnce(t *testing.T) {
	e := mustOpen(t, Options{Readers: 3})
	hurry(t, e, 50, restartPatience)
	dir := t.TempDir()
	var acknowledged, refused sync.Map
	var backups atomic.Int32
	var callers sync.WaitGroup
	for caller := range 12 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(caller)))
			for i := range 60 {
				ctx, cancel := context.WithCancel(t.Context())
				ending := random.IntN(6) == 0
				if ending {
					go cancel()
				}
				name := fmt.Sprintf("%02d-%02d", caller, i)
				var err error
				switch kind := random.IntN(40); {
				case kind == 0:
					err = e.Erase(ctx)
				case kind == 1:
					err = e.Backup(ctx, filepath.Join(dir, fmt.Sprint(backups.Add(1))))
				case kind < 10:
					err = e.View(ctx, func(s store.Session) error { _, err := count(s); return err })
				case kind < 14:
					err = e.Update(ctx, func(s store.Session) error {
						return errors.Join(insert(name, make([]byte, random.IntN(9000))...)(s), errMine)
					})
					refused.Store(name, true)
				case kind == 14:
					err = e.Update(ctx, func(s store.Session) error {
						if err := insert(name)(s); err != nil {
							return err
						}
						panic(errMine)
					})
					refused.Store(name, true)
				default:
					size := random.IntN(9000)
					err = e.Update(ctx, func(s store.Session) error { return insert(name, make([]byte, size)...)(s) })
					if err == nil {
						acknowledged.Store(name, true)
					} else {
						refused.Store(name, true)
					}
				}
				switch {
				case err == nil, errors.Is(err, errMine), errors.Is(err, errReading):
				case ending && errors.Is(err, context.Canceled):
				default:
					t.Errorf("%s: %v", name, err)
				}
				cancel()
			}
		})
	}
	callers.Wait()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wantIntact(t, e.path)
	found := make(map[string]bool)
	err := mustOpenAt(t, e.path, Options{}).View(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT name FROM items`, nil, func(r store.Row) error {
			var name string
			err := r.Scan(&name)
			found[name] = true
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	acknowledged.Range(func(name, _ any) bool {
		if !found[name.(string)] {
			t.Errorf("%s was acknowledged, and is gone", name)
		}
		return true
	})
	refused.Range(func(name, _ any) bool {
		if found[name.(string)] {
			t.Errorf("%s was refused, and is there", name)
		}
		return true
	})
}
