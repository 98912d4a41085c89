package seal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// Name says what a key is for: the scope of the texts that it seals, and their
// period. Both are texts without white space; the scope may be empty.
type Name struct {
	Scope  string
	Period string
}

// Always is the period of texts that have no end of their own.
const Always = "always"

// The beginnings of the other periods; a day follows.
const (
	until = "until-"
	from  = "from-"
)

// Until is the period of texts that end on the UTC day of t.
func Until(t time.Time) string { return until + t.UTC().Format(time.DateOnly) }

// From is the period of texts that were written on the UTC day of t and have no end.
func From(t time.Time) string { return from + t.UTC().Format(time.DateOnly) }

// Ends returns the first moment after a period, for one that has an end.
func Ends(period string) (end time.Time, ok bool) {
	day, ok := strings.CutPrefix(period, until)
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, day)
	return t.AddDate(0, 0, 1), err == nil
}

// Begins returns the day on which the texts of a period were written, for one that
// has such a day and no end.
func Begins(period string) (day time.Time, ok bool) {
	text, ok := strings.CutPrefix(period, from)
	if !ok {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, text)
	return t, err == nil
}

// KeyID names a key for good: no two ever have the same.
type KeyID [8]byte

// String returns 16 hexadecimal digits.
func (id KeyID) String() string { return hex.EncodeToString(id[:]) }

func newKeyID() (id KeyID) {
	_, _ = rand.Read(id[:]) // never fails: it ends the program instead
	return id
}

// ParseKeyID reads what String wrote.
func ParseKeyID(s string) (id KeyID, err error) {
	if len(s) != 2*len(id) {
		return id, errors.New("a key's identifier has 16 hexadecimal digits")
	}
	_, err = hex.Decode(id[:], []byte(s))
	return id, err
}
