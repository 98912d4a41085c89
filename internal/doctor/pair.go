package doctor

import (
	"errors"
	"log/slog"
	"time"

	"signet/internal/succession"
)

// pair looks what the data directory is in a pair of a server and its standby, and reports whether it is a
// standby's: its store is a copy of another server's.
func (e *examination) pair() (follows bool) {
	dir := e.Config.Data
	_, err := succession.RoleOf(e.Config, slog.New(slog.DiscardHandler))
	follows, _ = succession.Follows(dir) // its error is that of RoleOf
	fenced, isFenced := errors.AsType[*succession.FencedError](err)
	switch {
	case isFenced:
		e.find("data.fenced", "another server (%s) took over from the one of %s at %s, as the first of term %d", fenced.By,
			fenced.Dir, fenced.Time.Format(time.RFC3339), fenced.Term)
	case err != nil && e.denied("what the data directory is", err):
	case err != nil:
		e.find("data.role", "%v", err)
	case follows:
		e.find("data.standby", "%s is the directory of a standby, which serves nobody", dir)
	}
	return follows
}
