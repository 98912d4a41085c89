package wire

import (
	"encoding/hex"

	"signet/internal/model"
)

// AuditLine is a line of the audit log.
type AuditLine struct {
	model.AuditEntry
	Hash string `json:"hash"`
}

// ShownAuditLine shows an entry of the audit log with its hash.
func ShownAuditLine(e *model.AuditEntry, hash []byte) AuditLine {
	return AuditLine{*e, hex.EncodeToString(hash)}
}
