package people_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/postgres"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// two opens two stores on one PostgreSQL, as two servers or commands do.
func two(t *testing.T) (stores [2]*store.Store) {
	t.Helper()
	url := postgrestest.URL(t)
	for i := range stores {
		engine, err := postgres.Open(t.Context(), url, postgres.Options{Connections: 2})
		must(t, err)
		t.Cleanup(func() { engine.Close() })
		stores[i], err = store.Open(t.Context(), engine, func() string { return "epoch" })
		must(t, err)
		enginetest.Authenticate(stores[i])
	}
	return stores
}

// refusals does something to both stores at the same time, and counts the refusals.
func refusals(t *testing.T, stores [2]*store.Store, refusal error, do func(i int, kept *store.Store) error) int64 {
	t.Helper()
	var refused atomic.Int64
	var group sync.WaitGroup
	for i, kept := range stores {
		group.Go(func() {
			if err := do(i, kept); errors.Is(err, refusal) {
				refused.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	return refused.Load()
}

func TestOneOfTwoFirstStartsMakesTheOperator(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	stores, ctx := two(t), context.WithoutCancel(t.Context())
	keys := [2]string{"a", "b"}
	if n := refusals(t, stores, people.ErrOperatorExists, func(i int, kept *store.Store) error {
		return people.MakeFirstOperator(ctx, kept, time.Now(), keys[i], "secret")
	}); n != 1 {
		t.Errorf("%d of two first starts were refused, want 1", n)
	}
	all, err := people.Operators(ctx, stores[0])
	must(t, err)
	if len(all) != 1 || all[0].Username != people.FirstOperator || all[0].Keys != 1 {
		t.Errorf("the operators are %+v, want one with one key", all)
	}
}

// However many commands end operators at the same time, one operator is left.
func TestOneOperatorIsLeft(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	stores, ctx := two(t), context.WithoutCancel(t.Context())
	must(t, people.MakeFirstOperator(ctx, stores[0], time.Now(), "key", "secret"))
	names := [2]string{"ann", "ben"}
	for _, name := range names {
		must(t, people.AddOperator(ctx, stores[0], time.Now(), name, name, "secret"))
	}
	must(t, people.EndOperator(ctx, stores[0], time.Now(), people.FirstOperator))
	refused := refusals(t, stores, people.ErrLastOperator, func(i int, kept *store.Store) error {
		return people.EndOperator(ctx, kept, time.Now(), names[i])
	})
	left, err := people.Operators(ctx, stores[0])
	must(t, err)
	if len(left) != 1 || refused != 1 || left[0].Keys != 1 {
		t.Errorf("%+v are left, and %d were refused", left, refused)
	}
	var told *model.Error
	if err := people.AddOperator(ctx, stores[0], time.Now(), people.FirstOperator, "k", "s"); !errors.As(err, &told) ||
		told.Code != "address_taken" {
		t.Errorf("the name of an operator that was ended: %v", err)
	}
}
