package audit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// saltBytes is how long a salt is: so long that nobody finds erased names by trying.
const saltBytes = 16

// namesMark stands in the detail of a line user.rename before the hash of its names.
const namesMark = "names="

// NewSalt returns a salt for the names of a line.
func NewSalt() []byte {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	return salt
}

// namesHash is the hash of names with their salt, as the detail of their line has it.
func namesHash(n *auditlog.Names) string {
	text, err := json.Marshal(n.AuditNames)
	if err != nil {
		panic(fmt.Sprintf("encode names: %v", err)) // it holds texts only
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "signet names 1\n%s\n%s\n", hex.EncodeToString(n.Salt), text))
	return hex.EncodeToString(hash[:])
}

// RecordRename adds the line of an act that changed names, as RecordOf does, and keeps the names
// beside it. Without names it is RecordOf.
func RecordRename(tx *store.Tx, actor *model.Actor, line *model.AuditEntry, names *auditlog.Names) error {
	if names == nil {
		return RecordOf(tx, actor, line)
	}
	line.Detail = strings.TrimSpace(line.Detail + " " + namesMark + namesHash(names))
	if err := RecordOf(tx, actor, line); err != nil || line.Number == 0 { // then it was only counted
		return err
	}
	return auditlog.PutNames(tx, line.Chain, line.Number, names)
}

// ActRenaming is Act for what may change names, which fn returns then.
func ActRenaming(
	ctx context.Context, kept Updater, now time.Time, actor *model.Actor, action model.AuditAction,
	fn func(tx *store.Tx, line *model.AuditEntry) (*auditlog.Names, error),
) error {
	origin := originOf(ctx)
	first := NewLine(ctx, now, actor, action)
	err := kept.Update(ctx, func(tx *store.Tx) error {
		line := first
		names, err := fn(tx, &line)
		if err != nil {
			return err
		}
		return RecordRename(tx, actor, &line, names)
	})
	origin.recorded = origin.recorded || err == nil
	return err
}

// faultsOfNames are the lines, by number, beside which the names are not those that they were
// written with. That names are gone is right where their account is gone, or going.
func faultsOfNames(tx *store.Tx, rows []auditlog.Row) (map[int64]*Fault, error) {
	faults := map[int64]*Fault{}
	for i := range rows {
		row := &rows[i]
		if row.Action != model.ActionUserRename || row.Outcome != model.AuditOK {
			continue
		}
		if row.Names == nil {
			stays, err := auditlog.KeepsNames(tx, row.User)
			if err != nil {
				return nil, err
			}
			if stays {
				faults[row.Number] = &Fault{row.Chain, row.Number, "its names are missing, and their account is not erased"}
			}
			continue
		}
		if row.Names.Account != row.User ||
			!slices.Contains(strings.Fields(row.Detail), namesMark+namesHash(row.Names)) {
			faults[row.Number] = &Fault{row.Chain, row.Number, "its names were changed"}
		}
	}
	return faults, nil
}
