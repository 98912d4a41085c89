package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/access"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/store"
)

// Operator is an account that may do everything.
type Operator = people.Operator

// Operators lists the operators of a data directory, or of the database where one is
// named.
func Operators(ctx context.Context, dir, database string) ([]Operator, error) {
	return inspect(ctx, dir, database, func(kept *store.Store) ([]Operator, error) { return people.Operators(ctx, kept) })
}

// CreateOperator makes one more operator and writes its credentials to a new file,
// readable by its owner only: operator-NAME.json in the data directory, if none is
// named. It returns the path of the file.
func CreateOperator(ctx context.Context, cfg *config.Config, username, path string) (string, error) {
	if !model.ValidUsername(username) {
		return "", people.ErrOperatorName
	}
	if path == "" {
		path = operatorPath(cfg.Data, username)
	}
	if home.Exists(path) {
		return "", fmt.Errorf("%s is there already: move it away, or name another file with --file", path)
	}
	fields := home.Credentials{}
	// It is for the same server as operator.json, where the directory has that.
	if first, err := home.ReadCredentials(filepath.Join(cfg.Data, home.OperatorFile)); err == nil &&
		first.Text(home.FieldBaseURL) != "" {
		fields.Set(home.FieldBaseURL, first.Text(home.FieldBaseURL))
	}
	err := changeAccess(ctx, cfg, func(kept *store.Store) error {
		if cfg.Database != "" { // any machine that reaches the database may do it
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
		}
		return writeCredentials(path, fields, func(key, secret string) error {
			if err := people.AddOperator(ctx, kept, time.Now(), username, key, secret); err != nil {
				return fmt.Errorf("make the operator: %w", err)
			}
			return nil
		})
	})
	return path, err
}

// writeCredentials puts a new key into a file, which is on disk before use makes the key
// open anything. After an error of use the file is as it was.
func writeCredentials(path string, fields home.Credentials, use func(key, secret string) error) error {
	key, secret := access.NewCredentials()
	fields.Set(home.FieldKey, key)
	fields.Set(home.FieldSecret, secret)
	staged, err := fields.Stage(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := use(key, secret); err != nil {
		return errors.Join(err, staged.Discard())
	}
	if err := errors.Join(staged.Commit(), staged.Discard()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// operatorPath is where the credentials of an operator are; without a name, of the first.
func operatorPath(dir, name string) string {
	if name == "" || strings.EqualFold(name, people.FirstOperator) {
		return filepath.Join(dir, home.OperatorFile)
	}
	return filepath.Join(dir, "operator-"+name+".json")
}

// EndOperator ends an operator, named by its username or token: all that opened the
// account, and that it may do everything.
func EndOperator(ctx context.Context, cfg *config.Config, name string) error {
	return changeAccess(ctx, cfg, func(kept *store.Store) error {
		if err := people.EndOperator(ctx, kept, time.Now(), name); err != nil {
			return fmt.Errorf("end the operator %s: %w", name, err)
		}
		return nil
	})
}
