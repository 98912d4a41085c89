// Package disk watches how much room a server has on its disks, and keeps a reserve.
//
// It owns the file of the reserve, the decision that there is too little room for what
// is new, and the warning of it. It does not know what is written: callers ask whether
// there is room for something new, and tell of a write that found none.
package disk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"signet/internal/health"
)

const (
	// interval is how often the room is measured.
	interval = time.Second
	// topic is the topic of the warning.
	topic = "disk"
	// largestShare limits the reserve on a small disk: to one part in so many.
	largestShare = 8
	// remembered is how long a write that found no room counts, where the room cannot
	// be measured: in a database on another machine.
	remembered = time.Minute
)

// RetryAfter is how long a client waits after its request found no room.
const RetryAfter = 10 * time.Second

// Options are what a Room is about.
type Options struct {
	Data     string // the data directory, which has the reserve
	Embedded bool   // it has the database too
	Files    string // the directory of attachments; empty: they are elsewhere
	Reserve  int64  // bytes, and how much room is kept beside it; 0: nothing is kept
	Full     error  // what a write into the database is that found no room
	Clock    func() time.Time
	Log      *slog.Logger
	Warnings *health.Warnings
}

// Room is the room of one server. A nil *Room has room for everything. It is safe for
// concurrent use.
type Room struct {
	o       Options
	reserve *Reserve
	limit   int64 // with less free room nothing new is taken; 0: at none

	data, files atomic.Bool // there is too little room
	struck      atomic.Int64

	mu     sync.Mutex // guards failed; one looks at a time
	failed bool       // the reserve could not be made, and that was logged
}

// NewRoom makes the reserve, if there is room for it.
func NewRoom(o Options) *Room {
	r := &Room{o: o, limit: o.Reserve}
	if _, size, ok := Free(o.Data); ok {
		r.limit = min(r.limit, size/largestShare)
	}
	r.reserve = NewReserve(filepath.Join(o.Data, "reserve"), r.limit)
	r.look()
	return r
}

// startNeeds is how much room a start finds enough, which makes some files of its own.
const startNeeds = 512 << 10

// Prepare gives up a quarter of the reserve, at least what a start needs, if that would find
// no room in a data directory.
func Prepare(data string) {
	path := filepath.Join(data, "reserve")
	reserve := NewReserve(path, 0)
	free, _, ok := Free(data)
	if held := reserve.Held(); !ok || free >= startNeeds || held == 0 {
		return
	} else if rest := leave(held); rest > 0 {
		_ = os.Truncate(path, rest) // a start that finds no room says so itself
	} else {
		reserve.giveUp(true)
	}
}

// leave is what a start without room leaves of a reserve.
func leave(held int64) int64 { return max(held-max(held/4, startNeeds), 0) }

// Run looks how much room there is until ctx ends.
func (r *Room) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.look()
		case <-ctx.Done():
			return
		}
	}
}

// Close leaves a last part for the next start, where there is room for it.
func (r *Room) Close() error {
	if part := r.limit / lastPart; part > 0 {
		if free, _, ok := Free(r.o.Data); ok && free > part {
			_ = r.reserve.fill(part) // that there is less room than was said changes nothing
		}
	}
	return nil
}

// ForNew reports whether there is room for something new in the database.
func (r *Room) ForNew() bool { return r == nil || !r.data.Load() || r.lookAgain(&r.data) }

// ForFiles reports whether there is room for another file.
func (r *Room) ForFiles() bool { return r == nil || !r.files.Load() || r.lookAgain(&r.files) }

// lookAgain looks before something is refused, so that it is not once there is room.
func (r *Room) lookAgain(low *atomic.Bool) bool {
	r.look()
	return !low.Load()
}

// Sparing does what removes something, or cannot wait while the disk is full: the reserve
// is given up for it, bit by bit, until it succeeds.
func (r *Room) Sparing(do func() error) error {
	err := do()
	for err != nil && r.Struck(err, true) {
		err = do()
	}
	return err
}

// Struck is told of a write that found no room, and reports whether it may be tried
// again, because part of the reserve was given up for it. spare says that it frees room,
// or cannot wait.
func (r *Room) Struck(err error, spare bool) bool {
	if r == nil || !errors.Is(err, r.o.Full) && !errors.Is(err, syscall.ENOSPC) {
		return false
	}
	r.struck.Store(r.o.Clock().UnixMilli())
	if r.o.Embedded {
		r.data.Store(true)
	}
	r.tell()
	return spare && r.o.Embedded && r.reserve.giveUp(false)
}

// look decides anew whether there is room. What was too little becomes enough when
// there is half as much again, and the reserve is whole.
func (r *Room) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	free, _, ok := Free(r.o.Data)
	if ok && r.limit > 0 {
		if missing := r.limit - r.reserve.Held(); missing > 0 && free >= missing+r.enough(true) {
			if err := r.reserve.fill(r.limit); err != nil && !r.failed {
				r.failed = true
				r.o.Log.Warn("the reserve could not be made, which recalls and expiry use while the disk is full", "error", err)
			}
			free, _, ok = Free(r.o.Data)
		}
	}
	r.data.Store(r.o.Embedded && ok && free < r.enough(r.data.Load()))
	low := false
	if r.o.Files != "" {
		free, _, ok := Free(r.o.Files)
		low = ok && free < r.enough(r.files.Load())
	}
	r.files.Store(low)
	r.tell()
}

// enough is how much free room has to be there.
func (r *Room) enough(wasLow bool) int64 {
	if wasLow {
		return r.limit + r.limit/2
	}
	return r.limit
}

func (r *Room) tell() {
	struck := r.o.Clock().Sub(time.UnixMilli(r.struck.Load())) < remembered
	switch {
	case r.data.Load():
		r.o.Warnings.Set(topic, fmt.Sprintf("the disk of the data directory is full: less than %d MiB are free, so that "+
			"new messages and files are refused; reading, acknowledging, recalls and expiry go on; make room, or enlarge "+
			"it", max(r.limit>>20, 1)))
	case r.files.Load():
		r.o.Warnings.Set(topic, fmt.Sprintf("the disk of the attachments is full: less than %d MiB are free, so that new "+
			"files are refused; make room, or enlarge it", max(r.limit>>20, 1)))
	case struck && !r.o.Embedded:
		r.o.Warnings.Set(topic, "the database has no room left on its disk (disk_full): what is new is refused; enlarge "+
			"the database's disk")
	default:
		r.o.Warnings.Clear(topic)
	}
}

// Figures are what monitoring is told of a Room.
type Figures struct {
	Data, Files         int64 // bytes that are free; -1: not known
	DataSize, FilesSize int64 // bytes that these disks have; -1: not known
	Reserve             int64
	Full                bool
}

// Figures looks at the disks.
func (r *Room) Figures() Figures {
	known := func(path string) (free, size int64) {
		if free, size, ok := Free(path); ok && path != "" {
			return free, size
		}
		return -1, -1
	}
	struck := !r.o.Embedded && r.o.Clock().Sub(time.UnixMilli(r.struck.Load())) < remembered
	f := Figures{Reserve: r.reserve.Held(), Full: r.data.Load() || r.files.Load() || struck}
	f.Data, f.DataSize = known(r.o.Data)
	f.Files, f.FilesSize = known(r.o.Files)
	return f
}
