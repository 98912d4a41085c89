package succession

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/standby"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// Promotion is what became of one.
type Promotion struct {
	Term   uint64    `json:"term"`
	AsOf   time.Time `json:"as_of"`            // all that the server before confirmed until then is there
	Fenced bool      `json:"fenced"`           // that server has given way; else it could not be reached
	All    bool      `json:"all"`              // and everything that it ever confirmed is there
	Lacks  int       `json:"lacks,omitempty"`  // files that were not copied yet; below 0: it is not known
	Reason string    `json:"reason,omitempty"` // why it could not be reached
	Sent   bool      `json:"-"`                // it was told to give way, whether or not it answered
}

// Take makes the copy of a standby that has stopped following the store of a server. The next start on the
// directory begins the term. It may be called again after an error.
func Take(dir string, term uint64) error {
	note, err := readNote(dir)
	if err != nil {
		return err
	}
	if note == nil || note.Stage == promoted {
		return fmt.Errorf("%s is no directory of a standby", dir)
	}
	path := CopyPath(dir)
	if home.Exists(path) {
		replica, err := sqlite.OpenReplica(path)
		if err != nil {
			return err
		}
		// From here on it follows nobody, whatever comes between.
		note.Stage, note.Term = promoting, max(term, note.Term)
		if err := note.write(dir); err != nil {
			return errors.Join(err, replica.Close())
		}
		if err := replica.Release(home.Database(dir)); err != nil {
			return err
		}
	}
	if !home.Exists(home.Database(dir)) {
		return errors.New("there is no copy that is whole")
	}
	return sqlite.RemoveReplica(path) // what is left of it, where this was interrupted before
}

// Promote promotes the standby of a data directory on which no server runs. The directory is the caller's.
func Promote(ctx context.Context, cfg *config.Config) (p Promotion, err error) {
	dir := home.Absolute(cfg.Data)
	note, err := readNote(dir)
	switch {
	case err != nil:
		return p, err
	case note == nil || note.Stage == promoted:
		return p, fmt.Errorf("%s is no directory of a standby", dir)
	case note.Stage == promoting: // which was interrupted
		p.Term = note.Term
		return p, Take(dir, note.Term)
	}
	peer, err := OtherAt(cfg, note.Of)
	if err != nil {
		return p, err
	}
	defer peer.Close()
	s, missing, err := lookAt(ctx, cfg, peer, note)
	if err != nil {
		return p, err
	}
	if err := Fit(ctx, cfg, &s); err != nil {
		return p, err
	}
	p.AsOf, p.Lacks = s.AsOf, missing
	if err := Claim(ctx, peer, note.ID, s.Position, false, &p); err != nil {
		return p, err
	}
	if s.Problem != "" {
		p.Reason = "what is in the bucket was not read to its end: " + s.Problem
	}
	return p, Take(dir, p.Term)
}

// lookAt returns how a standby is that does not run, and how many files it lacks. What there is in a bucket, it has
// then, as far as that can be read.
func lookAt(ctx context.Context, cfg *config.Config, other standby.Other, note *Note) (s standby.Status, missing int,
	err error) {
	dir := home.Absolute(cfg.Data)
	where := home.Blobs(dir, cfg.Blobs)
	files, err := blob.At(where)
	if err != nil {
		return s, 0, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	ring, err := home.Keyring(ctx, cfg.Keyring, dir, true)
	if err != nil {
		return s, 0, err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	o := standby.FollowerOptions{Copy: CopyPath(dir), ID: note.ID, Files: files, Ring: ring,
		SameFile: strings.Contains(where, "://"), SameRing: strings.HasPrefix(cfg.Keyring, "postgres"),
		RingCame: func(context.Context) {}, Log: slog.New(slog.DiscardHandler)}
	o.Follow(other)
	f, err := standby.NewFollower(o)
	if err != nil {
		return s, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s, err = f.CatchUp(ctx)
	if err != nil {
		return s, 0, err
	}
	missing, err = f.CountMissing(ctx)
	return s, missing, err
}

// Begin begins the term of a directory that was promoted and that no server has started on since. It
// reports whether that is so: then what the installation marked is the store's, under its former epoch,
// and Finish has to follow once that is marked anew.
func Begin(ctx context.Context, dir string, kept *store.Store) (begun bool, err error) {
	note, err := readNote(dir)
	if err != nil || note == nil || note.Stage != promoting {
		return false, err
	}
	term, err := kept.Term(ctx)
	if err != nil || term >= note.Term { // a start that was interrupted has begun it
		return true, err
	}
	line := model.AuditEntry{Action: model.ActionPromote, Outcome: model.AuditOK, Times: 1, Address: audit.CommandLine,
		Detail: fmt.Sprint(note.Term)}
	line.Time.Time = time.Now().UTC()
	return true, kept.BeginTerm(ctx, note.Term, store.NewEpoch(), func(tx *store.Tx) error {
		line := line
		return audit.Record(tx, &line)
	})
}

// Finish notes that the term has begun.
func Finish(dir string) error {
	note, err := readNote(dir)
	if err != nil || note == nil || note.Stage != promoting {
		return err
	}
	note.Stage = promoted
	return note.write(dir)
}

// Complete finishes a promotion that was interrupted, before a server opens the store of a directory,
// which is the caller's.
func Complete(dir string) error {
	note, err := readNote(dir)
	if err != nil || note == nil || note.Stage != promoting {
		return err
	}
	return Take(dir, note.Term)
}
