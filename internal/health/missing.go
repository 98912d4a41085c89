package health

import (
	"context"
	"errors"
	"log/slog"

	"signet/internal/blob"
	"signet/internal/seal"
	"signet/internal/store"
)

// MissingPart names the part of the server that an error says is away, as
// Outages knows it, or "" where it says something else: others may hold for too
// long what one call needs, say.
func MissingPart(err error) string {
	switch {
	case errors.Is(err, seal.ErrUnavailable):
		return Keyring
	case errors.Is(err, blob.ErrUnavailable):
		return Attachments
	case errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrBusy):
		return Store
	}
	return ""
}

// Complain logs a failure. That the store or the files are away for a while is no
// defect, and outages tells it once for all that fails for it.
func Complain(ctx context.Context, log *slog.Logger, outages *Outages, what string, err error) {
	part := MissingPart(err)
	if outages.Failed(part, err) {
		return
	}
	level := slog.LevelError
	if part != "" || errors.Is(err, store.ErrUnavailable) {
		level = slog.LevelWarn
	}
	log.Log(ctx, level, what, "error", err)
}
