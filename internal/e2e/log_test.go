package e2e

import (
	"fmt"

	"signet/internal/testlog"
)

// log collects what processes write, and may be read meanwhile.
type log struct{ testlog.Log }

// tail is the end of it, as much as helps.
func (l *log) tail() string {
	const most = 8 << 10
	text := l.String()
	if len(text) > most {
		return fmt.Sprintf("(%d bytes before)\n%s", len(text)-most, text[len(text)-most:])
	}
	return text
}
