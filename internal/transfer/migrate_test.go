package transfer_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/app"
	"signet/internal/app/apptest"
	"signet/internal/blob/s3test"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// mustStartOn starts a server on a database, with its own directory.
func mustStartOn(t *testing.T, database, blobs string, from place) *apptest.Server {
	t.Helper()
	return mustStartIn(t, mustTakeAlong(t, from), database, blobs)
}

// mustTakeAlong makes a directory with what a server on a database needs of its old
// one. The source's audit log notes it.
func mustTakeAlong(t *testing.T, from place) place {
	t.Helper()
	p := newPlace(t)
	if err := os.MkdirAll(p.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	mustKeepOperator(t, from, p)
	mustKeepKeys(t, from, p)
	return p
}

func mustStartIn(t *testing.T, p place, database, blobs string) *apptest.Server {
	t.Helper()
	return apptest.Start(t, func(c *config.Config) {
		c.Data, c.Database, c.Blobs, c.Keyring = p.Data, database, blobs, "file:"+filepath.Join(p.Data, "keyring")
	})
}

// digests returns what the files are that a migration reads.
func digests(t *testing.T, p place) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	for _, path := range files(t, p.Data) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(path); len(content) > 0 && name != "lock" && !strings.HasSuffix(name, "-shm") {
			out[path] = sha256.Sum256(content)
		}
	}
	return out
}

func TestMigratedInstallationIsWhatItWas(t *testing.T) {
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	want := s.ask(t, s.Server, true)
	events, err := s.Bob.Client.Poll(t.Context(), client.PollOptions{Limit: 1000})
	if err != nil || len(events) < 3 {
		t.Fatalf("%d events, error %v", len(events), err)
	}
	seen := events[len(events)-2].ID
	database := postgrestest.URL(t)
	work := offline.Migration{From: from.Data, To: database}
	if _, err := offline.Migrate(t.Context(), work); err == nil || !strings.Contains(err.Error(), "already uses") {
		t.Errorf("while the server runs: %v", err)
	}
	s.Stop()
	to := mustTakeAlong(t, from)
	before := digests(t, from)
	did, err := offline.Migrate(t.Context(), work)
	if err != nil {
		t.Fatal(err)
	}
	if did.Blobs != 5 || did.Rows < 100 || did.Resumed != 0 || len(did.Lost) != 0 {
		t.Errorf("it says %+v", did)
	}
	after := digests(t, from)
	for path, digest := range before {
		if after[path] != digest {
			t.Errorf("%s was changed", path)
		}
	}
	if len(after) != len(before)+1 { // moved.json says where it went
		t.Errorf("there are %d files after %d, want one more", len(after), len(before))
	}

	server := mustStartIn(t, to, database, work.BlobsLocation())
	wantSame(t, s.ask(t, server, true), want)
	// A client goes on where it was.
	bob := server.As(s.Bob)
	next, err := bob.Client.Poll(t.Context(), client.PollOptions{Limit: 1000, After: seen})
	if err != nil || len(next) != 1 || next[0].ID != events[len(events)-1].ID {
		t.Errorf("after what was seen there is %v, error %v, want the last event", next, err)
	}
	wantNextOfStream(t, server, bob, seen, next[0].ID)
	s.wantWritable(t, server)
	if again, err := offline.Migrate(t.Context(), work); err != nil || !again.Before {
		t.Errorf("a second time: %+v, error %v, want that nothing was left to do", again, err)
	}
}

// wantNextOfStream opens a stream that goes on after an event.
func wantNextOfStream(t *testing.T, server *apptest.Server, reader *apptest.Person, seen, want string) {
	t.Helper()
	stream := server.MustOpen(t, server.NewHTTPClient(),
		apptest.Request{Method: "GET", Target: "/v2/events", Header: [][2]string{
			{"Accept", "text/event-stream"}, {"Last-Event-ID", seen},
			{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(reader.Key+":"+reader.Secret))}}})
	for {
		line, ok := stream.Line()
		if id, found := strings.CutPrefix(line, "id: "); !ok || found {
			if id != want {
				t.Errorf("the stream goes on with %q, want %s", line, want)
			}
			break
		}
	}
	stream.Close()
}

// A place in a search that a client was given goes on too: it is sealed with the
// installation's secret.
func TestMigratedSearchGoesOn(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	first, err := s.Alice.Client.Search(t.Context(),
		client.Search{Types: []client.EntityKind{client.KindAccount}, PageSize: 1})
	if err != nil || first.Metadata.Continuation == "" {
		t.Fatalf("%+v, error %v", first, err)
	}
	s.Stop()
	bucket := s3test.Shared(t).Bucket(t)
	database := postgrestest.URL(t)
	did, err := offline.Migrate(t.Context(),
		offline.Migration{From: from.Data, To: database, ToBlobs: bucket.Location()})
	if err != nil || did.Blobs != 5 || did.Bytes < 6<<20 {
		t.Fatalf("%+v, error %v", did, err)
	}
	if names := bucket.Contents(t); len(names) != 5 {
		t.Errorf("the bucket holds %q", names)
	}
	server := mustStartOn(t, database, bucket.Location(), from)
	second, err := server.As(s.Alice).Client.Search(t.Context(),
		client.Search{Types: []client.EntityKind{client.KindAccount}, PageSize: 1, Continuation: first.Metadata.Continuation})
	if err != nil || len(second.Results) != 1 {
		t.Errorf("the next page: %+v, error %v", second, err)
	}
	for id, content := range s.files {
		d, err := server.As(s.Bob).Client.OpenAttachment(t.Context(), id)
		if errors.Is(err, &client.Error{Status: 404}) {
			continue // not to Bob
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(d)
		if err := errors.Join(err, d.Close()); err != nil || !slices.Equal(got, content) {
			t.Errorf("file %s has %d bytes, error %v", id, len(got), err)
		}
	}
}

func TestMigrationGoesOnAfterItWasInterrupted(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	want := s.ask(t, s.Server, true)
	s.Stop()
	files := s3test.Start(t)
	bucket := files.Bucket(t)
	database := postgrestest.URL(t)
	work := offline.Migration{From: from.Data, To: database, ToBlobs: bucket.Location()}
	wantNoServer := func(when string) {
		t.Helper()
		cfg := config.Default()
		cfg.Listen, cfg.Data, cfg.Database = "127.0.0.1:0", filepath.Join(t.TempDir(), "data"), database
		server, err := app.Open(t.Context(), cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil {
			server.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "migrate") {
			t.Errorf("%s a server starts on the database: %v", when, err)
		}
	}
	for _, moment := range []string{"copy rows", "copy attachments", "compare rows", "compare attachments"} {
		ctx, cancel := context.WithCancel(t.Context())
		work.Progress = func(step string, done, total int64) {
			if step == moment && done > total/2 {
				cancel()
			}
		}
		_, err := offline.Migrate(ctx, work)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted at %q: %v", moment, err)
		}
		wantNoServer("interrupted at " + moment)
	}
	// The attachments' server is away in the middle.
	work.Progress = func(step string, done, total int64) {
		if step == "compare attachments" && done == 2 {
			files.Stop(t)
		}
	}
	if _, err := offline.Migrate(t.Context(), work); err == nil || !strings.Contains(err.Error(), "unavailable") {
		t.Errorf("with the attachments' server away: %v", err)
	}
	wantNoServer("with the attachments' server away")
	files.Restart(t)
	// What was copied before is spoiled by somebody.
	spoiled := bucket.Contents(t)[0]
	put(t, bucket, spoiled, "spoiled")
	work.Progress = nil
	if _, err := offline.Migrate(t.Context(), work); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("with a spoiled attachment: %v", err)
	}
	wantNoServer("with a spoiled attachment")

	did, err := offline.Migrate(t.Context(), work)
	if err != nil || did.Resumed != did.Rows {
		t.Fatalf("%+v, error %v, want that all rows were there", did, err)
	}
	server := mustStartOn(t, database, bucket.Location(), from)
	wantSame(t, s.ask(t, server, true), want)
}

// A server that ran on the source in between has changed it.
func TestMigrationBeginsAnewWhenTheSourceHasChanged(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	s := newStory(t, from.is)
	s.Stop()
	database := postgrestest.URL(t)
	work := offline.Migration{From: from.Data, To: database}
	ctx, cancel := context.WithCancel(t.Context())
	work.Progress = func(step string, _, _ int64) {
		if step == "compare rows" {
			cancel()
		}
	}
	if _, err := offline.Migrate(ctx, work); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	between := mustStart(t, from)
	if _, err := between.As(s.Alice).Client.Send(t.Context(),
		client.Outgoing{Recipient: "bob", Body: "in between"}); err != nil {
		t.Fatal(err)
	}
	want := s.ask(t, between, true)
	between.Stop()
	work.Progress = nil
	did, err := offline.Migrate(t.Context(), work)
	if err != nil || did.Resumed != 0 {
		t.Fatalf("%+v, error %v, want that it began anew", did, err)
	}
	wantSame(t, s.ask(t, mustStartOn(t, database, work.BlobsLocation(), from), true), want)
}

func TestMigrationTellsOfWhatIsLost(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from := newPlace(t)
	newStory(t, from.is).Stop()
	if err := os.Remove(files(t, filepath.Join(from.Data, "blobs"))[0]); err != nil {
		t.Fatal(err)
	}
	for name, blobs := range map[string]string{"stay": "", "move": filepath.Join(t.TempDir(), "blobs")} {
		did, err := offline.Migrate(t.Context(),
			offline.Migration{From: from.Data, To: postgrestest.URL(t), ToBlobs: blobs})
		if !errors.Is(err, transfer.ErrLost) || did == nil || len(did.Lost) != 1 || did.Blobs != 4 {
			t.Errorf("attachments that %s: %+v, error %v, want one lost", name, did, err)
		}
	}
}
