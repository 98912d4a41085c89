package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/config"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// A database that was set back by its own tools gets a new history too.
func TestNewEpochMakesClientsStartOver(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, database := range map[string]string{"embedded": "", "postgres": postgrestest.URL(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.Database = database
			if database != "" {
				p.Keyring, p.MasterKey = apptest.SharedKeys(t)
			}
			start := func() *apptest.Server {
				t.Helper()
				return apptest.Start(t, func(c *config.Config) {
					c.Data, c.Database, c.Keyring, c.MasterKey = p.Data, database, p.Keyring, p.MasterKey
				})
			}
			s := start().People()
			if _, err := s.Alice.Client.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: "x"}); err != nil {
				t.Fatal(err)
			}
			before := mustPoll(t, s.Bob)
			if err := offline.NewEpoch(t.Context(), p.Config); err == nil || !strings.Contains(err.Error(), " use") {
				t.Errorf("while a server runs: %v", err)
			}
			s.Stop()
			if err := offline.NewEpoch(t.Context(), p.Config); err != nil {
				t.Fatal(err)
			}
			mustAdopt(t, p)
			again := start()
			bob := again.As(s.Bob)
			after := mustPoll(t, bob)
			if len(after) != len(before) || after[0].ID == before[0].ID {
				t.Errorf("the queue is %v after %v", after, before)
			}
			_, err := bob.Client.Poll(t.Context(), client.PollOptions{Limit: 10, After: before[0].ID})
			if !errors.Is(err, &client.Error{Status: 400, Code: "after_invalid"}) {
				t.Errorf("reading on from before: %v, want 400", err)
			}
		})
	}
}

func mustPoll(t *testing.T, p *apptest.Person) []client.Event {
	t.Helper()
	events, err := p.Client.Poll(t.Context(), client.PollOptions{Limit: 1000})
	if err != nil || len(events) == 0 {
		t.Fatalf("%d events, error %v", len(events), err)
	}
	return events
}

// vanishing is a bucket from which a blob is erased when a part of it has been read.
type vanishing struct {
	blob.Store
	least int64 // bytes of the blobs that it befalls
}

func (v vanishing) Open(ctx context.Context, id model.BlobID) (blob.Blob, error) {
	b, err := v.Store.Open(ctx, id)
	if err == nil && b.Size() >= v.least {
		return &vanishingBlob{b, func() error { return v.Delete(ctx, id) }, false}, nil
	}
	return b, err
}

type vanishingBlob struct {
	blob.Blob
	erase  func() error
	erased bool
}

func (b *vanishingBlob) Read(p []byte) (int, error) {
	n, err := b.Blob.Read(p)
	if err == nil && !b.erased {
		b.erased = true
		err = b.erase()
	}
	return n, err
}

func TestFileThatIsErasedWhileItIsCopiedIsNotRestored(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	from, to := newPlace(t), newPlace(t)
	from.Blobs = s3test.Shared(t).Bucket(t).Location()
	s := newStory(t, from.is)
	id := s.sendFile(s.Alice, "bob", 8<<20)
	bucket, err := blob.Open(from.Blobs)
	if err != nil {
		t.Fatal(err)
	}
	defer bucket.Close()
	var stream bytes.Buffer
	m, err := transfer.Backup(t.Context(),
		transfer.Installation{Database: filepath.Join(from.Data, "signet.db"), Blobs: vanishing{bucket, 8 << 20}},
		transfer.BackupOptions{Target: "-", Stream: &stream, Clock: time.Now})
	// Nobody recalled it, so that it counts as lost.
	if !errors.Is(err, transfer.ErrLost) || len(m.Blobs.Partial) != 1 || len(m.Blobs.Lost) != 1 {
		t.Fatalf("the backup is %+v, error %v, want one that was half copied", m, err)
	}
	mustRestore(t, "-", io.Reader(&stream), from, to)
	server := mustStart(t, to)
	wantLostFile(t, server, s.Bob, id)
}
