package blob

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7"
)

func TestUploadThatFindsNoMemoryIsToldToComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBuffers(1)
		held, err := b.take(t.Context())
		if err != nil || len(held) != partSize {
			t.Fatalf("%d bytes, error %v", len(held), err)
		}
		begun := time.Now()
		_, err = b.take(t.Context())
		if waited := time.Since(begun); !errors.Is(err, ErrUnavailable) || waited != bufferTimeout {
			t.Errorf("error %v after %v", err, waited)
		}
		b.give(held)
		again, err := b.take(t.Context())
		if err != nil || &again[0] != &held[0] {
			t.Errorf("the buffer that became free was not used, error %v", err)
		}
	})
}

func TestUploadOfMorePartsThanS3TakesIsTooLarge(t *testing.T) {
	u := &upload{parts: make([]minio.CompletePart, maxParts)}
	if err := u.putPart(make([]byte, partSize)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v", err)
	}
}
