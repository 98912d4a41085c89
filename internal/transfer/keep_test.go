package transfer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/model"
	"signet/internal/store"
)

// The backup that was just made stays, and the newest that lacks nothing.
func TestBackupsThatArePruned(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	day := func(n int) string { return now.AddDate(0, 0, n).Format(keptForm) }
	for what, test := range map[string]struct {
		whole, lacking, unfinished []int // days, from that of the one that is made
		keep                       int
		want                       []int
	}{
		"some":                        {whole: []int{-3, -2, -1, 0}, keep: 2, want: []int{-1, 0}},
		"one that was not finished":   {whole: []int{-3, -1, 0}, unfinished: []int{-2}, keep: 2, want: []int{-1, 0}},
		"those of a clock ahead":      {whole: []int{-1, 0, 9, 99}, keep: 1, want: []int{0}},
		"the oldest are those ahead":  {whole: []int{-1, 0, 9, 99}, keep: 3, want: []int{-1, 0, 99}},
		"what lacks attachments":      {whole: []int{-9, -8}, lacking: []int{-2, -1, 0}, keep: 2, want: []int{-8, -1, 0}},
		"a whole one after those":     {whole: []int{-9, 0}, lacking: []int{-2, -1}, keep: 2, want: []int{-1, 0}},
		"nothing but what lacks some": {lacking: []int{-2, -1, 0}, keep: 1, want: []int{0}},
	} {
		dir := t.TempDir()
		put := func(days []int, manifest *Manifest) {
			t.Helper()
			for _, n := range days {
				if err := os.Mkdir(filepath.Join(dir, day(n)), 0o700); err != nil {
					t.Fatal(err)
				}
				if manifest == nil {
					continue
				}
				text, err := json.Marshal(manifest)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, day(n), manifestName), text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		whole := Manifest{Format: format, Sums: strings.Repeat("0", 64),
			Database: DatabaseFile{Census: store.Census{Rows: map[string]int64{}}}}
		lacking := whole
		lacking.Blobs.Lost = []model.BlobID{model.BlobID(uuid.Must(uuid.NewV7()))}
		put(test.whole, &whole)
		put(test.lacking, &lacking)
		put(test.unfinished, nil)
		kept, err := OpenKept(dir)
		if err != nil {
			t.Fatal(err)
		}
		if target := kept.Target(now); target != filepath.Join(dir, day(0)) {
			t.Errorf("a backup goes to %s", target)
		}
		if _, err := kept.Prune(test.keep); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		var left, want []string
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.Name() != keptLock {
				left = append(left, entry.Name())
			}
		}
		for _, n := range test.want {
			want = append(want, day(n))
		}
		if !slices.Equal(left, want) {
			t.Errorf("%s: %q are left, want %q", what, left, want)
		}
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	}
}
