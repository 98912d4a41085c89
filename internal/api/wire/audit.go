package wire

import (
	"encoding/hex"

	"signet/internal/model"
)

// AuditLine is a line of the audit log. Old and new names are those that a line user.rename is
// about, by field, while they are not erased.
type AuditLine struct {
	model.AuditEntry
	Old  map[string]string `json:"old,omitempty"`
	New  map[string]string `json:"new,omitempty"`
	Hash string            `json:"hash,omitempty"`
}

// ShownAuditLine shows an entry of the audit log with its names, if it has any, and its hash;
// none in an archive.
func ShownAuditLine(e *model.AuditEntry, names *model.AuditNames, hash []byte) AuditLine {
	line := AuditLine{AuditEntry: *e, Hash: hex.EncodeToString(hash)}
	if names != nil {
		line.Old, line.New = names.Old, names.New
	}
	return line
}
