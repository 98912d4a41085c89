package seal

import (
	"context"
	"errors"
	"time"
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
}

// The errors of a Storage that a ring acts on.
var (
	// ErrUnavailable says that the ring can be neither read nor written for now.
	ErrUnavailable = errors.New("the key ring is unavailable")

	// ErrChanged says that somebody else has changed the ring since it was loaded, so
	// that what was asked for may be wrong by now.
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
	// one that somebody else added first. It returns ErrChanged where the ring wants
	// another version of the master key, or the storage cannot tell.
	Add(ctx context.Context, r Record) (Record, error)

	// Retire notes that keys are not to be used for anything new. One that is gone is
	// fine.
	Retire(ctx context.Context, ids []KeyID, at time.Time) error

	// Destroy removes keys, so that nobody can find them where they were.
	Destroy(ctx context.Context, ids []KeyID) error

	// Rewrap changes the header and all records at once; it holds off everybody else.
	Rewrap(ctx context.Context, change func(*Contents) error) error

	// Replace puts contents, of a newer state of the ring, in the place of what is there,
	// if anything. It is for copies, and refuses to overwrite another ring.
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
