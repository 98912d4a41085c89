package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"signet/internal/blob"
	"signet/internal/model"
)

// harness makes an empty store for one case, which is gone when the test ends, and
// returns what opens it (again) and what lists the names of everything that is in it,
// unfinished uploads too. The suite closes what it opens.
type harness func(t testing.TB) (open func() (blob.Store, error), left func(t testing.TB) []string)

// testContract plays the contract of a blob.Store against one: the same cases for every
// store, and what a store may do in two ways is accepted in both.
func testContract(t *testing.T, h harness) {
	for name, run := range map[string]func(*testing.T, harness){
		"Put": put, "Owner": owner, "Open": open, "Delete": remove, "List": list, "Concurrency": concurrency,
		"Memory": memory, "Closing": closing,
		"Beginning": beginning, "Presence": presence,
	} {
		t.Run(name, func(t *testing.T) { run(t, h) })
	}
}

// box is the store of one case.
type box struct {
	blob.Store
	left func(t testing.TB) []string
}

func newBox(t testing.TB, h harness) *box {
	t.Helper()
	open, left := h(t)
	return &box{mustOpenStore(t, open), left}
}

func mustOpenStore(t testing.TB, open func() (blob.Store, error)) blob.Store {
	t.Helper()
	s, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

func blobID(n byte) model.BlobID { return model.BlobID{0x01, 0x90, 14: n, 15: n * 7} }

// content returns bytes that are all different places' own.
func content(seed byte, size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b) // never fails
	return b
}

func mustPut(t testing.TB, s blob.Store, id model.BlobID, content []byte) {
	t.Helper()
	size, err := s.Put(t.Context(), id, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(len(content)) {
		t.Fatalf("size %d, want %d", size, len(content))
	}
}

func mustOpen(t testing.TB, s blob.Store, id model.BlobID) blob.Blob {
	t.Helper()
	b, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// wantBlob reads a blob whole.
func wantBlob(t testing.TB, s blob.Store, id model.BlobID, want []byte) {
	t.Helper()
	if err := compare(t.Context(), s, id, want); err != nil {
		t.Error(err)
	}
}

func compare(ctx context.Context, s blob.Store, id model.BlobID, want []byte) error {
	b, err := s.Open(ctx, id)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(b)
	if err := errors.Join(err, b.Close()); err != nil {
		return err
	}
	if !bytes.Equal(got, want) || b.Size() != int64(len(want)) {
		return fmt.Errorf("blob %s has %d bytes and size %d, want %d bytes", id, len(got), b.Size(), len(want))
	}
	return nil
}

func (b *box) wantLeft(t testing.TB, want int) {
	t.Helper()
	if names := b.left(t); len(names) != want {
		t.Errorf("there are %q, want %d", names, want)
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func wantMissing(t testing.TB, s blob.Store, id model.BlobID) {
	t.Helper()
	_, err := s.Open(t.Context(), id)
	wantError(t, err, blob.ErrNotFound)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
