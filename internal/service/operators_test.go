package service

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"signet/internal/model"
)

// However many commands end operators at the same time, one operator is left.
func TestOneOperatorIsLeft(t *testing.T) {
	t.Parallel()
	c := newCluster(t, Limits{})
	ctx := t.Context()
	names := []string{"ann", "ben"}
	for _, name := range names {
		key, secret := NewCredentials()
		c.must(AddOperator(ctx, c.store, c.clock.Now(), name, key, secret))
	}
	c.must(EndOperator(ctx, c.store, c.clock.Now(), OperatorName))
	var refused atomic.Int64
	c.atOnce(2, func(i int, node *Service) error {
		err := EndOperator(context.WithoutCancel(ctx), node.store, c.clock.Now(), names[i])
		if errors.Is(err, ErrLastOperator) {
			refused.Add(1)
			return nil
		}
		return err
	})
	left, err := Operators(ctx, c.store)
	c.must(err)
	if len(left) != 1 || refused.Load() != 1 || left[0].Keys != 1 {
		t.Errorf("%+v are left, and %d were refused", left, refused.Load())
	}
	var told *model.Error
	if err := AddOperator(ctx, c.store, c.clock.Now(), OperatorName, "k", "s"); !errors.As(err, &told) ||
		told.Code != "address_taken" {
		t.Errorf("the name of an operator that was ended: %v", err)
	}
}
