package custody

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// sampledAtRandom is how many of all files a sample has, sampledAnew how many of
	// the newest.
	sampledAtRandom = 16
	sampledAnew     = 8
)

// SampleFiles lists a few of the attachments and avatars that the store refers to: some
// of the newest, and some of any age. The identifiers tell when a file came, so that
// each is found by one step into an index, however many there are.
func SampleFiles(ctx context.Context, kept *store.Store, now time.Time) (sample []model.BlobID, err error) {
	err = kept.View(ctx, func(tx *store.Tx) error {
		sample = nil
		first, err := tx.BlobsAfter(model.BlobID{}, 1)
		if err != nil || len(first) == 0 {
			return err
		}
		seen := map[model.BlobID]bool{}
		take := func(after time.Time, limit int) (n int, err error) {
			found, err := tx.BlobsAfter(blobsAfter(after), limit)
			for _, id := range found {
				if !seen[id] {
					seen[id] = true
					sample = append(sample, id)
				}
			}
			return len(found), err
		}
		oldest := blobTime(first[0]).Add(-time.Millisecond)
		span := max(now.Sub(oldest), time.Millisecond)
		for age := min(span, time.Minute); ; age = min(span, 8*age) {
			n, err := take(now.Add(-age), sampledAnew)
			if err != nil {
				return err
			}
			if n > 0 || age == span {
				break
			}
		}
		for range sampledAtRandom {
			if _, err := take(oldest.Add(rand.N(span)), 1); err != nil {
				return err
			}
		}
		return nil
	})
	return sample, err
}

// blobsAfter is the identifier before those that are made from a time on, and blobTime
// when one was made (RFC 9562, section 5.7).
func blobsAfter(t time.Time) (id model.BlobID) {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(t.UnixMilli(), 0)))
	copy(id[:6], ms[2:])
	return id
}

func blobTime(id model.BlobID) time.Time {
	var ms [8]byte
	copy(ms[2:], id[:6])
	return time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:])))
}

// LookForFiles looks for some files where files are kept. It returns how many are there, and those
// that are not and that the store refers to. Others were recalled meanwhile.
func LookForFiles(ctx context.Context, kept *store.Store, blobs blob.Store, ids []model.BlobID) (found int,
	lost []model.BlobID, err error) {
	for _, id := range ids {
		content, err := blobs.Open(ctx, id)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			lost = append(lost, id)
		case err != nil:
			return 0, nil, err
		default:
			if err := content.Close(); err != nil {
				return 0, nil, err
			}
		}
	}
	found = len(ids) - len(lost)
	if len(lost) == 0 {
		return found, nil, nil
	}
	held, err := store.Read(ctx, kept, func(tx *store.Tx) (map[model.BlobID]bool, error) { return tx.BlobsInUse(lost) })
	return found, slices.DeleteFunc(lost, func(id model.BlobID) bool { return !held[id] }), err
}
