package pgring

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// KnownTime implements seal.Storage.
func (s *Storage) KnownTime(ctx context.Context) (at time.Time, err error) {
	var ms int64
	err = s.pool.QueryRow(ctx, `SELECT known FROM keyring_time`).Scan(&ms)
	if errors.Is(err, pgx.ErrNoRows) {
		return at, nil
	}
	if err != nil {
		return at, unavailable("read the time", err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// NoteTime implements seal.Storage.
func (s *Storage) NoteTime(ctx context.Context, at time.Time) error {
	_, err := s.pool.Exec(ctx,
		`INSERT INTO keyring_time (one, known) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET known = excluded.known`,
		at.UnixMilli())
	if err != nil {
		return unavailable("note the time", err)
	}
	return nil
}
