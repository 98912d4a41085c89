package service

import (
	"errors"

	"signet/internal/blob"
	"signet/internal/health"
	"signet/internal/seal"
	"signet/internal/store"
)

// MissingPart names the part of the server that an error says is away, as
// health.Outages knows it, or "" where it says something else: others may hold for too
// long what one call needs, say.
func MissingPart(err error) string {
	switch {
	case errors.Is(err, seal.ErrUnavailable):
		return health.Keyring
	case errors.Is(err, blob.ErrUnavailable):
		return health.Attachments
	case errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrBusy):
		return health.Store
	}
	return ""
}
