package store

import (
	"fmt"
	"math"
	"strings"
)

// A Stay is a time in which an account was in a group, as far as the group's notes are concerned.
type Stay struct {
	History int64 // sort after which those are its own, too, that were written while the history was on
	From    int64 // sort from which on all are
	Until   int64 // sort from which on none is any more
	Removed bool  // the account has removed what it had then
}

// StayOpen is the end of a stay that has none yet.
const StayOpen = math.MaxInt64

// mostStays is how many characters are kept of the stays of one who was in a group. Each is stored
// as [history,from,until], with ( in front where it was removed, the oldest first. Who comes and
// goes more than about forty times sees less of what was noted in the beginning.
const mostStays = 2400

// ParseStays reads the stored form. What is no stay is left out: the first one may be cut off.
func ParseStays(text string) (out []Stay) {
	for {
		begin := strings.IndexAny(text, "[(")
		if begin < 0 {
			return out
		}
		s := Stay{Removed: text[begin] == '('}
		text = text[begin+1:]
		if n, err := fmt.Sscanf(text, "%d,%d,%d]", &s.History, &s.From, &s.Until); n == 3 && err == nil {
			out = append(out, s)
		}
	}
}
