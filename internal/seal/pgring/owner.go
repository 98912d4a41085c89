package pgring

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"signet/internal/model"
)

// Owner implements seal.Storage.
func (s *Storage) Owner(ctx context.Context) (mark model.Mark, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		mark, err = readOwner(ctx, tx, "")
		return err
	})
	if err != nil {
		return mark, unavailable("read its owner", err)
	}
	return mark, nil
}

// refused is an error of the function that changes a mark.
type refused struct{ error }

// SetOwner implements seal.Storage. The keys stay what they are, so that the ring's version
// does, and servers have nothing to read anew.
func (s *Storage) SetOwner(ctx context.Context, change func(model.Mark) (model.Mark, error)) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// The row is there from here on, and held.
		if _, err := tx.Exec(ctx,
			`INSERT INTO keyring_owner (one, mark) VALUES (1, '') ON CONFLICT (one) DO NOTHING`); err != nil {
			return err
		}
		before, err := readOwner(ctx, tx, "FOR UPDATE")
		if err != nil {
			return err
		}
		after, err := change(before)
		if err != nil {
			return refused{err}
		}
		if after == before {
			return nil
		}
		return writeOwner(ctx, tx, after)
	})
	if no, ok := errors.AsType[refused](err); ok {
		return no.error
	} else if err != nil {
		return unavailable("mark it", err)
	}
	return nil
}

func readOwner(ctx context.Context, tx pgx.Tx, lock string) (mark model.Mark, err error) {
	var text string
	err = tx.QueryRow(ctx, `SELECT mark FROM keyring_owner `+lock).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && text == "" {
		return mark, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &mark)
	}
	return mark, err
}

func writeOwner(ctx context.Context, tx pgx.Tx, mark model.Mark) error {
	text, err := json.Marshal(mark)
	if err == nil {
		_, err = tx.Exec(
			ctx, `INSERT INTO keyring_owner (one, mark) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET mark = excluded.mark`,
			string(text))
	}
	return err
}
