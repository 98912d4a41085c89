package home

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/seal"
	"signet/internal/seal/pgring"
)

// Misconfigured marks an error that trying again without changing the settings, or
// what they name, cannot mend.
type Misconfigured struct{ Err error }

func (m Misconfigured) Error() string { return m.Err.Error() }

// Unwrap returns the error.
func (m Misconfigured) Unwrap() error { return m.Err }

// SetupFault marks the errors of a key ring and its master key that do not fit.
func SetupFault(err error) error {
	if errors.As(err, new(*seal.SetupError)) || errors.As(err, new(*content.LacksRowKey)) {
		return Misconfigured{Err: err}
	}
	return err
}

// Keyring opens the ring that the settings name, for a server or for a command
// beside one.
func Keyring(ctx context.Context, where, dir string, server bool) (seal.Storage, error) {
	path, isFile := strings.CutPrefix(where, "file:")
	switch {
	case where == "":
		path = filepath.Join(dir, KeyringFile)
	case !isFile:
		return pgring.Open(ctx, where)
	}
	if !server {
		return seal.OpenFileBeside(path), nil
	}
	return seal.OpenFile(path)
}

// Master is the master key that the settings name. It is not read yet.
func Master(where, dir string) (seal.Master, error) {
	if where == "" {
		return seal.MasterFile(filepath.Join(dir, MasterFile)), nil
	}
	return seal.ParseMaster(where, os.Getenv)
}

// OpenRing opens the key ring of which open returns the storage, with the master key that
// the settings name.
func OpenRing(
	ctx context.Context, cfg *config.Config, dir string, o seal.Options, open func() (seal.Storage, error),
) (_ *seal.Ring, err error) {
	if o.Master, err = Master(cfg.MasterKey, dir); err == nil {
		o.Storage, err = open()
	}
	if err != nil {
		return nil, SetupFault(err)
	}
	ring, err := seal.Open(ctx, o)
	return ring, SetupFault(err)
}

// OwnershipFault marks the error of a key ring, or of attachments, that belong to another
// installation.
func OwnershipFault(err error) error {
	if errors.As(err, new(*custody.NotOurs)) {
		return Misconfigured{Err: err}
	}
	return err
}
