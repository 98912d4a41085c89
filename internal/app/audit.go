package app

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"signet/internal/audit"
	"signet/internal/durable"
	"signet/internal/model"
	"signet/internal/store"
)

// auditKeyFile holds the key that signs checkpoints of the audit log, of a server
// that stores in its data directory. Servers that share a database have it there.
const auditKeyFile = "audit.key"

// openAuditKey returns the key, which is made at the first start, and where it is gone.
func openAuditKey(ctx context.Context, in surroundings, kept *store.Store) (*audit.Key, error) {
	dir, database := in.dir, in.cfg.Database
	text, err := auditKeyText(ctx, dir, database, kept)
	if err != nil || text != "" {
		return parseAuditKey(text, err)
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
		settled, err = settleFile(filepath.Join(dir, auditKeyFile), text)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the audit key: %w", err)
	}
	if adopted > 0 {
		in.log.Warn("the key of the audit log was gone: another one signs its checkpoints, those of before as they were found", "checkpoints", adopted)
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

// readAuditKey returns the key of an installation that has one.
func readAuditKey(ctx context.Context, dir, database string, kept *store.Store) (*audit.Key, error) {
	text, err := auditKeyText(ctx, dir, database, kept)
	if err == nil && text == "" {
		err = errors.New("there is none: it is made by the first start of a server")
	}
	return parseAuditKey(text, err)
}

func parseAuditKey(text string, err error) (*audit.Key, error) {
	if err != nil {
		return nil, fmt.Errorf("read the audit key: %w", err)
	}
	return audit.ParseKey(text)
}

// auditKeyText returns the key as it is stored, "" where there is none.
func auditKeyText(ctx context.Context, dir, database string, kept *store.Store) (text string, err error) {
	if database != "" {
		err = kept.View(ctx, func(tx *store.Tx) (err error) {
			text, err = tx.AuditKey()
			return err
		})
		return text, err
	}
	content, err := os.ReadFile(filepath.Join(dir, auditKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(content), err
}

// VerifyAudit checks the audit log of a data directory or a database, whether or not
// a server uses it, and the checkpoints that were kept in files elsewhere. It returns
// how many entries are right; the first that is not is an *audit.Fault.
func VerifyAudit(ctx context.Context, dir, database string, checkpoints []string) (entries int64, err error) {
	err = inspect(ctx, dir, database, func(kept *store.Store) error {
		key, err := readAuditKey(ctx, dir, database, kept)
		if err != nil {
			return err
		}
		var elsewhere []audit.Checkpoint
		for _, path := range checkpoints {
			found, err := readCheckpoints(path, key)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			elsewhere = append(elsewhere, found...)
		}
		entries, err = audit.Verify(ctx, kept, key, elsewhere)
		return err
	})
	return entries, err
}

// audited carries out what a command does beside the store, and notes in its audit log
// how that ended. The log is opened first: what cannot be noted is not done. Where
// there is no store, such as on a machine that holds a key ring only, or an old one that
// was moved away, nothing is noted.
func audited(ctx context.Context, dir, database string, action model.AuditAction, do func() error) error {
	if database == "" && (!exists(databasePath(dir)) || wantNotMoved(dir) != nil) {
		return do()
	}
	return maintain(ctx, dir, database, func(kept *store.Store) error { return recorded(ctx, kept, action, do) })
}

// recorded is audited for a store that is open.
func recorded(ctx context.Context, kept *store.Store, action model.AuditAction, do func() error) error {
	line := model.AuditEntry{Action: action}
	err := do()
	if err != nil {
		line.Outcome = auditFailed
	}
	line.Time.Time = time.Now().UTC()
	return errors.Join(err, audit.RecordCommand(context.WithoutCancel(ctx), kept, line, func(*store.Tx, *model.AuditEntry) error { return nil }))
}

// auditFailed is the outcome of a command that was begun and not finished.
const auditFailed = "failed"

// auditLine is a line of an export: an entry with its hash, or a checkpoint.
type auditLine struct {
	Entry      json.RawMessage `json:"entry,omitempty"`
	Hash       string          `json:"hash,omitempty"`
	Checkpoint string          `json:"checkpoint,omitempty"`
}

// readCheckpoints reads the checkpoints of an export.
func readCheckpoints(path string, key *audit.Key) (out []audit.Checkpoint, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line auditLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("it is no export of the audit log: %w", err)
		}
		if line.Checkpoint == "" {
			continue
		}
		c, err := key.Open(line.Checkpoint)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("it holds no checkpoint")
	}
	return out, nil
}

// AuditSelection is which entries are exported; what is empty does not restrict.
type AuditSelection struct {
	Organization string
	Since, Until time.Time
}

// ExportAudit writes the audit log as JSON lines, chain by chain, and after the
// entries the checkpoints of what was written, which are made for it. The export is
// an entry itself.
func ExportAudit(ctx context.Context, dir, database string, which AuditSelection, w io.Writer) error {
	return inspect(ctx, dir, database, func(kept *store.Store) error {
		key, err := readAuditKey(ctx, dir, database, kept)
		if err != nil {
			return err
		}
		line := model.AuditEntry{Time: model.AuditTime{Time: time.Now().UTC()}, Action: model.ActionAuditExport}
		chain := model.OrganizationID(which.Organization)
		err = audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
			if chain == "" {
				return nil
			}
			found, err := tx.HasAuditChain(chain)
			if err == nil && !found {
				err = fmt.Errorf("the audit log has nothing of organization %s", chain)
			}
			line.Chain, line.Organization = chain, chain
			return err
		})
		if err != nil {
			return err
		}
		if err := audit.Sign(ctx, kept, key, time.Now().UTC()); err != nil {
			return err
		}
		return writeAudit(ctx, kept, chain, which, w)
	})
}

func writeAudit(ctx context.Context, kept *store.Store, chain model.OrganizationID, which AuditSelection, w io.Writer) error {
	chains := []model.OrganizationID{chain}
	if chain == "" {
		err := kept.View(ctx, func(tx *store.Tx) (err error) {
			chains, err = tx.AuditChains()
			return err
		})
		if err != nil {
			return err
		}
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, chain := range chains {
		var last store.AuditCheckpoint
		after := int64(0)
		for {
			var rows []store.AuditRow
			err := kept.View(ctx, func(tx *store.Tx) (err error) {
				if last.Number == 0 {
					if last, err = tx.AuditCheckpoint(chain, false); err != nil {
						return err
					}
				}
				// What came since the checkpoint is for the next export.
				rows, err = tx.AuditEntries(store.AuditQuery{Chain: chain, After: after, Before: last.Number + 1, Since: which.Since, Until: which.Until}, exportBatch)
				return err
			})
			if err != nil {
				return err
			}
			for i := range rows {
				e := &rows[i]
				after = e.Number
				if err := encoder.Encode(auditLine{Entry: audit.Canonical(&e.AuditEntry), Hash: hex.EncodeToString(e.Hash)}); err != nil {
					return err
				}
			}
			if len(rows) < exportBatch {
				break
			}
		}
		if last.Number > 0 {
			if err := encoder.Encode(auditLine{Checkpoint: strings.TrimPrefix(last.Note, "\n")}); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// exportBatch is how many rows an export reads at a time.
const exportBatch = 500
