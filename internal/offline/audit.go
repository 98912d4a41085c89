package offline

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"signet/internal/audit"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/succession"
)

// Unchanged is what VerifyAudit found as it was written.
type Unchanged struct {
	Entries int64
	Rows    int   // that give access
	Forged  int   // of these, rows that no server wrote; each was reported
	NoCodes error // why the rows could not be checked: there is no key ring
}

// VerifyAudit checks the audit log of a data directory or a database, whether or not
// a server uses it, and the checkpoints that were kept in files elsewhere. The first entry
// that is not right is an *audit.Fault. Where the key ring is at hand, it checks the rows
// that give access too, and report gets a line for each that no server wrote.
func VerifyAudit(ctx context.Context, cfg *config.Config, checkpoints []string, report func(line string)) (u Unchanged,
	err error) {
	err = inspectAny(ctx, cfg.Data, cfg.Database, func(kept *store.Store, _ string) error {
		key, err := home.ReadAuditKey(ctx, cfg.Data, cfg.Database, kept)
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
		if u.Entries, err = audit.Verify(ctx, kept, key, elsewhere); err != nil {
			return err
		}
		checked := false
		err = withCodes(ctx, cfg, kept, func(*store.Store) error {
			checked = true
			u.Rows, err = kept.Forgeries(ctx, func(f store.Forgery) {
				u.Forged++
				report(ForgedLine(f))
			})
			return err
		})
		if !checked {
			u.NoCodes, err = err, nil
		}
		return err
	})
	return u, err
}

// audited carries out what a command does beside the store, and notes in its audit log
// how that ended. The log is opened first: what cannot be noted is not done. Where
// there is no store, such as on a machine that holds a key ring only, or an old one, nothing is noted.
func audited(ctx context.Context, dir, database string, action model.AuditAction, do func() error) error {
	if database == "" && (!home.Exists(home.Database(dir)) || old(dir)) {
		return do()
	}
	return Change(ctx, dir, database, func(kept *store.Store) error { return audit.RecordOutcome(ctx, kept, action, do) })
}

// old reports whether an installation lives elsewhere by now: it was moved away, or another server took over
// from the one of the directory. What only the old one has can be copied all the same.
func old(dir string) bool {
	return home.WantNotMoved(dir) != nil || succession.Fenced(home.Absolute(dir)) != nil
}

// auditLine is a line of an export: an entry with its hash, or a checkpoint.
type auditLine struct {
	Entry      json.RawMessage `json:"entry,omitempty"`
	Hash       string          `json:"hash,omitempty"`
	Names      *auditNames     `json:"names,omitempty"` // of a line user.rename
	Checkpoint string          `json:"checkpoint,omitempty"`
}

// auditNames are the names of a line user.rename, with what proves that they are those of its hash.
type auditNames struct {
	Salt string `json:"salt"`
	model.AuditNames
}

// lineOf is a line of the log as an export writes it.
func lineOf(row *auditlog.Row) auditLine {
	line := auditLine{Entry: audit.Canonical(&row.AuditEntry), Hash: hex.EncodeToString(row.Hash)}
	if n := row.Names; n != nil {
		line.Names = &auditNames{hex.EncodeToString(n.Salt), n.AuditNames}
	}
	return line
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
	return Inspect(ctx, dir, database, func(kept *store.Store) error {
		key, err := home.ReadAuditKey(ctx, dir, database, kept)
		if err != nil {
			return err
		}
		line := model.AuditEntry{Time: model.AuditTime{Time: time.Now().UTC()}, Action: model.ActionAuditExport}
		chain := model.OrganizationID(which.Organization)
		err = audit.RecordCommand(ctx, kept, line, func(tx *store.Tx, line *model.AuditEntry) error {
			if chain == "" {
				return nil
			}
			found, err := auditlog.HasChain(tx, chain)
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

func writeAudit(ctx context.Context, kept *store.Store, chain model.OrganizationID, which AuditSelection,
	w io.Writer) error {
	chains := []model.OrganizationID{chain}
	if chain == "" {
		var err error
		if chains, err = store.Read(ctx, kept, auditlog.Chains); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, chain := range chains {
		var last auditlog.Checkpoint
		after := int64(0)
		for {
			var rows []auditlog.Row
			err := kept.View(ctx, func(tx *store.Tx) (err error) {
				if last.Number == 0 {
					if last, err = auditlog.CheckpointOf(tx, chain, false); err != nil {
						return err
					}
				}
				// What came since the checkpoint is for the next export.
				rows, err = auditlog.Entries(tx, auditlog.Query{Chain: chain, After: after, Before: last.Number + 1,
					Since: which.Since, Until: which.Until}, exportBatch)
				return err
			})
			if err != nil {
				return err
			}
			for i := range rows {
				after = rows[i].Number
				if err := encoder.Encode(lineOf(&rows[i])); err != nil {
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
