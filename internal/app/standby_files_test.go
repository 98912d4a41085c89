package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/seal"
	"signet/internal/standby"
	"signet/internal/succession"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

// mustSendFile sends a message with a file, and returns its ID.
func (w *ward) mustSendFile(content []byte) string {
	w.t.Helper()
	sent, err := w.alice.Send(w.t.Context(), client.Outgoing{Recipient: "bob", Body: "a scan",
		Attachment: &client.Upload{Name: "scan", Content: bytes.NewReader(content)}})
	if err != nil {
		w.t.Fatal(err)
	}
	return sent.MessageID
}

// A server that gave way answers nobody any more, but its standby, until that one has all: it may have to connect
// for it, and to fetch several files.
func TestServerThatGaveWayGivesWhatItConfirmedLast(t *testing.T) {
	first := pairSettings(t)
	w := mustOpenWardAt(t, first, false)
	w.sweep()
	cfg := standbySettings(t, w.app)
	link := testenv.NewLink(t, w.app.StandbyAddr().String())
	cfg.StandbyOf = "http://" + link.Addr()
	s, stop := mustFollow(t, cfg)
	before := w.began.Add(time.Duration(w.passed.Load()))
	w.pass(time.Second)
	awaitCopyOf(t, s, before)
	link.Cut()
	link.Break()
	content := bytes.Repeat([]byte("scan"), 50_000)
	sent := []string{w.mustSendFile(content), w.mustSendFile(content)}
	peer, err := succession.PeerAt(cfg, "http://"+w.app.StandbyAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = peer.Fence(t.Context(), standby.Claim{Installation: s.follower.Status().Position.Installation, Term: 1})
	if peer.Close(); err != nil {
		t.Fatal(err)
	}
	awaitStatus(t, s, "the server takes no clients any more", func(standby.Status) bool {
		c, err := net.Dial("tcp", w.app.Addr().String())
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	link.Mend()
	awaitStatus(t, s, "it has everything", func(f standby.Status) bool { return f.Final })
	_ = w.stop() // that it was fenced
	stop()
	if p, _, err := offline.Promote(t.Context(), cfg, false); err != nil || p.Lacks != 0 {
		t.Fatalf("%+v, error %v", p, err)
	}
	b := w.mustReopen(cfg)
	for _, id := range sent {
		if status, got := b.get(b.bob, "/message/"+id+"/attachment/1"); status != 200 || !bytes.Equal(got, content) {
			t.Errorf("a file that was sent last answers %d with %d bytes", status, len(got))
		}
	}
}

// What a standby lacks of the files it would never get from a server that gave way.
func TestServerThatServesIsLeftAloneByAStandbyThatLacksFiles(t *testing.T) {
	for why, hide := range map[string]func(place, file string) error{
		"the file cannot be read": func(_, file string) error {
			return errors.Join(os.Remove(file), os.Symlink(file, file))
		},
		"the volume is not mounted": func(place, _ string) error {
			return errors.Join(os.Rename(place, place+".volume"), os.Mkdir(place, 0o700))
		},
	} {
		t.Run(why, func(t *testing.T) { testServerIsLeftAlone(t, hide) })
	}
}

func testServerIsLeftAlone(t *testing.T, hide func(place, file string) error) {
	first := pairSettings(t)
	w := mustOpenWardAt(t, first, false)
	w.sweep()
	w.mustSendFile([]byte("scan"))
	place := filepath.Join(first.Data, home.BlobsDirectory)
	files, err := filepath.Glob(filepath.Join(place, "*", "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the file is at %q, error %v", files, err)
	}
	if err := hide(place, files[0]); err != nil {
		t.Fatal(err)
	}
	var log testlog.Log
	s, err := OpenStandby(t.Context(), standbySettings(t, w.app), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.follower.Run(ctx) }() // it follows, and answers no requests
	awaitStatus(t, s, "it follows without the file", func(f standby.Status) bool {
		return f.Connected && f.Missing == 1 && log.Count("files were not copied") > 0
	})
	if _, err := s.promote(t.Context(), func() {}); err == nil || !strings.Contains(err.Error(), "serves") {
		t.Errorf("a standby that lacks a file is promoted beside a server that serves: %v", err)
	}
	if _, err := w.alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: "still there"}); err != nil {
		t.Errorf("the server has given way: %v", err)
	}
	cancel()
	if err := errors.Join(<-done, s.Close()); err != nil {
		t.Error(err)
	}
}

// A server that was demoted has a copy of the key ring of before: keys that are destroyed at the other one are
// not to stay in it.
func TestStandbyKeepsTheCopyOfItsKeyRingUpToDate(t *testing.T) {
	first := pairSettings(t)
	w := mustOpenWardAt(t, first, false)
	w.sweep()
	cfg := standbySettings(t, w.app)
	ring, path := filepath.Join(first.Data, "keyring"), filepath.Join(t.TempDir(), "keyring.copy")
	old, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, path, string(old), 0o600)
	cfg.KeyringCopy = "file:" + path
	w.pass(48 * time.Hour)
	w.mustSendFile([]byte("sealed with a key of another day"))
	s, stop := mustFollow(t, cfg)
	before := w.began.Add(time.Duration(w.passed.Load()))
	w.pass(time.Second)
	awaitCopyOf(t, s, before)
	stop()
	_ = w.stop()
	load := func(path string) *seal.Contents {
		t.Helper()
		contents, _, err := seal.OpenFileToLook(path).Load(t.Context(), true)
		if err != nil || contents == nil {
			t.Fatalf("%s holds %v, error %v", path, contents, err)
		}
		return contents
	}
	has := func(c *seal.Contents) map[seal.KeyID]bool {
		ids := map[seal.KeyID]bool{}
		for _, r := range c.Records {
			ids[r.ID] = true
		}
		return ids
	}
	got, want := has(load(path)), has(load(filepath.Join(cfg.Data, "keyring")))
	if !maps.Equal(got, want) {
		t.Errorf("the copy has %d keys, and the ring %d, or others", len(got), len(want))
	}
	if now, err := os.ReadFile(path); err != nil || bytes.Equal(now, old) {
		t.Errorf("the copy is what it was, error %v", err)
	}
}
