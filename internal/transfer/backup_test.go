package transfer_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// place is a data directory and what is set for it.
type place struct{ *config.Config }

func newPlace(t *testing.T) place {
	t.Helper()
	cfg := config.Default()
	cfg.Listen = "127.0.0.1:0"
	cfg.Data = filepath.Join(t.TempDir(), "data")
	return place{cfg}
}

func (p place) is(cfg *config.Config) { cfg.Data, cfg.Blobs = p.Data, p.Blobs }

func mustBackup(t *testing.T, of place, target string) *transfer.Manifest {
	t.Helper()
	m, err := offline.Backup(t.Context(), of.Config, true, transfer.BackupOptions{Target: target, MadeBy: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mustRestore restores, and puts back what is not part of a backup.
func mustRestore(t *testing.T, source string, stream io.Reader, from, to place) *transfer.Manifest {
	t.Helper()
	m, err := offline.Restore(t.Context(), to.Config, true, transfer.RestoreOptions{Source: source, Stream: stream})
	if err != nil {
		t.Fatal(err)
	}
	mustKeepOperator(t, from, to)
	mustKeepKeys(t, from, to)
	mustAdopt(t, to)
	return m
}

// mustAdopt makes the key ring and the attachments of a place its own.
func mustAdopt(t *testing.T, p place) {
	t.Helper()
	did, err := offline.Adopt(t.Context(), p.Config, nil)
	var epochs []string
	for _, from := range did.From {
		epochs = append(epochs, from.Mark.Epoch)
	}
	if err == nil || len(epochs) == 0 || did.Done {
		t.Fatalf("adopted %+v without being told from whom, %v", did, err)
	}
	if did, err = offline.Adopt(t.Context(), p.Config, epochs); err != nil || !did.Done {
		t.Fatal(did, err)
	}
}

// mustKeepKeys puts the keys of what is sealed in their places.
func mustKeepKeys(t *testing.T, from, to place) {
	t.Helper()
	_, err := offline.ExportKeys(t.Context(), from.Config, filepath.Join(to.Data, "keyring"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"master.json", "audit.key"} {
		content, err := os.ReadFile(filepath.Join(from.Data, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to.Data, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func mustKeepOperator(t *testing.T, from, to place) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from.Data, "operator.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(to.Data, "operator.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func mustStart(t *testing.T, p place) *apptest.Server {
	t.Helper()
	return apptest.Start(t, embedded, p.is)
}

// files lists what is in a directory, by path, but what marks it.
func files(t *testing.T, root string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "owner.json" && entry.Name() != blob.MarkName {
			out = append(out, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

func TestBackupOfARunningServer(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	t.Run("is_all_that_it_is", func(t *testing.T) { wantWholeBackup(t, s, from) })
	t.Run("makes_its_clients_start_over", func(t *testing.T) { wantClientsStartOver(t, s, from) })
	t.Run("holds_nothing_else", func(t *testing.T) { wantNothingElse(t, s, from) })
	t.Run("overwrites_nothing_and_leaves_nothing_when_it_fails", func(t *testing.T) { wantCarefulBackup(t, from) })
	t.Run("is_restored_into_an_empty_directory", func(t *testing.T) { wantEmptyDirectory(t, from) })
}

// While things happen.
func TestBackupOfABusyServer(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	t.Run("is_consistent", func(t *testing.T) { wantConsistentBackup(t, s, from) })
	t.Run("leaves_out_what_is_erased_meanwhile", func(t *testing.T) { wantErasedLeftOut(t, s, from) })
	t.Run("tells_of_what_is_lost", func(t *testing.T) { wantLostTold(t, from) })
}

func wantWholeBackup(t *testing.T, s *story, from place) {
	to := newPlace(t)
	want := s.ask(t, s.Server, false)
	target := filepath.Join(t.TempDir(), "backup")
	m := mustBackup(t, from, target)
	if m.Blobs.Count != 5 || len(m.Blobs.Erased)+len(m.Blobs.Lost) != 0 || m.Database.Rows["accounts"] != 5 ||
		m.MadeBy != "test" {
		t.Errorf("the manifest says %+v", m)
	}
	// The server goes on, and what it does now is in no backup.
	s.send(s.Alice, client.Outgoing{Recipient: "bob", Body: "after the backup"})

	restored := mustRestore(t, target, nil, from, to)
	if restored.Sums != m.Sums {
		t.Errorf("restored %+v", restored)
	}
	s.messages = s.messages[:len(s.messages)-1]
	server := mustStart(t, to)
	wantSame(t, s.ask(t, server, false), want)
	s.wantWritable(t, server)
}

// What is written while the backup runs is in it whole or not at all.
func wantConsistentBackup(t *testing.T, s *story, from place) {
	to := newPlace(t)
	stop, begun := make(chan struct{}), make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		for n := 0; ; n++ {
			if n == 5 {
				close(begun)
			}
			select {
			case <-stop:
				return
			default:
			}
			text := strings.Repeat("x", n%50)
			if _, err := s.Alice.Client.Send(t.Context(),
				client.Outgoing{Recipient: "bob", Body: text,
					Attachment: &client.Upload{Name: "x", Content: strings.NewReader(text)}}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	<-begun
	target := filepath.Join(t.TempDir(), "backup.tar")
	mustBackup(t, from, target)
	close(stop)
	sending.Wait()
	mustRestore(t, target, nil, from, to)
	server := mustStart(t, to)
	bob := server.As(s.Bob)
	events, err := bob.Client.Poll(t.Context(), client.PollOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range events {
		m, err := e.Message()
		if err != nil || len(m.Attachments) == 0 || m.Attachments[0].Name != "x" {
			continue
		}
		found++
		d, err := bob.Client.OpenAttachment(t.Context(), m.MessageID)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(d)
		if err := errors.Join(err, d.Close()); err != nil || string(content) != m.Body {
			t.Errorf("message %s says %q, and its attachment %q, error %v", m.MessageID, m.Body, content, err)
		}
	}
	if found < 5 {
		t.Errorf("%d messages were restored, want those that were sent before, at least", found)
	}
}

// A client that knows a position of the old history would otherwise skip what the new
// one has before it.
func wantClientsStartOver(t *testing.T, s *story, from place) {
	to := newPlace(t)
	target := filepath.Join(t.TempDir(), "backup")
	mustBackup(t, from, target)
	ctx := t.Context()
	s.send(s.Alice, client.Outgoing{Recipient: "bob", Body: "after the backup"})
	old, err := s.Bob.Client.Poll(ctx, client.PollOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	last := old[len(old)-1].ID

	mustRestore(t, target, nil, from, to)
	server := mustStart(t, to)
	bob := server.As(s.Bob)
	queue, err := bob.Client.Poll(ctx, client.PollOptions{Limit: 1000})
	if err != nil || len(queue) != len(old)-1 {
		t.Fatalf("the queue has %d events, error %v, want %d", len(queue), err, len(old)-1)
	}
	if _, err := bob.Client.Poll(ctx, client.PollOptions{Limit: 1000, After: last}); !errors.Is(err,
		&client.Error{Status: 400, Code: "after_invalid"}) {
		t.Errorf("reading on after an event of the old history: %v, want 400 after_invalid", err)
	}
	if err := bob.Client.Ack(ctx, last, old[0].ID); err != nil {
		t.Error(err)
	}
	authorization := "Basic " + base64.StdEncoding.EncodeToString([]byte(bob.Key+":"+bob.Secret))
	stream := server.MustOpen(t, server.NewHTTPClient(),
		apptest.Request{Method: "GET", Target: "/v2/events", Header: [][2]string{
			{"Accept", "text/event-stream"}, {"Last-Event-ID", last}, {"Authorization", authorization}}})
	for _, event := range queue {
		for {
			line, ok := stream.Line()
			if !ok {
				t.Fatalf("the stream ended before %s", event.ID)
			}
			if id, found := strings.CutPrefix(line, "id: "); found {
				if id != event.ID {
					t.Fatalf("the stream replays %s, want %s: it skipped something", id, event.ID)
				}
				break
			}
		}
	}
	stream.Close()
}

func wantNothingElse(t *testing.T, s *story, from place) {
	secrets := []string{s.Operator.Secret}
	for _, name := range []string{"keyring", "master.json", "audit.key"} {
		text, err := os.ReadFile(filepath.Join(from.Data, name))
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, regexp.MustCompile(`[A-Za-z0-9+/]{40,}`).FindAllString(string(text), -1)...)
	}
	if len(secrets) < 4 {
		t.Fatalf("found only %d secrets", len(secrets))
	}
	target := filepath.Join(t.TempDir(), "backup")
	mustBackup(t, from, target)
	var names []string
	for _, path := range files(t, target) {
		name, err := filepath.Rel(target, path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, "blobs") {
			names = append(names, name)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
	}
	if want := []string{"SHA256SUMS", "manifest.json", "signet.db"}; !slices.Equal(names, want) {
		t.Errorf("beside the blobs there are %q, want %q", names, want)
	}
	err := filepath.WalkDir(target, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func wantErasedLeftOut(t *testing.T, s *story, from place) {
	to := newPlace(t)
	id := s.sendFile(s.Alice, "bob", 1000)
	before := len(files(t, filepath.Join(from.Data, "blobs")))
	target := filepath.Join(t.TempDir(), "backup")
	recalled := false
	m, err := offline.Backup(t.Context(), from.Config, true,
		transfer.BackupOptions{Target: target, Progress: func(step string, done, _ int64) {
			if recalled || step != "attachments" { // the database is copied by then, and no attachment is
				return
			}
			recalled = true
			if err := s.Alice.Client.Recall(t.Context(), id); err != nil {
				t.Error(err)
			}
			waitUntil(t, "the file is erased", func() bool { return len(files(t, filepath.Join(from.Data, "blobs"))) < before })
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Blobs.Erased) != 1 || len(m.Blobs.Lost) != 0 || m.Blobs.Count != int64(before-1) {
		t.Errorf("the manifest says %+v, want one erased", m.Blobs)
	}
	mustRestore(t, target, nil, from, to)
	server := mustStart(t, to)
	wantLostFile(t, server, s.Bob, id)
}

// wantLostFile reports a message that is there without its file, which does not say so.
func wantLostFile(t *testing.T, server *apptest.Server, reader *apptest.Person, message string) {
	t.Helper()
	server.Allow("files that messages refer to are missing")
	server.Allow("attachment_lost")
	if _, err := server.As(reader).Client.OpenAttachment(t.Context(), message); !errors.Is(err,
		&client.Error{Status: 500, Code: "attachment_lost"}) {
		t.Errorf("a file that is not in the backup: %v, want 500 attachment_lost", err)
	}
}

func wantLostTold(t *testing.T, from place) {
	to := newPlace(t)
	blobs := files(t, filepath.Join(from.Data, "blobs"))
	if err := os.Remove(blobs[0]); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "backup")
	m, err := offline.Backup(t.Context(), from.Config, true, transfer.BackupOptions{Target: target})
	var note store.BackupNote
	seen := offline.Inspect(t.Context(), from.Data, "", func(kept *store.Store) (err error) {
		note, err = store.Read(t.Context(), kept, (*store.Tx).LastBackup)
		return err
	})
	if seen != nil || note.Succeeded.IsZero() || note.Lost != 1 {
		t.Errorf("the note of it is %+v, %v, want one that is made and lacks one file", note, seen)
	}
	if !errors.Is(err, transfer.ErrLost) || m == nil || len(m.Blobs.Lost) != 1 || m.Blobs.Count != int64(len(blobs)-1) {
		t.Fatalf("got %+v, error %v, want one lost", m, err)
	}
	mustRestore(t, target, nil, from, to) // the rest is as good as any
}

func wantCarefulBackup(t *testing.T, from place) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious.tar")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	mounted := filepath.Join(dir, "mounted")
	if err := os.Mkdir(mounted, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{dir, precious, filepath.Join(dir, "missing", "backup")} {
		if _, err := offline.Backup(t.Context(), from.Config, true, transfer.BackupOptions{Target: target}); err == nil {
			t.Errorf("a backup was written to %s", target)
		}
	}
	for _, target := range []string{filepath.Join(dir, "new"), filepath.Join(dir, "new.tar"), mounted} {
		for _, moment := range []string{"attachments", "database"} {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := offline.Backup(ctx, from.Config, true,
				transfer.BackupOptions{Target: target, Progress: func(step string, done, total int64) {
					if step == moment && done >= total/2 {
						cancel()
					}
				}})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled at the %s: %v", moment, err)
			}
		}
	}
	err := offline.Inspect(t.Context(), from.Data, "", func(kept *store.Store) error {
		note, err := store.Read(t.Context(), kept, (*store.Tx).LastBackup)
		if note.Failed.IsZero() {
			t.Error("it is not noted that a backup was interrupted")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if left := files(t, dir); !slices.Equal(left, []string{precious}) {
		t.Errorf("there are %q", left)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("there are %v, error %v", entries, err)
	}
	mustBackup(t, from, mounted)
}

func TestBackupOfABucketIntoADirectoryAndBack(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from, to, back := newPlace(t), newPlace(t), newPlace(t)
	first, second := s3test.Shared(t).Bucket(t), s3test.Shared(t).Bucket(t)
	from.Blobs, back.Blobs = first.Location(), second.Location()
	s := newStory(t, from.is)
	want := s.ask(t, s.Server, false)
	var stream bytes.Buffer
	if _, err := offline.Backup(t.Context(), from.Config, true,
		transfer.BackupOptions{Target: "-", Stream: &stream}); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	mustRestore(t, "-", &stream, from, to)
	server := mustStart(t, to)
	wantSame(t, s.ask(t, server, false), want)
	server.Stop()
	target := filepath.Join(t.TempDir(), "backup")
	mustBackup(t, to, target)
	mustRestore(t, target, nil, from, back)
	wantSame(t, s.ask(t, mustStart(t, back), false), want)
	if got, want := second.Contents(t), first.Contents(t); !slices.Equal(got, want) {
		t.Errorf("the second bucket holds %q, want %q", got, want)
	}
}
