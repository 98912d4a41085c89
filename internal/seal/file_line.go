package seal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signet/internal/model"
)

// A ring's file is text. Its first line is
//
//	signet-keyring 1 RING MASTER PROOF
//
// and each other one a key, the owner (the last of them holds), or a key that was
// destroyed, with the day since 1970:
//
//	KEY MASTER PERIOD SCOPE WRAPPED
//	owner JSON
//	gone KEY DAY
//
// RING and KEY are identifiers in hexadecimal digits, MASTER the number of a version
// of the master key, PROOF and WRAPPED base64. An empty scope is written as "-". A
// last line without its end is what a crash left, and does not count.

const (
	fileMark   = "signet-keyring"
	fileFormat = "1"
	noScope    = "-"

	ownerLine = "owner "
	goneLine  = "gone "
)

var encoding = base64.RawStdEncoding.Strict()

func formatFile(c *Contents) []byte {
	out := fmt.Appendf(nil, "%s %s %s %d %s\n", fileMark, fileFormat, c.ID, c.Master, encoding.EncodeToString(c.Proof))
	if !c.Owner.Nobody() {
		out = appendOwner(out, &c.Owner)
	}
	for i := range c.Records {
		out = appendLine(out, &c.Records[i])
	}
	for _, id := range slices.SortedFunc(maps.Keys(c.Gone), func(a, b KeyID) int { return bytes.Compare(a[:], b[:]) }) {
		out = fmt.Appendf(out, "%s%s %d\n", goneLine, id, c.Gone[id])
	}
	return out
}

func appendOwner(out []byte, m *model.Mark) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("encode the owner of a key ring: %v", err)) // it holds texts and a time
	}
	return fmt.Appendf(out, "%s%s\n", ownerLine, text)
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
		switch {
		case n == 1:
			err = parseHeader(&c.Header, fields)
		case strings.HasPrefix(line, ownerLine):
			c.Owner = model.Mark{}
			if err = json.Unmarshal([]byte(line[len(ownerLine):]), &c.Owner); err == nil && c.Owner.Nobody() {
				err = errors.New("the owner is nobody")
			}
		case strings.HasPrefix(line, goneLine):
			err = parseGone(c, fields)
		default:
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

// wantFields refuses a line of another form.
func wantFields(fields []string, n int) error {
	if len(fields) != n {
		return fmt.Errorf("it has %d fields, want %d", len(fields), n)
	}
	return nil
}

func parseGone(c *Contents, fields []string) error {
	if err := wantFields(fields, 3); err != nil {
		return err
	}
	id, err := ParseKeyID(fields[1])
	if err != nil {
		return err
	}
	day, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return errors.New("the day is no number")
	}
	if c.Gone == nil {
		c.Gone = make(map[KeyID]int64)
	}
	c.Gone[id] = day
	return nil
}

func parseHeader(h *Header, fields []string) (err error) {
	if err := wantFields(fields, 5); err != nil {
		return err
	}
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
	if err := wantFields(fields, 5); err != nil {
		return err
	}
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
