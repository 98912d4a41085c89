package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"

	"signet/internal/blob"
	"signet/internal/model"
)

// sizes are around those at which a store may change its ways: nothing, a buffer,
// and the 5 MiB of a part.
var sizes = []int{0, 1, 4096, 100_000, 5<<20 - 1, 5 << 20, 5<<20 + 1, 12 << 20}

func put(t *testing.T, h harness) {
	t.Run("keeps_what_it_was_given", func(t *testing.T) {
		s := newBox(t, h)
		for n, size := range sizes {
			want := content(byte(n), size)
			mustPut(t, s, blobID(byte(n)), want)
			wantBlob(t, s, blobID(byte(n)), want)
		}
		s.wantLeft(t, len(sizes))
	})

	t.Run("takes_what_comes_in_small_pieces", func(t *testing.T) {
		s := newBox(t, h)
		want := content(1, 50_000)
		if _, err := s.Put(t.Context(), blobID(1), iotest.OneByteReader(bytes.NewReader(want))); err != nil {
			t.Fatal(err)
		}
		wantBlob(t, s, blobID(1), want)
	})

	t.Run("leaves_nothing_when_the_reader_fails", func(t *testing.T) {
		s := newBox(t, h)
		errMine := errors.New("mine")
		for name, fault := range map[string]error{"own": errMine, "like_one_of_the_disk": syscall.ENOSPC,
			"like_a_missing_blob": fs.ErrNotExist, "cut_short": io.ErrUnexpectedEOF} {
			for _, size := range []int{0, 100_000, 5 << 20, 11 << 20} {
				r := io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(fault))
				_, err := s.Put(t.Context(), blobID(1), r)
				wantError(t, err, fault)
				if errors.Is(err, blob.ErrUnavailable) || errors.Is(err, blob.ErrNotFound) {
					t.Errorf("%s: error %v blames the store", name, err)
				}
				s.wantLeft(t, 0)
				wantMissing(t, s, blobID(1))
			}
		}
	})

	t.Run("leaves_nothing_when_it_is_cancelled", func(t *testing.T) {
		s := newBox(t, h)
		for _, after := range []int{1, 7 << 20} {
			ctx, cancel := context.WithCancel(t.Context())
			read := 0
			r := readerFunc(func(p []byte) (int, error) {
				if read >= after {
					cancel()
				}
				read += len(p)
				return len(p), nil
			})
			_, err := s.Put(ctx, blobID(1), r)
			wantError(t, err, context.Canceled)
			s.wantLeft(t, 0)
		}
	})

	t.Run("does_not_begin_after_the_end_of_its_context", func(t *testing.T) {
		s := newBox(t, h)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Put(ctx, blobID(1), bytes.NewReader(content(1, 100)))
		wantError(t, err, context.Canceled)
		s.wantLeft(t, 0)
	})
}

// memory: what a store holds of a blob does not grow with it.
func memory(t *testing.T, h harness) {
	s := newBox(t, h)
	const size, allowed = 64 << 20, 24 << 20
	zeros := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	var before, between, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := s.Put(t.Context(), blobID(1), io.LimitReader(zeros, size))
	runtime.ReadMemStats(&between)
	if err != nil || n != size {
		t.Fatalf("size %d, error %v", n, err)
	}
	b := mustOpen(t, s, blobID(1))
	n, err = io.Copy(io.Discard, b)
	runtime.ReadMemStats(&after)
	if err != nil || n != size {
		t.Fatalf("read %d bytes, error %v", n, err)
	}
	if used := between.TotalAlloc - before.TotalAlloc; used > allowed {
		t.Errorf("%d bytes were allocated to keep a blob of %d", used, size)
	}
	if used := after.TotalAlloc - between.TotalAlloc; used > allowed/4 {
		t.Errorf("%d bytes were allocated to read a blob of %d", used, size)
	}
}

func concurrency(t *testing.T, h harness) {
	s := newBox(t, h)
	var callers sync.WaitGroup
	for n := range byte(40) {
		callers.Go(func() {
			id := model.BlobID{0: n, 14: n % 3, 15: 1} // with names that end alike
			want := content(n, 10_000)
			if _, err := s.Put(t.Context(), id, bytes.NewReader(want)); err != nil {
				t.Error(err)
				return
			}
			if err := compare(t.Context(), s, id, want); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	s.wantLeft(t, 40)
}

func closing(t *testing.T, h harness) {
	t.Run("keeps_what_is_there", func(t *testing.T) {
		open, _ := h(t)
		s := mustOpenStore(t, open)
		want := content(1, 10_000)
		mustPut(t, s, blobID(1), want)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		again := mustOpenStore(t, open)
		wantBlob(t, again, blobID(1), want)
		mustPut(t, again, blobID(2), want)
	})

	t.Run("comes_after_a_check_that_finds_nothing_wrong", func(t *testing.T) {
		if err := newBox(t, h).Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
