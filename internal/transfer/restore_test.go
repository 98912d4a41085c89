package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/app"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// waitUntil waits until something holds, asking again and again.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		<-tick.C
	}
}

// wantRefused reports where a backup is restored, or a check finds it whole.
func wantRefused(t *testing.T, what, source string, stream []byte, word string) {
	t.Helper()
	to := newPlace(t)
	_, err := offline.Restore(t.Context(), to.Config, true,
		transfer.RestoreOptions{Source: source, Stream: bytes.NewReader(stream)})
	if err == nil || !strings.Contains(err.Error(), word) {
		t.Errorf("%s: restored with error %v, want one about %q", what, err, word)
	}
	if _, err := os.Stat(filepath.Join(to.Data, "signet.db")); err == nil {
		t.Errorf("%s: there is a database", what)
	}
	if _, err := offline.CheckBackup(t.Context(), source, bytes.NewReader(stream), nil); err == nil ||
		!strings.Contains(err.Error(), word) {
		t.Errorf("%s: checked with error %v, want one about %q", what, err, word)
	}
}

func TestBackupThatIsNotWhole(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	want := s.ask(t, s.Server, false)
	s.Stop()
	t.Run("because_it_was_damaged_is_not_restored", func(t *testing.T) { wantDamageFound(t, from) })
	t.Run("because_its_list_was_damaged_is_restored_whole", func(t *testing.T) { wantListNotNeeded(t, from) })
	t.Run("because_a_newer_program_made_it_is_not_restored", func(t *testing.T) { wantNewerRefused(t, from) })
	t.Run("because_the_archive_was_cut_is_not_restored", func(t *testing.T) { wantWholeArchive(t, from) })
	t.Run("because_the_restore_was_interrupted_is_restored_again",
		func(t *testing.T) { wantRestoredAgain(t, s, from, want) })
}

func wantDamageFound(t *testing.T, from place) {
	target := filepath.Join(t.TempDir(), "backup")
	mustBackup(t, from, target)
	if _, err := offline.CheckBackup(t.Context(), target, nil, nil); err != nil {
		t.Fatalf("before: %v", err)
	}
	paths := slices.DeleteFunc(files(t, target), func(path string) bool {
		info, err := os.Stat(path)
		// with what sealing adds: one of them is enough
		return err != nil || strings.Contains(path, "blobs") && info.Size()/1000 != 300
	})
	if len(paths) != 4 {
		t.Fatalf("files %q", paths)
	}
	damage := map[string]func(path string, content []byte) error{
		"a byte is another one in": func(path string, content []byte) error {
			changed := bytes.Clone(content)
			changed[len(changed)/2] ^= 0x20
			return os.WriteFile(path, changed, 0o600)
		},
		"it was cut short": func(path string, content []byte) error {
			return os.Truncate(path, int64(len(content))/2)
		},
		"there is no": func(path string, _ []byte) error { return os.Remove(path) },
	}
	for what, do := range damage {
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err == nil {
				err = do(path, content)
			}
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(target, path)
			wantRefused(t, what+" "+name, target, nil, "")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := offline.CheckBackup(t.Context(), target, nil, nil); err != nil {
		t.Fatalf("after everything was put right: %v", err)
	}
	wantRefused(t, "a data directory", from.Data, nil, "finished")

	sums, err := os.ReadFile(filepath.Join(target, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	outside := strings.Replace(string(sums), "  blobs/", "  ../../blobs/", 1)
	if err := os.WriteFile(filepath.Join(target, "SHA256SUMS"), []byte(outside), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "a file outside that a damaged list names", target, nil, "SHA256SUMS is not as it was")
	manifest := filepath.Join(target, "manifest.json")
	text, err := os.ReadFile(manifest)
	if err == nil {
		err = os.WriteFile(manifest, bytes.Replace(text, []byte(`"format"`), []byte(`"former"`), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	wantRefused(t, "a file outside", target, nil, "belongs to no backup")
}

// wantListNotNeeded damages SHA256SUMS in many ways, in a directory and in an archive: all else is restored.
func wantListNotNeeded(t *testing.T, from place) {
	target := filepath.Join(t.TempDir(), "backup")
	m := mustBackup(t, from, target)
	var stream bytes.Buffer
	if _, err := offline.Backup(t.Context(), from.Config, true,
		transfer.BackupOptions{Target: "-", Stream: &stream}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(target, "SHA256SUMS")
	list, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	database := bytes.Index(list, []byte("  signet.db"))
	for what, damage := range map[string]func(list []byte){
		"the digest of the database": func(list []byte) { list[database-1] ^= 1 },
		"the name of the database":   func(list []byte) { list[database+2] ^= 1 },
		"the digest of a file":       func(list []byte) { list[0] ^= 1 },
		"the name of a file":         func(list []byte) { list[70] ^= 1 },
		"all of it":                  func(list []byte) { clear(list) },
	} {
		changed := bytes.Clone(list)
		damage(changed)
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		wantAllRestored(t, what, m, target, nil)
		archive := bytes.Clone(stream.Bytes())
		end := bytes.LastIndex(archive, list[database:]) + len(list[database:])
		damage(archive[end-len(list) : end])
		wantAllRestored(t, what+" in an archive", m, "-", archive)
	}
	if err := os.WriteFile(path, list[:len(list)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	wantAllRestored(t, "what is cut off", m, target, nil)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantAllRestored(t, "all, as there is none", m, target, nil)

	content, err := os.ReadFile(filepath.Join(target, "signet.db"))
	if err == nil {
		clear(content[len(content)*3/4:][:4*4096])
		err = os.WriteFile(filepath.Join(target, "signet.db"), content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := newPlace(t)
	if _, err := offline.Restore(t.Context(), to.Config, true, transfer.RestoreOptions{Source: target,
		KeepGoing: true}); err == nil || !strings.Contains(err.Error(), "signet.db is not as it was") {
		t.Errorf("a damaged database without a list is restored with error %v", err)
	}
}

// wantAllRestored restores a backup of which only the list is damaged.
func wantAllRestored(t *testing.T, what string, m *transfer.Manifest, source string, stream []byte) {
	t.Helper()
	wantRefused(t, what, source, stream, "SHA256SUMS is ")
	to := newPlace(t)
	_, err := offline.Restore(t.Context(), to.Config, true,
		transfer.RestoreOptions{Source: source, Stream: bytes.NewReader(stream), KeepGoing: true})
	damage := new(transfer.DamageError)
	if !errors.As(err, &damage) || len(damage.Files) != 1 || !strings.HasPrefix(damage.Files[0], "SHA256SUMS is ") {
		t.Errorf("without %s in the list it is restored with error %v", what, err)
	}
	if n := len(files(t, filepath.Join(to.Data, "blobs"))); n != int(m.Blobs.Count) {
		t.Errorf("without %s in the list %d files are restored, want %d", what, n, m.Blobs.Count)
	}
	if _, err := os.Stat(filepath.Join(to.Data, "signet.db")); err != nil {
		t.Errorf("without %s in the list there is no database: %v", what, err)
	}
}

func wantNewerRefused(t *testing.T, from place) {
	target := filepath.Join(t.TempDir(), "backup")
	mustBackup(t, from, target)
	path := filepath.Join(target, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(m *transfer.Manifest){
		func(m *transfer.Manifest) { m.Format++ },
		func(m *transfer.Manifest) { m.Database.Schema += 1000 },
	} {
		var m transfer.Manifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		newer, err := json.Marshal(m)
		if err == nil {
			err = os.WriteFile(path, newer, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		wantRefused(t, "a newer one", target, nil, "newer")
	}
}

func wantWholeArchive(t *testing.T, from place) {
	var stream bytes.Buffer
	if _, err := offline.Backup(t.Context(), from.Config, true,
		transfer.BackupOptions{Target: "-", Stream: &stream}); err != nil {
		t.Fatal(err)
	}
	whole := stream.Bytes()
	if _, err := offline.CheckBackup(t.Context(), "-", bytes.NewReader(whole), nil); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 100, 1024, len(whole) / 3, len(whole) / 2, len(whole) - 4096} {
		wantRefused(t, "a part of it", "-", whole[:n], "")
	}
	changed := bytes.Clone(whole)
	changed[len(changed)/2] ^= 1
	wantRefused(t, "a changed one", "-", changed, "damaged")
	wantRefused(t, "nonsense", "-", bytes.Repeat([]byte("nonsense"), 1000), "")
}

func wantEmptyDirectory(t *testing.T, from place) {
	target := filepath.Join(t.TempDir(), "backup")
	mustBackup(t, from, target)
	restore := func(to place) error {
		_, err := offline.Restore(t.Context(), to.Config, true, transfer.RestoreOptions{Source: target})
		return err
	}
	if err := restore(from); err == nil || !strings.Contains(err.Error(), "already uses") {
		t.Errorf("into the directory of a server: %v", err)
	}
	other := newPlace(t)
	if err := os.MkdirAll(filepath.Join(other.Data, "blobs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := restore(other); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a directory with blobs: %v", err)
	}
	shared := newPlace(t)
	shared.Database = "postgres://signet@db.example.com/signet"
	if err := restore(shared); err == nil || !strings.Contains(err.Error(), "PostgreSQL") {
		t.Errorf("into PostgreSQL: %v", err)
	}
}

func wantRestoredAgain(t *testing.T, s *story, from place, want answers) {
	to := newPlace(t)
	target := filepath.Join(t.TempDir(), "backup")
	m := mustBackup(t, from, target)
	for _, moment := range []int64{m.Blobs.Bytes / 2, m.Blobs.Bytes + m.Database.Bytes/2} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := offline.Restore(ctx, to.Config, true,
			transfer.RestoreOptions{Source: target, Progress: func(_ string, done, _ int64) {
				if done > moment {
					cancel()
				}
			}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after %d bytes: %v", moment, err)
		}
		server, err := app.Open(t.Context(), to.Config, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			server.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "restore") {
			t.Errorf("a server starts on half a restore: %v", err)
		}
	}
	for _, end := range []string{"-wal", "-shm"} { // one that was killed while it brought the database up to date
		path := transfer.Unfinished(home.Database(to.Data)) + end
		if err := os.WriteFile(path, []byte("of another database"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustRestore(t, target, nil, from, to)
	wantSame(t, s.ask(t, mustStart(t, to), false), want)
}
