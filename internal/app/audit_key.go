package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"signet/internal/audit"
	"signet/internal/durable"
	"signet/internal/home"
	"signet/internal/store"
)

// openAuditKey returns the key, which is made at the first start, and where it is gone.
func openAuditKey(ctx context.Context, in surroundings, kept *store.Store) (*audit.Key, error) {
	dir, database := in.dir, in.cfg.Database
	text, err := home.AuditKeyText(ctx, dir, database, kept)
	if err != nil || text != "" {
		return home.ParseAuditKey(text, err)
	}
	if text, err = audit.NewKey(); err != nil {
		return nil, fmt.Errorf("make the audit key: %w", err)
	}
	key, err := audit.ParseKey(text)
	if err != nil {
		return nil, err
	}
	// What is signed already is signed anew before the key is kept: a start that ends in
	// between is followed by one that does it again, with another key.
	settled := text
	adopted, err := audit.Adopt(ctx, kept, key, in.clock(), func(tx *store.Tx) (err error) {
		if database == "" {
			return nil
		}
		if settled, err = tx.SettleAuditKey(text); err == nil && settled != text {
			err = errOtherKey
		}
		return err
	})
	if errors.Is(err, errOtherKey) {
		return audit.ParseKey(settled)
	}
	if err == nil && database == "" {
		settled, err = settleFile(filepath.Join(dir, home.AuditKeyFile), text)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the audit key: %w", err)
	}
	if adopted > 0 {
		in.log.Warn("the key of the audit log was gone: another one signs its checkpoints, those of before as they were "+
			"found", "checkpoints", adopted)
	}
	return audit.ParseKey(settled)
}

// errOtherKey says that another server on the database made the key.
var errOtherKey = errors.New("another server made the audit key")

// settleFile returns what a file holds, which is the given text where there was no
// file. It is readable for its owner only.
func settleFile(path, text string) (string, error) {
	switch err := durable.PutNew(path, []byte(text)); {
	case err == nil:
		return text, nil
	case !errors.Is(err, fs.ErrExist):
		return "", err
	}
	kept, err := os.ReadFile(path)
	return string(kept), err
}
