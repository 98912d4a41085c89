package blob

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
)

// A place that does not tell whose it is makes nobody wait longer than the first.
func TestGuardAsksAPlaceThatHangsOnceForAllWhoWait(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	var asked atomic.Int64
	told := make(chan error)
	guarded := Guard(mustOpen(t), func() time.Time { return now }, func(context.Context) error {
		asked.Add(1)
		return <-told
	})
	var uploads sync.WaitGroup
	for range 10 {
		uploads.Go(func() {
			if _, err := guarded.Put(t.Context(), model.BlobID{1}, strings.NewReader("x")); !errors.Is(err, ErrUnavailable) {
				t.Errorf("Put answers %v, want that it is away", err)
			}
		})
	}
	told <- ErrUnavailable
	uploads.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("ten uploads asked %d times, want once", n)
	}
	now = now.Add(guardRest)
	close(told)
	if _, err := guarded.Put(t.Context(), model.BlobID{1}, strings.NewReader("x")); err != nil {
		t.Errorf("after it is back: %v", err)
	}
}

// A copy that left empty directories out is marked all the same.
func TestPlaceWithoutItsEmptyDirectoryIsMarked(t *testing.T) {
	d := mustOpen(t)
	if err := os.Remove(d.incoming); err != nil {
		t.Fatal(err)
	}
	if err := d.SetOwner(t.Context(), model.Mark{Installation: "ward", Epoch: "e1"}); err != nil {
		t.Error(err)
	}
	// Without its root it is away.
	if err := os.RemoveAll(d.root); err != nil {
		t.Fatal(err)
	}
	if err := d.SetOwner(t.Context(), model.Mark{Installation: "ward", Epoch: "e1"}); !errors.Is(err, ErrUnavailable) {
		t.Errorf("SetOwner answers %v, want that it is away", err)
	}
}
