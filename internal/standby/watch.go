package standby

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"signet/internal/blob"
	"signet/internal/model"
)

// mostNoted is how many files that came and went are named to a standby. Beyond that it compares all.
const mostNoted = 100_000

// fileNotes are the files that came and went since a standby acknowledged.
type fileNotes struct {
	mu     sync.Mutex     // guards all below
	recent []model.BlobID // those that came last, mostNoted at most; the oldest is at next once there are so many
	next   int

	on      bool // somebody has followed
	added   map[model.BlobID]bool
	removed map[model.BlobID]bool
	lost    bool // more than are named
}

// noted is a part of them.
type noted struct {
	added, removed []model.BlobID
	lost           bool // all are to be compared; added are those that came last
}

// came adds a file that came.
func (n *fileNotes) came(id model.BlobID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.recent) < mostNoted {
		n.recent = append(n.recent, id)
	} else {
		n.recent[n.next] = id
		n.next = (n.next + 1) % mostNoted
	}
	n.note(id, true)
}

// went adds a file that went.
func (n *fileNotes) went(id model.BlobID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.note(id, false)
}

// note adds a file that came or went. The caller holds mu.
func (n *fileNotes) note(id model.BlobID, came bool) {
	if !n.on || n.lost {
		return
	}
	to, from := &n.added, n.removed
	if !came {
		to, from = &n.removed, n.added
	}
	if *to == nil {
		*to = map[model.BlobID]bool{}
	}
	(*to)[id] = true
	delete(from, id)
	if len(n.added)+len(n.removed) > mostNoted {
		n.added, n.removed, n.lost = nil, nil, true
	}
}

// begin begins to note files; all that came and went before have to be compared.
func (n *fileNotes) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.on, n.added, n.removed, n.lost = true, nil, nil, true
}

// any reports whether there is something.
func (n *fileNotes) any() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lost || len(n.added)+len(n.removed) > 0
}

// take takes all. Where all are to be compared, a standby compares with what the database refers to, and of a
// file that came last, the transaction that refers to it may still come: these are named to it too.
func (n *fileNotes) take() noted {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := noted{slices.Collect(maps.Keys(n.added)), slices.Collect(maps.Keys(n.removed)), n.lost}
	if n.lost {
		out.added = slices.Clone(n.recent)
	}
	n.added, n.removed, n.lost = nil, nil, false
	return out
}

// putBack notes again what a standby did not acknowledge. What was noted meanwhile is newer.
func (n *fileNotes) putBack(t noted) {
	n.mu.Lock()
	defer n.mu.Unlock()
	newer := noted{slices.Collect(maps.Keys(n.added)), slices.Collect(maps.Keys(n.removed)), n.lost}
	n.added, n.removed = nil, nil
	n.lost = n.lost || t.lost
	for _, part := range []noted{t, newer} {
		for _, id := range part.added {
			n.note(id, true)
		}
		for _, id := range part.removed {
			n.note(id, false)
		}
	}
}

// watched is a place of files of which the Sender knows what comes and goes.
type watched struct {
	blob.Store
	notes *fileNotes
}

// Watch returns the place for the server to use. A file that was kept is noted before Put returns, and
// so before any transaction that refers to it.
func (s *Sender) Watch(files blob.Store) blob.Store { return watched{files, &s.files} }

// Put implements blob.Store.
func (w watched) Put(ctx context.Context, id model.BlobID, r io.Reader) (int64, error) {
	n, err := w.Store.Put(ctx, id, r)
	if err == nil {
		w.notes.came(id)
	}
	return n, err
}

// Delete implements blob.Store.
func (w watched) Delete(ctx context.Context, id model.BlobID) error {
	err := w.Store.Delete(ctx, id)
	if err == nil {
		w.notes.went(id)
	}
	return err
}
