package seal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A ring's file is text. Its first line is
//
//	signet-keyring 1 RING MASTER PROOF
//
// and each other one a key:
//
//	KEY MASTER PERIOD SCOPE WRAPPED
//
// RING and KEY are identifiers in hexadecimal digits, MASTER the number of a version
// of the master key, PROOF and WRAPPED base64. An empty scope is written as "-". A
// last line without its end is what a crash left, and does not count.

const (
	fileMark   = "signet-keyring"
	fileFormat = "1"
	noScope    = "-"
)

var encoding = base64.RawStdEncoding.Strict()

func formatFile(c *Contents) []byte {
	out := fmt.Appendf(nil, "%s %s %s %d %s\n", fileMark, fileFormat, c.ID, c.Master, encoding.EncodeToString(c.Proof))
	for i := range c.Records {
		out = appendLine(out, &c.Records[i])
	}
	return out
}

func appendLine(out []byte, r *Record) []byte {
	scope := r.Name.Scope
	if scope == "" {
		scope = noScope
	}
	return fmt.Appendf(out, "%s %d %s %s %s\n", r.ID, r.Master, r.Name.Period, scope, encoding.EncodeToString(r.Wrapped))
}

// parseFile reads a ring's file and returns how many bytes its whole lines are.
func parseFile(text []byte) (c *Contents, whole int, err error) {
	whole = bytes.LastIndexByte(text, '\n') + 1
	if whole == 0 {
		return nil, 0, errors.New("it has no first line")
	}
	c = new(Contents)
	n := 0
	for line := range strings.Lines(string(text[:whole])) {
		n++
		fields := strings.Fields(line)
		if len(fields) != 5 {
			return nil, 0, fmt.Errorf("line %d has %d fields, want 5", n, len(fields))
		}
		if n == 1 {
			err = parseHeader(&c.Header, fields)
		} else {
			var r Record
			err = parseRecord(&r, fields)
			c.Records = append(c.Records, r)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return c, whole, nil
}

func parseHeader(h *Header, fields []string) (err error) {
	if fields[0] != fileMark {
		return errors.New("it is no key ring")
	}
	if fields[1] != fileFormat {
		return fmt.Errorf("it has format %s, and this program knows format %s", fields[1], fileFormat)
	}
	if id, err := hex.DecodeString(fields[2]); err != nil || len(id) != 16 {
		return errors.New("the ring's identifier is none")
	}
	h.ID = fields[2]
	if h.Master, err = parseVersion(fields[3]); err != nil {
		return err
	}
	h.Proof, err = encoding.DecodeString(fields[4])
	return err
}

func parseRecord(r *Record, fields []string) (err error) {
	if r.ID, err = ParseKeyID(fields[0]); err != nil {
		return err
	}
	if r.Master, err = parseVersion(fields[1]); err != nil {
		return err
	}
	r.Name = Name{Scope: fields[3], Period: fields[2]}
	if r.Name.Scope == noScope {
		r.Name.Scope = ""
	}
	r.Wrapped, err = encoding.DecodeString(fields[4])
	return err
}

func parseVersion(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, errors.New("the version of the master key is no number")
	}
	return uint32(n), nil
}
