package seal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"signet/internal/model"
)

// Header is what a ring is as a whole.
type Header struct {
	ID     string // of this ring for good, 32 hexadecimal digits
	Master uint32 // the version of the master key that wraps new keys
	Proof  []byte // a known text under that version
}

// Record is a key as a ring stores it.
type Record struct {
	ID      KeyID
	Name    Name
	Master  uint32 // the version of the master key that wrapped it
	Wrapped []byte
	Retired time.Time // since when nothing new is sealed with it; zero: it is in use
}

// Contents is all that a ring holds.
type Contents struct {
	Header
	Records []Record
	Owner   model.Mark      // whose it is
	Gone    map[KeyID]int64 // keys that were destroyed, with the day: they are not to come back
}

// goneFor is for how many days a ring remembers which keys were destroyed. An older copy
// is not taken back into it.
const goneFor = 400

// Bury notes that keys were destroyed, and forgets those that were long ago.
func (c *Contents) Bury(ids []KeyID, at time.Time) {
	today := dayOf(at)
	if c.Gone == nil {
		c.Gone = make(map[KeyID]int64, len(ids))
	}
	for _, id := range ids {
		c.Gone[id] = today
	}
	maps.DeleteFunc(c.Gone, func(_ KeyID, day int64) bool { return day < today-goneFor })
}

// MayReplace refuses to put a copy of the ring in the place of another ring, or of a copy
// that another installation keeps.
func (c *Contents) MayReplace(there *Contents, where string) error {
	switch {
	case there == nil:
	case there.ID != c.ID:
		return &SetupError{fmt.Sprintf("%s holds another key ring, %s", where, there.ID)}
	case !there.Owner.Nobody() && !there.Owner.SameOwner(&c.Owner):
		return &SetupError{fmt.Sprintf("%s holds the copy of another (%s), and the key ring that is to be copied there is "+
			"of %s. Copy to another place; remove that one only if nobody needs it any more",
			where, there.Owner.String(), c.Owner.String())}
	}
	return nil
}

// dayOf is the UTC day of a time, in days since 1970.
func dayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// GoneBefore is the day before which a ring has forgotten what it destroyed.
func GoneBefore(now time.Time) int64 { return dayOf(now) - goneFor }

// The errors of a Storage that a ring acts on.
var (
	// ErrUnavailable says that the ring can be neither read nor written for now.
	ErrUnavailable = errors.New("the key ring is unavailable")

	// ErrChanged says that the ring has changed since it was loaded, so that the
	// request may be wrong by now.
	ErrChanged = errors.New("the key ring has changed")
)

// Storage is where a ring lies. What a method has done is on disk when it returns.
// It is safe for concurrent use, and several may be open on one ring.
type Storage interface {
	// Load returns what the ring holds; nil where there is none. Where nothing has
	// changed since this Storage loaded it last, changed is false and the rest empty.
	// With again, it is returned all the same.
	Load(ctx context.Context, again bool) (contents *Contents, changed bool, err error)

	// Create makes an empty ring. Where there is one, it does nothing.
	Create(ctx context.Context, h Header) error

	// Add adds a key, and returns the one that is in use under its name: that, or the
	// one that another process added first. It returns ErrChanged where the ring
	// wants another version of the master key, or the storage cannot tell.
	Add(ctx context.Context, r Record) (Record, error)

	// Retire notes that nothing new may be sealed with these keys. A key that is gone
	// is no error.
	Retire(ctx context.Context, ids []KeyID, at time.Time) error

	// Destroy removes keys, so that they cannot be found where they were, and notes
	// that they must not come back.
	Destroy(ctx context.Context, ids []KeyID, at time.Time) error

	// Owner returns the mark of the ring's owner.
	Owner(ctx context.Context) (model.Mark, error)

	// SetOwner replaces the owner's mark by what change makes of it. An error of
	// change leaves the mark.
	SetOwner(ctx context.Context, change func(model.Mark) (model.Mark, error)) error

	// Rewrap changes the header and all records at once. Others wait meanwhile.
	Rewrap(ctx context.Context, change func(*Contents) error) error

	// Replace replaces what is there, if anything, by contents, a newer state of the
	// ring. It is for copies, and refuses to overwrite another ring.
	Replace(ctx context.Context, contents *Contents) error

	// KnownTime returns the time that was noted last; zero where none was.
	KnownTime(ctx context.Context) (time.Time, error)

	// NoteTime notes the time, in the place of the one before.
	NoteTime(ctx context.Context, at time.Time) error

	// Shared reports whether other servers use the ring as well.
	Shared() bool

	// String says where it is, without a password.
	String() string

	// Close releases what the storage holds. It may be called twice.
	Close() error
}

// SetupError says that a ring and its master key do not fit together, or to what
// they are to open: trying again without changing something is of no use.
type SetupError struct{ Problem string }

// Error returns the problem.
func (e *SetupError) Error() string { return e.Problem }

// MasterError is a SetupError that another master key mends.
type MasterError struct{ SetupError }

// Unwrap returns the SetupError.
func (e *MasterError) Unwrap() error { return &e.SetupError }

func masterError(format string, args ...any) error {
	return &MasterError{SetupError{fmt.Sprintf(format, args...)}}
}
