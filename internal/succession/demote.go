package succession

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/standby"
	"signet/internal/store/sqlite"
)

// TakeBack makes the server of a directory from which another one took over the first again, in a later
// term. What only the other one has is dropped. The directory is the caller's.
func TakeBack(ctx context.Context, cfg *config.Config) (p Promotion, err error) {
	dir := home.Absolute(cfg.Data)
	err = Fenced(dir)
	fenced, is := errors.AsType[*FencedError](err)
	if err == nil {
		return p, fmt.Errorf("no server took over from the one of %s", dir)
	}
	if !is {
		return p, err
	}
	if !home.Exists(home.Database(dir)) { // a demotion was interrupted at its end
		return p, fmt.Errorf("%s is the directory of a standby already, and has no state of its own to go back to: \"signet "+
			"demote\" finishes that", dir)
	}
	note, err := readNote(dir)
	if err != nil {
		return p, err
	}
	if note == nil {
		note = &Note{ID: model.RandomText(16)}
	}
	p.Reason = "no setting says where it is (standby.peer)"
	of := cfg.Standby.Peer
	if cfg.Standby.Bucket != "" {
		if of, err = bucketName(cfg); err != nil {
			return p, err
		}
	}
	if of != "" {
		note.Of = of
		peer, err := OtherAt(cfg, note.Of)
		if err != nil {
			return p, err
		}
		defer peer.Close()
		p.Reason = ""
		at := standby.Position{Installation: fenced.Installation, Term: fenced.Term}
		if err := Claim(ctx, peer, note.ID, at, true, &p); err != nil {
			return p, err
		}
	}
	p.Term = fenced.Term + 1
	note.Stage, note.Term = promoting, p.Term
	if err := note.write(dir); err != nil {
		return p, err
	}
	return p, removeFile(filepath.Join(dir, fencedFile))
}

// Demote makes the directory of a server that was the first that of a standby. What only it has is dropped
// once it follows. Unless forced, that takes a server that another one took over from. The directory is the
// caller's.
func Demote(dir string, forced bool) error {
	dir = home.Absolute(dir)
	err := Fenced(dir)
	_, fenced := errors.AsType[*FencedError](err)
	if err != nil && !fenced {
		return err
	}
	note, fault := readNote(dir)
	switch {
	case fault != nil:
		return fault
	case note != nil && note.Stage == following && !home.Exists(home.Database(dir)):
		return removeFile(filepath.Join(dir, fencedFile)) // which was interrupted, or done before
	case !home.Exists(home.Database(dir)):
		return home.NoDataDirectory(dir)
	case !fenced && !forced:
		return fmt.Errorf("no server took over from the one of %s: what it has may be in no other place. If another one is "+
			"the first, and has it, say --force", dir)
	}
	if note == nil {
		note = new(Note)
	}
	note.ID, note.Stage, note.Term = model.RandomText(16), following, 0
	if err := note.write(dir); err != nil {
		return err
	}
	if err := sqlite.ReplicaFrom(home.Database(dir), CopyPath(dir)); err != nil {
		return err
	}
	return removeFile(filepath.Join(dir, fencedFile))
}
