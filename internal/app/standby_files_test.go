package app

import (
	"bytes"
	"net"
	"testing"
	"time"

	"signet/client"
	"signet/internal/offline"
	"signet/internal/standby"
	"signet/internal/succession"
	"signet/internal/testenv"
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
