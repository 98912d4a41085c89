package app

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// An older key ring in the place of the newest is told, with what it does not open, until
// a newer copy brings the keys back; those that were destroyed since stay so.
func TestOlderKeyRingIsToldAndANewerCopyIsTakenOver(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, prepare := range map[string]func(*config.Config){
		"embedded": func(*config.Config) {},
		"shared":   func(cfg *config.Config) { cfg.Database, cfg.Keyring = postgrestest.URL(t), postgrestest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			cfg := settings(t)
			prepare(cfg)
			shared := cfg.Keyring != ""
			w := mustOpenWardAt(t, cfg, false)
			w.sweep()
			const day = 24 * time.Hour
			ended := w.mustSendTo("bob", client.Outgoing{Body: "ended", TTL: 5 * 24 * 60})
			before := filepath.Join(t.TempDir(), "before")
			_, err := offline.ExportKeys(ctx, cfg, before)
			must(t, err)
			lost := w.mustSendTo("bob", client.Outgoing{Body: "lost", TTL: 20 * 24 * 60})
			must(t, w.alice.Recall(ctx, ended))
			if !shared { // there it takes ten minutes
				wantIn(t, "the key of what was recalled is destroyed", func() bool { return !w.hasKey(5 * day) })
			}
			after := filepath.Join(t.TempDir(), "after")
			_, err = offline.ExportKeys(ctx, cfg, after)
			must(t, err)
			must(t, w.stop())

			// The ring is lost, and the older copy put in its place.
			if shared {
				cfg.Keyring = postgrestest.URL(t)
				_, err = offline.ExportKeys(ctx,
					&config.Config{Data: t.TempDir(), Keyring: "file:" + before,
						MasterKey: "file:" + filepath.Join(cfg.Data, home.MasterFile)}, cfg.Keyring)
				must(t, err)
			} else {
				mustCopyFile(t, before, filepath.Join(cfg.Data, home.KeyringFile))
			}
			w = w.mustReopen(cfg)
			w.sweep()
			const says = "1 keys are missing, and 1 messages and 0 metadata cannot be read"
			wantIn(t, "the warning", func() bool { return strings.Contains(w.readyz(), says) })
			w.wantGet(w.bob, &specimen{id: lost}, "", http.StatusNotFound)
			if !shared {
				wantIn(t, "the key of what was recalled is destroyed again", func() bool { return !w.hasKey(5 * day) })
			}
			must(t, w.stop())
			w = w.mustReopen(cfg) // the warning is there after every start
			w.sweep()
			wantIn(t, "the warning", func() bool { return strings.Contains(w.readyz(), says) })
			w.mustSendTo("bob", client.Outgoing{Body: "meanwhile", TTL: 20 * 24 * 60})

			for _, want := range []int{1, 0} {
				done, err := offline.ImportKeys(ctx, cfg, after, "")
				if err != nil || done.Added != want {
					t.Fatalf("imported %+v, %v; want %d keys", done, err, want)
				}
			}
			wantIn(t, "the warning is over", func() bool { return !strings.Contains(w.readyz(), "missing") })
			for _, id := range []string{lost, w.mustSendTo("bob", client.Outgoing{Body: "lost", TTL: 20 * 24 * 60})} {
				if m, err := w.bob.Message(ctx, id); err != nil || m.Body != "lost" {
					t.Errorf("the message reads %+v, %v", m, err)
				}
			}
			done, err := offline.ImportKeys(ctx, cfg, before, "")
			if err != nil || done.Added != 0 || !shared && done.Ended != 1 {
				t.Errorf("imported %+v, %v from before; want nothing, and that a key was destroyed", done, err)
			}
			must(t, w.stop())
			w = w.mustReopen(cfg)
			if text := w.readyz(); strings.Contains(text, "missing") {
				t.Errorf("after a start /readyz says %q", text)
			}
		})
	}
}

// A trial destroys keys in a ring of its own, for its store knows nothing of what came after the backup. What it
// has destroyed is taken over neither from the ring, nor in the place of keys that a better copy has.
func TestKeysThatATrialHasDestroyedStayWithTheStoreThatNeedsThem(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg := settings(t)
	w := mustOpenWardAt(t, cfg, false)
	dir := t.TempDir()
	before, after, trial := filepath.Join(dir, "before"), filepath.Join(dir, "after"), filepath.Join(dir, "trial")
	mustExport := func(to string) {
		t.Helper()
		_, err := offline.ExportKeys(ctx, cfg, to)
		must(t, err)
	}
	mustExport(before)
	message := w.mustSendTo("bob", client.Outgoing{Body: "kept", TTL: 20 * 24 * 60})
	mustExport(after)
	mustExport(trial)
	must(t, w.stop())
	mustDestroyAsATrial(t, trial)

	mustCopyFile(t, before, filepath.Join(cfg.Data, home.KeyringFile))
	for _, from := range []struct {
		copied string
		added  int
	}{{trial, 1}, {after, 1}, {trial, 0}} { // the first is that of Request-IDs, which the trial has kept
		done, err := offline.ImportKeys(ctx, cfg, from.copied, "")
		if err != nil || done.Added != from.added {
			t.Errorf("from %s: imported %+v, %v; want %d keys", from.copied, done, err, from.added)
		}
	}
	w = w.mustReopen(cfg)
	if m, err := w.bob.Message(ctx, message); err != nil || m.Body != "kept" {
		t.Errorf("the message reads %+v, %v", m, err)
	}
}

// mustDestroyAsATrial destroys the keys of messages in a copy of a ring, which is that of a restored store then.
func mustDestroyAsATrial(t *testing.T, path string) {
	t.Helper()
	ring := seal.OpenFileBeside(path)
	contents, _, err := ring.Load(t.Context(), true)
	must(t, err)
	var ids []seal.KeyID
	for _, record := range contents.Records {
		if record.Name.Scope != "" {
			ids = append(ids, record.ID)
		}
	}
	must(t, errors.Join(
		ring.SetOwner(t.Context(), func(m model.Mark) (model.Mark, error) {
			m.Epoch = store.NewEpoch()
			return m, nil
		}),
		ring.Destroy(t.Context(), ids, time.Now())))
}
