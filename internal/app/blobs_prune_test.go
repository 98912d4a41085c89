package app

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/blob"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/testenv"
)

func TestPruneRemovesWhatNothingRefersToOnceConfirmed(t *testing.T) {
	testenv.Long(t)
	cfg := settings(t)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	// A server that ran meanwhile would take some of the files for a few.
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	stored, err := blob.At(home.Blobs(cfg.Data, ""))
	if err != nil {
		t.Fatal(err)
	}
	const old, young = 130, 2
	for i := range old + young {
		id := model.BlobID(uuid.Must(uuid.NewV7()))
		if _, err := stored.Put(t.Context(), id, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if i < old {
			name := hex.EncodeToString(id[:])
			before := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(filepath.Join(cfg.Data, "blobs", name[28:30], name[30:], name), before, before); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		confirmed bool
		want      offline.Pruned
	}{{false, offline.Pruned{Files: old + young, Unreferenced: old}},
		{true, offline.Pruned{Files: old + young, Unreferenced: old, Removed: old}}, {true, offline.Pruned{Files: young}}} {
		if got, err := offline.PruneBlobs(t.Context(), cfg, test.confirmed); err != nil || got != test.want {
			t.Errorf("confirmed %t: %+v, %v, want %+v", test.confirmed, got, err, test.want)
		}
	}
	cfg.Blobs = filepath.Join(t.TempDir(), "elsewhere")
	if _, err := offline.PruneBlobs(t.Context(), cfg, true); err == nil {
		t.Error("a place that is none was pruned")
	}
}
