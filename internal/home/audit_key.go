package home

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"signet/internal/audit"
	"signet/internal/store"
)

// AuditKeyFile holds the key that signs checkpoints of the audit log, of a server
// that stores in its data directory. Servers that share a database have it there.
const AuditKeyFile = "audit.key"

// ReadAuditKey returns the key of an installation that has one.
func ReadAuditKey(ctx context.Context, dir, database string, kept *store.Store) (*audit.Key, error) {
	text, err := AuditKeyText(ctx, dir, database, kept)
	if err == nil && text == "" {
		err = errors.New("there is none: it is made by the first start of a server")
	}
	return ParseAuditKey(text, err)
}

// ParseAuditKey reads the key from its text, unless getting that failed.
func ParseAuditKey(text string, err error) (*audit.Key, error) {
	if err != nil {
		return nil, fmt.Errorf("read the audit key: %w", err)
	}
	return audit.ParseKey(text)
}

// AuditKeyText returns the key as it is stored, "" where there is none.
func AuditKeyText(ctx context.Context, dir, database string, kept *store.Store) (string, error) {
	if database != "" {
		return store.Read(ctx, kept, (*store.Tx).AuditKey)
	}
	content, err := os.ReadFile(filepath.Join(dir, AuditKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(content), err
}
