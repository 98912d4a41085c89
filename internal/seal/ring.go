package seal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/tink"

	"signet/internal/model"
)

const (
	// trust is how long a server relies on what it knows of a shared ring. So long
	// after a key was retired, a server may still hand it out.
	trust = time.Minute

	// LeaseTime is how long after sealing with a lease a transaction may begin to
	// store the text.
	LeaseTime = time.Minute

	// grace is how long after its retirement a key of a shared ring is out of use
	// everywhere: trust, LeaseTime, and time for the slowest transaction.
	grace = 10 * time.Minute

	// opened is how many keys are kept unwrapped at a time. Most that is read is young.
	opened = 10_000

	// refreshTimeout bounds one look at the ring.
	refreshTimeout = 10 * time.Second
)

// Options are what a ring is opened with.
type Options struct {
	Storage Storage
	Master  Master
	Clock   func() time.Time
	Log     *slog.Logger

	// Expect is the identifier of the ring that the texts are sealed with, or empty
	// where there are none yet. Only then a ring, and a master key, may be made.
	Expect string

	// Existing keeps Open from making a ring in any case.
	Existing bool
}

// Ring holds the data keys. It is safe for concurrent use.
type Ring struct {
	storage Storage
	source  Master
	clock   func() time.Time
	log     *slog.Logger

	note  func(context.Context, KeyID) error // called before a key is made; may be nil
	guard func(context.Context) error        // asked before keys are destroyed; may be nil

	away      atomic.Bool  // the storage did not answer when it was last asked
	destroyed atomic.Int64 // keys

	loading sync.Mutex // guards asking the storage for changes, and adding keys; taken before mu

	mu      sync.RWMutex // guards all below
	header  Header
	master  *masterKeys
	loaded  time.Time // when it was last known to be what the storage holds
	keys    map[KeyID]*key
	current map[Name]*key
	gone    map[KeyID]bool // that were destroyed
	missing map[KeyID]bool // looked for in vain since it was loaded
	opened  int            // keys that are unwrapped
}

// key is a data key. The ring's mutex guards all of it but uses.
type key struct {
	Record
	primitive tink.AEAD // nil: not unwrapped yet
	users     users
}

// Open opens a ring. It makes one, and where there is none a master key in a file,
// unless texts exist that were sealed with another. A *SetupError says what does not
// fit. The ring owns the storage from then on, whatever it returns.
func Open(ctx context.Context, o Options) (_ *Ring, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Storage.Close())
		}
	}()
	r := &Ring{storage: o.Storage, source: o.Master, clock: o.Clock, log: o.Log}
	contents, _, err := o.Storage.Load(ctx, true)
	if err != nil {
		return nil, err
	}
	master, err := o.Master.load()
	if err != nil && !errors.Is(err, ErrNoMaster) {
		return nil, err
	}
	if contents == nil {
		if o.Expect != "" {
			return nil, &SetupError{fmt.Sprintf("the key ring is missing: what is stored is sealed with key ring %s, and "+
				"there is none at %s. Bring it back; without it nothing that is sealed can be read", o.Expect, o.Storage)}
		}
		if o.Existing {
			return nil, &SetupError{fmt.Sprintf("there is no key ring at %s", o.Storage)}
		}
		if contents, master, err = r.create(ctx, master); err != nil {
			return nil, err
		}
	}
	switch {
	case o.Expect != "" && o.Expect != contents.ID:
		return nil, &SetupError{fmt.Sprintf("what is stored is sealed with key ring %s, and the one at %s is %s", o.Expect,
			o.Storage, contents.ID)}
	case master == nil:
		return nil, masterError("the master key is missing: the key ring at %s is wrapped by one, and there is none at %s. "+
			"Bring it back; without it nothing that is sealed can be read", o.Storage, o.Master)
	case !master.fits(&contents.Header):
		return nil, masterError("the master key at %s is not the one that the key ring at %s is wrapped by", o.Master,
			o.Storage)
	}
	o.Master.warnIfOpen(o.Log)
	r.master = master
	r.take(contents)
	return r, nil
}

// create makes a ring. Where several servers try at once, the first one wins.
func (r *Ring) create(ctx context.Context, master *masterKeys) (*Contents, *masterKeys, error) {
	if master == nil {
		var err error
		if master, err = r.source.create(r.log); err != nil {
			return nil, nil, err
		}
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails: it ends the program instead
	header, err := master.header(hex.EncodeToString(id))
	if err != nil {
		return nil, nil, fmt.Errorf("make the key ring: %w", err)
	}
	if err := r.storage.Create(ctx, header); err != nil {
		return nil, nil, fmt.Errorf("make the key ring: %w", err)
	}
	contents, _, err := r.storage.Load(ctx, true)
	if err == nil && contents == nil {
		err = fmt.Errorf("make the key ring at %s: it is not there afterwards", r.storage)
	}
	if err != nil {
		return nil, nil, err
	}
	if contents.ID == header.ID {
		r.log.Warn("made a key ring; keep a copy of it (\"signet keys export\"), apart from the backups: when it is lost, "+
			"what is sealed is lost", "ring", r.storage.String())
	}
	return contents, master, nil
}

// ID names the ring for good.
func (r *Ring) ID() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.header.ID
}

// Size is how many keys the ring holds.
func (r *Ring) Size() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.keys)
}

// Guard makes the ring call ask each time before it destroys keys; an error of ask
// keeps them. Call Guard before the first use.
func (r *Ring) Guard(ask func(context.Context) error) { r.guard = ask }

// Owner returns the mark of the ring's owner, as it is now.
func (r *Ring) Owner(ctx context.Context) (model.Mark, error) { return r.storage.Owner(ctx) }

// SetOwner replaces the owner's mark by what change makes of it. An error of change
// leaves the mark.
func (r *Ring) SetOwner(ctx context.Context, change func(model.Mark) (model.Mark, error)) error {
	return r.storage.SetOwner(ctx, change)
}

// Where says where the ring is, without a password.
func (r *Ring) Where() string { return r.storage.String() }

// Close releases the storage. It may be called twice.
func (r *Ring) Close() error { return r.storage.Close() }

// take makes contents what the ring knows. Keys that it knew stay as they are, with
// their leases.
func (r *Ring) take(contents *Contents) {
	now := r.clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.keys
	r.header, r.loaded, r.opened = contents.Header, now, 0
	r.keys = make(map[KeyID]*key, len(contents.Records))
	r.current = make(map[Name]*key)
	r.missing = make(map[KeyID]bool)
	r.gone = make(map[KeyID]bool, len(contents.Gone))
	for id := range contents.Gone {
		r.gone[id] = true
	}
	for _, record := range contents.Records {
		k := known[record.ID]
		if k == nil {
			k = new(key)
		}
		if !k.Retired.IsZero() && record.Retired.IsZero() {
			record.Retired = k.Retired // a file does not note it
		}
		k.Record = record
		r.put(k)
	}
}

func (r *Ring) put(k *key) {
	r.keys[k.ID] = k
	if k.Retired.IsZero() {
		r.current[k.Name] = k
	}
	if k.primitive != nil {
		r.opened++
	}
}

// Refresh takes over what others have changed. A server calls it now and then, so
// that keys which others destroyed do not stay in its memory.
func (r *Ring) Refresh(ctx context.Context) error {
	r.loading.Lock()
	defer r.loading.Unlock()
	return r.refresh(ctx)
}

// refresh is Refresh; the caller has locked loading.
func (r *Ring) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	asked := r.clock()
	contents, changed, err := r.storage.Load(ctx, false)
	r.away.Store(err != nil)
	if err != nil {
		return err
	}
	if !changed {
		r.mu.Lock()
		r.loaded = asked
		clear(r.missing)
		r.mu.Unlock()
		return nil
	}
	if contents == nil {
		return fmt.Errorf("%w: it is gone from %s", ErrUnavailable, r.storage)
	}
	r.mu.RLock()
	id, master := r.header.ID, r.master
	r.mu.RUnlock()
	if contents.ID != id {
		return fmt.Errorf("%w: another one was put in its place at %s", ErrUnavailable, r.storage)
	}
	if master.versions[contents.Master] == nil {
		if err := r.reloadMaster(&contents.Header); err != nil {
			return err
		}
	}
	r.take(contents)
	r.mu.Lock()
	r.loaded = asked
	r.mu.Unlock()
	return nil
}

// reloadMaster reads the master key again, after a ring went over to another version.
func (r *Ring) reloadMaster(h *Header) error {
	master, err := r.source.load()
	if err == nil && !master.fits(h) {
		err = fmt.Errorf("the key ring went over to version %d of the master key, which is not at %s", h.Master, r.source)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.master = master
	return nil
}

// Names lists what the ring holds keys for.
func (r *Ring) Names() []Name {
	r.mu.RLock()
	defer r.mu.RUnlock()
	seen := make(map[Name]bool, len(r.keys))
	out := make([]Name, 0, len(r.keys))
	for _, k := range r.keys {
		if !seen[k.Name] {
			seen[k.Name] = true
			out = append(out, k.Name)
		}
	}
	return out
}
