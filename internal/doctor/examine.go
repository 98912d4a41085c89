package doctor

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"signet/internal/config"
	"signet/internal/store"
)

// Options say what is looked at.
type Options struct {
	Config    *config.Config      // of the server
	Getenv    func(string) string // the environment of the server, as far as is known
	Server    *Server             // what the server on this machine says of itself, or why it does not
	Now       time.Time
	BackupAge time.Duration // how old the last backup may be; 0: that is not asked
}

// patience is how long something on the network may take to answer.
const patience = 10 * time.Second

// examination is one look at an installation.
type examination struct {
	Options
	found   []Finding
	secrets []string

	running bool         // a server has the data directory
	facts   *store.Facts // what the store says of itself; nil: it could not be asked
	cluster string       // of the database, as PostgreSQL names it; empty: not known
}

// Examine looks at an installation on its machine, and returns what it finds: the worst first. It
// takes some seconds where something on the network does not answer.
func Examine(ctx context.Context, o Options) []Finding {
	e := &examination{Options: o}
	e.noteSecrets()
	e.settings()
	e.machine()
	e.certificate()
	there := e.data()
	if there {
		e.disk()
	}
	if e.Config.Database != "" {
		e.database(ctx)
		e.bus(ctx)
	} else if there {
		e.embedded(ctx)
	}
	e.version(store.SchemaVersion())
	e.keys(ctx)
	e.clock()
	e.backup()
	e.attachments(ctx)
	e.server()
	return sorted(e.found)
}

// ExamineServer looks at what a server says of itself, from anywhere.
func ExamineServer(s *Server, now time.Time) []Finding {
	e := &examination{Options: Options{Server: s, Now: now}}
	e.server()
	return sorted(e.found)
}

// sorted puts the worst first, and of the same severity what was found first.
func sorted(found []Finding) []Finding {
	order := []Severity{Error, Warning, Note}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	return found
}

// denied notes that something may not be looked at, and reports whether that is so.
func (e *examination) denied(what string, err error) bool {
	if errors.Is(err, fs.ErrPermission) {
		e.find("machine.denied", "%s cannot be looked at: %v", what, err)
		return true
	}
	return false
}

// ask gives a part on the network its time.
func ask(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return do(ctx)
}
