// Package span reads lengths of time as people write them in settings and flags: with days.
package span

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads a duration: like Go's, 500ms, 90s or 1h30m, and with days before it, 30d or
// 1d12h.
func Parse(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	days, rest, found := strings.Cut(text, "d")
	if !found {
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	d := time.Duration(n) * 24 * time.Hour
	if err == nil && (rest != "" || !found) {
		var more time.Duration
		more, err = time.ParseDuration(rest)
		if found && more < 0 {
			err = strconv.ErrSyntax
		}
		d += more
	}
	if err != nil {
		return 0, fmt.Errorf("want a duration such as 500ms, 90s, 8h or 30d, not %q", text)
	}
	return d, nil
}
