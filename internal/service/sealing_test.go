package service

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/people"
	"signet/internal/seal"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/metadata"
	"signet/internal/store/sealing"
	"signet/internal/store/sqlite"
	"signet/internal/testclock"
)

// newSealed is a service on an embedded store, with a key ring.
func newSealed(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, clock: testclock.New()}
	dir := t.TempDir()
	engine, err := sqlite.Open(filepath.Join(dir, "signet.db"), sqlite.Options{Clock: c.clock.Now})
	c.must(err)
	t.Cleanup(func() { c.must(engine.Close()) })
	c.engine = engine
	c.store, err = store.Open(t.Context(), engine, store.NewEpoch)
	c.must(err)
	enginetest.Authenticate(c.store)
	blobs, err := blob.OpenDirectory(filepath.Join(dir, "blobs"))
	c.must(err)
	ring := sealtest.Open(t, dir, c.clock.Now)
	c.nodes = []*Service{newService(Options{Store: c.store,
		Vault: &content.Vault{Store: c.store, Ring: ring, Blobs: blobs},
		Hub:   live.NewHub(0), Clock: c.clock.Now, Logger: slog.New(slog.DiscardHandler),
		EventsRetention: time.Hour * 24 * 30})}
	c.must(people.MakeFirstOperator(t.Context(), c.store, c.clock.Now(), "operator", "secret"))
	c.admin = c.fresh("operator")
	return c
}

func (c *cluster) pair() (alice, bob *model.Actor) {
	c.t.Helper()
	o := c.organization()
	return c.member(o, "alice"), c.member(o, "bob")
}

func (c *cluster) names() (out []string) {
	for _, name := range c.nodes[0].vault.Ring.Names() {
		out = append(out, strings.TrimSuffix(name.Period+" "+name.Scope, " "))
	}
	return out
}

func TestStoreHoldsSealedTextsOnly(t *testing.T) {
	c := newSealed(t)
	alice, bob := c.pair()
	sent, err := c.send(c.nodes[0], alice, bob.Account.String(), func(s *SendCommand) { s.RequestID = "r" })
	c.must(err)
	c.must(c.nodes[0].SetMetadata(t.Context(), alice, "me", "", map[string]string{"a": "text"}))
	c.must(c.store.View(t.Context(), func(tx *store.Tx) error {
		rows, err := sealing.MessagesAfter(tx, "", model.MessageID{}, 10)
		if err != nil || len(rows) != 1 || !seal.Sealed(rows[0].Sealed) {
			t.Errorf("messages are %+v, %v", rows, err)
		}
		kept, err := metadata.After(tx, "", model.EntityID{}, 10)
		if err != nil || len(kept) != 1 || !seal.Sealed(kept[0].Content) {
			t.Errorf("metadata is %+v, %v", kept, err)
		}
		request, _, err := tx.Request(alice.Account, "r", time.Time{})
		if err != nil || !seal.Sealed(request.Fingerprint) {
			t.Errorf("what tells requests apart is %x, %v", request.Fingerprint, err)
		}
		return nil
	}))
	m, err := c.nodes[0].Message(t.Context(), bob, sent.Message)
	if err != nil || m.Body != "text" {
		t.Errorf("the message reads %+v, %v", m, err)
	}
}

func TestRepeatIsToldFromAnotherRequest(t *testing.T) {
	c := newSealed(t)
	s := c.nodes[0]
	alice, bob := c.pair()
	as := func(body string) func(*SendCommand) {
		return func(s *SendCommand) { s.RequestID, s.Body = "r", body }
	}
	first, err := c.send(s, alice, bob.Account.String(), as("text"))
	c.must(err)
	again, err := c.send(s, alice, bob.Account.String(), as("text"))
	if err != nil || !again.Repeated || again.Message != first.Message {
		t.Errorf("the repeat is %+v, %v", again, err)
	}
	if _, err := c.send(s, alice, bob.Account.String(), as("other")); err == nil ||
		!strings.Contains(err.Error(), "Request-ID") {
		t.Errorf("another request under it: %v", err)
	}
}

func TestKeyOfRequestIDsEndsWithThem(t *testing.T) {
	c := newSealed(t)
	s := c.nodes[0]
	alice, bob := c.pair()
	send := func(id string) {
		t.Helper()
		_, err := c.send(s, alice, bob.Account.String(), func(c *SendCommand) { c.RequestID = id })
		c.must(err)
	}
	has := func(period string) bool {
		return strings.Contains(strings.Join(c.names(), "\n")+"\n", period+"\n")
	}
	send("first")
	if !has("until-2026-11-22") {
		t.Fatalf("keys are %q", c.names())
	}
	c.clock.Advance(24*time.Hour - time.Minute)
	c.must(sweeper(s).KeepHouse(t.Context()))
	send("first") // a repeat, which it still tells
	c.clock.Advance(16 * time.Hour)
	send("second")
	c.must(sweeper(s).KeepHouse(t.Context()))
	if has("until-2026-11-22") || !has("until-2026-11-24") {
		t.Errorf("keys are %q, want that of the second alone", c.names())
	}
}

// A send is on its way while the sweep finds nothing left of its day.
func TestMessageOnItsWayKeepsItsKey(t *testing.T) {
	c := newSealed(t)
	s := c.nodes[0]
	alice, bob := c.pair()
	first, err := c.send(s, alice, bob.Account.String())
	c.must(err)
	row := store.MessageRow{Message: model.Message{ID: newID(), Organization: alice.Memberships[0].Organization,
		Sender:    alice.Account,
		Recipient: model.EntityID(bob.Account), Created: c.clock.Now(), Expires: c.clock.Now().Add(30 * 24 * time.Hour)}}
	c.must(s.vault.Update(t.Context(), func(leases *content.Leases) (err error) {
		row.Sealed, err = s.vault.SealMessage(t.Context(), leases, &row, &model.Content{Body: "on its way"})
		c.must(s.Recall(t.Context(), alice, first.Message))
		c.must(sweepAll(t.Context(), s))
		return err
	}, func(tx *store.Tx) error { return tx.InsertMessage(&row) }))
	for range 2 {
		c.must(sweepAll(t.Context(), s))
		said, err := s.vault.OpenMessage(t.Context(), &row)
		if err != nil || said.Body != "on its way" {
			t.Errorf("it reads %+v, %v", said, err)
		}
	}
	c.must(c.store.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.DeleteMessages(row); err != nil {
			return err
		}
		return sealing.NoteKeyEnding(tx, row.Organization, row.KeyDay())
	}))
	c.must(sweepAll(t.Context(), s))
	if _, err := s.vault.OpenMessage(t.Context(), &row); !errors.Is(err, seal.ErrKeyGone) {
		t.Errorf("after its end: %v, want ErrKeyGone", err)
	}
}

func TestAttachmentSharesItsBytesWithForwardsAndPicturesAreNotSealed(t *testing.T) {
	c := newSealed(t)
	s := c.nodes[0]
	alice, bob := c.pair()
	file := bytes.Repeat([]byte("file "), 50_000)
	upload, err := s.Upload(t.Context(), "a", "text/plain", false, bytes.NewReader(file))
	c.must(err)
	if upload.Size != int64(len(file)) || len(upload.Key) != seal.BlobKeySize {
		t.Errorf("uploaded %+v", upload.Attachment)
	}
	sent, err := c.send(s, alice, bob.Account.String(), func(c *SendCommand) { c.Upload = upload })
	c.must(err)
	forward, err := s.Forward(t.Context(), bob, ForwardCommand{Message: sent.Message, Recipient: alice.Account.String()})
	c.must(err)
	c.must(s.Recall(t.Context(), alice, sent.Message))
	c.must(sweepAll(t.Context(), s))
	a, opened, err := s.Attachment(t.Context(), alice, forward.Message)
	c.must(err)
	defer opened.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(opened); err != nil || !bytes.Equal(got.Bytes(), file) || a.Blob != upload.Blob {
		t.Errorf("the forward has %d bytes of %s, %v", got.Len(), a.Blob, err)
	}
	picture, err := s.UploadAvatar(t.Context(), "p", "image/png", strings.NewReader("picture"))
	c.must(err)
	if picture.Key != nil {
		t.Error("a picture was sealed")
	}
}
