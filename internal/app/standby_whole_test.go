package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/testenv"
)

// wantSound wants all that is kept at these settings to be as a server wrote it.
func wantSound(t *testing.T, cfg *config.Config) {
	t.Helper()
	var lines []string
	s, err := offline.VerifyAll(t.Context(), cfg, true, func(line string) { lines = append(lines, line) })
	if err != nil || s.Faults() > 0 || s.Pages == 0 || s.Rows == 0 || s.Entries == 0 {
		t.Errorf("%+v, error %v: %q", s, err, lines)
	}
}

// Files that were sent, and what they are sealed with, are at the other server: where the key ring is copied,
// and where both have the same.
func TestPromotedStandbyOpensWhatTheOtherSealed(t *testing.T) {
	testenv.Long(t)
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared key ring %v", shared), func(t *testing.T) {
			first := pairSettings(t)
			if shared {
				sharedKeys(t, first)
			}
			w := mustOpenWardAt(t, first, false)
			w.sweep()
			cfg := standbySettings(t, w.app)
			cfg.Keyring, cfg.MasterKey = first.Keyring, first.MasterKey
			s, stop := mustFollow(t, cfg)
			file := bytes.Repeat([]byte("scan"), 50_000)
			send := func(text string) string {
				sent, err := w.alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: text,
					Attachment: &client.Upload{Name: "scan", Content: bytes.NewReader(file)}})
				if err != nil {
					t.Fatal(err)
				}
				return sent.MessageID
			}
			gone := send("recalled")
			before := w.began.Add(time.Duration(w.passed.Load()))
			w.passed.Add(int64(time.Second))
			awaitCopyOf(t, s, before)
			if err := w.alice.Recall(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			kept := send("kept")
			if p, _, err := offline.Promote(t.Context(), cfg, false); err != nil || !p.All || p.Lacks != 0 {
				t.Fatalf("%+v, error %v", p, err)
			}
			stop()
			_ = w.stop() // that it was fenced
			wantSound(t, cfg)
			b := w.mustReopen(cfg)
			if status, got := b.get(b.bob, "/message/"+kept+"/attachment/1"); status != 200 || !bytes.Equal(got, file) {
				t.Errorf("the file answers %d with %d bytes", status, len(got))
			}
			if status, _ := b.get(b.bob, "/message/"+gone+"/attachment/1"); status != 404 {
				t.Errorf("the file of a message that was recalled answers %d", status)
			}
		})
	}
}

// mustSetStage writes how far a directory is on its way, as an interrupted command leaves it.
func mustSetStage(t *testing.T, dir, stage string, term int) {
	t.Helper()
	path := filepath.Join(dir, "standby.json")
	note := mustReadJSON(t, path)
	note["stage"], note["term"] = stage, term
	text, err := json.Marshal(note)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, path, string(text), 0o600)
}

// A promotion that is interrupted anywhere is finished by the next start, in the same term.
func TestInterruptedPromotionIsFinished(t *testing.T) {
	a, err := Open(t.Context(), pairSettings(t), quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, stop := mustFollow(t, cfg)
	mustOrganization(t, a, "General Hospital")
	awaitCopy(t, s)
	stop()
	if err := stopFirst(); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(cfg.Data, "standby.db")
	for name, interrupt := range map[string]func(dir string){
		"before the copy was renamed": func(string) {},
		"before its logs were removed": func(dir string) {
			if err := os.Rename(filepath.Join(dir, "standby.db"), home.Database(dir)); err != nil {
				t.Fatal(err)
			}
		},
		"before it was noted that the term has begun": func(dir string) {
			again := *cfg
			again.Data = dir
			wantTerm(t, &again, 1)
			mustSetStage(t, dir, "promoting", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			again := *cfg
			again.Data = filepath.Join(t.TempDir(), "data")
			if err := os.CopyFS(again.Data, os.DirFS(cfg.Data)); err != nil {
				t.Fatal(err)
			}
			mustSetStage(t, again.Data, "promoting", 1)
			interrupt(again.Data)
			wantTerm(t, &again, 1)
			wantSound(t, &again)
			if left, err := filepath.Glob(filepath.Join(again.Data, "standby.db*")); err != nil || len(left) > 0 {
				t.Errorf("there is still %q, error %v", left, err)
			}
		})
	}
	if !home.Exists(copied) {
		t.Error("the copy that all began with is gone")
	}
}

// wantTerm starts a server, which is to have what its standby had, in a term, and stops it.
func wantTerm(t *testing.T, cfg *config.Config, term uint64) {
	t.Helper()
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stop := mustRun(t, a)
	self, err := a.system.self(t.Context())
	if err != nil || self.Term != term || !hasOrganization(t, a, "General Hospital") {
		t.Errorf("the server is %+v, error %v; or the organization is missing", self, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A demotion that is interrupted is finished by the next start, and by the next command.
func TestInterruptedDemotionIsFinished(t *testing.T) {
	first := pairSettings(t)
	a, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, stop := mustFollow(t, cfg)
	awaitCopy(t, s)
	if _, _, err := offline.Promote(t.Context(), cfg, false); err != nil {
		t.Fatal(err)
	}
	stop()
	_ = stopFirst() // that it was fenced
	b, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, b)
	mustOrganization(t, b, "General Hospital")
	database, err := os.ReadFile(home.Database(first.Data))
	if err != nil {
		t.Fatal(err)
	}
	if err := offline.Demote(first, false); err != nil {
		t.Fatal(err)
	}
	// The database has its old name yet, and it is noted that another server took over.
	if err := os.Remove(filepath.Join(first.Data, "standby.db.part")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, home.Database(first.Data), string(database), 0o600)
	mustWrite(t, filepath.Join(first.Data, "fenced.json"), `{"term": 1, "by": "a test"}`, 0o600)
	if err := offline.Demote(first, false); err != nil {
		t.Fatal(err)
	}
	first.StandbyOf = "http://" + b.StandbyAddr().String()
	again, stopAgain, promoted := mustFollowToEnd(t, first)
	awaitCopy(t, again)
	if stopAgain(); promoted() {
		t.Error("it was promoted")
	}
	wantSound(t, first)
}

// A standby that does not have what the server has is not promoted in the place of one that serves.
func TestServerThatServesIsLeftAloneByAStandbyThatIsBehind(t *testing.T) {
	a, err := Open(t.Context(), pairSettings(t), quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, err := OpenStandby(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.follower.Run(ctx) }() // it follows, and answers no requests
	awaitCopy(t, s)
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := s.promote(t.Context(), func() {}); err == nil || !strings.Contains(err.Error(), "serves") {
		t.Errorf("a standby that does not follow is promoted beside a server that serves: %v", err)
	}
	mustOrganization(t, a, "General Hospital")
	if err := stopFirst(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
