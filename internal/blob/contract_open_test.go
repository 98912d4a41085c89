package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"signet/internal/blob"
)

func open(t *testing.T, h harness) {
	s := newBox(t, h)
	want := content(3, 7<<20)
	mustPut(t, s, blobID(1), want)

	t.Run("reads_from_any_place", func(t *testing.T) { wantAnywhere(t, s, want) })
	t.Run("refuses_places_that_are_none", func(t *testing.T) {
		b := mustOpen(t, s, blobID(1))
		for _, whence := range []int{io.SeekStart, 7} {
			if _, err := b.Seek(-1, whence); err == nil {
				t.Errorf("-1 from %d was sought", whence)
			}
		}
		got := make([]byte, 4)
		if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, want[:4]) {
			t.Errorf("afterwards: read %x, error %v", got, err)
		}
	})

	t.Run("lets_two_read_at_the_same_time", func(t *testing.T) {
		first, second := mustOpen(t, s, blobID(1)), mustOpen(t, s, blobID(1))
		for from := 0; from < len(want); from += 1 << 20 {
			for _, b := range []blob.Blob{first, second} {
				got := make([]byte, 1<<20)
				if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, want[from:from+1<<20]) {
					t.Fatalf("from %d: error %v", from, err)
				}
			}
		}
	})

	t.Run("answers_not_found", func(t *testing.T) { wantMissing(t, s, blobID(2)) })

	t.Run("ends_with_its_context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		b, err := s.Open(ctx, blobID(1))
		if err == nil { // a store that does not ask its server may open it
			b.Close()
			return
		}
		wantError(t, err, context.Canceled)
	})

	t.Run("is_right_or_not_found_after_it_was_deleted", func(t *testing.T) {
		b := mustOpen(t, s, blobID(1))
		head := make([]byte, 1000)
		if _, err := io.ReadFull(b, head); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(t.Context(), blobID(1)); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(b)
		got := append(head, rest...)
		switch {
		case err == nil && bytes.Equal(got, want):
		case errors.Is(err, blob.ErrNotFound) && bytes.HasPrefix(want, got):
		default:
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	})
}

// wantAnywhere reads a blob of this content from many places.
func wantAnywhere(t *testing.T, s blob.Store, want []byte) {
	b := mustOpen(t, s, blobID(1))
	size := int64(len(want))
	for _, test := range []struct {
		offset   int64
		whence   int
		from, to int64
	}{
		{0, io.SeekStart, 0, 10}, {1 << 20, io.SeekStart, 1 << 20, 1<<20 + 5000}, {-3, io.SeekEnd, size - 3, size},
		{0, io.SeekStart, 0, size}, {1<<20 - 1, io.SeekStart, 1<<20 - 1, 3 << 20},
		{100, io.SeekCurrent, 3<<20 + 100, 3<<20 + 101},
		{-101, io.SeekCurrent, 3 << 20, 3<<20 + 3}, {0, io.SeekEnd, size, size}, {5, io.SeekEnd, size, size},
	} {
		if _, err := b.Seek(test.offset, test.whence); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.LimitReader(b, test.to-test.from))
		if err != nil || !bytes.Equal(got, want[test.from:test.to]) {
			t.Fatalf("seek %d from %d: read %d bytes, error %v, want %d to %d", test.offset, test.whence, len(got), err,
				test.from, test.to)
		}
	}
	if n, err := b.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("past the end: %d bytes, error %v", n, err)
	}
}
