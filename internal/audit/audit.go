// Package audit makes the audit log tamper-evident: it hashes each line together
// with the hash of the line before, signs checkpoints of the hash, and tells where a
// chain of lines is not what it was (docs/operate/audit.md).
//
// It owns the canonical form, the hash and the checkpoint, how a line is added, and
// the bound on lines of refused calls. It does not know who may do what.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"signet/internal/model"
)

// Canonical returns the bytes of a line that are hashed: one line of JSON.
func Canonical(e *model.AuditEntry) []byte {
	text, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("encode audit entry: %v", err)) // it holds texts and numbers only
	}
	return text
}

// Hash returns the hash of a line that comes after one with the hash previous;
// nil for the first line of a chain.
func Hash(previous []byte, e *model.AuditEntry) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "signet audit 1\n%s\n%s\n", hex.EncodeToString(previous), Canonical(e))
	return h.Sum(nil)
}
