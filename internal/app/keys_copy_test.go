package app

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/seal"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// keysAt are the keys of a ring.
func keysAt(t *testing.T, where, dir string) map[seal.KeyID]bool {
	t.Helper()
	storage, err := home.Keyring(t.Context(), where, dir, false)
	must(t, err)
	defer storage.Close()
	contents, _, err := storage.Load(t.Context(), true)
	must(t, err)
	out := map[seal.KeyID]bool{}
	if contents != nil {
		for _, r := range contents.Records {
			out[r.ID] = true
		}
	}
	return out
}

// The copy has each key before anything is sealed with it, and loses what is destroyed; a
// copy that is away stops nobody, and catches up; after the loss of the ring it is one.
func TestCopyOfTheKeyRingTakesItsPlace(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, prepare := range map[string]func(*config.Config){
		"embedded, in a file": func(*config.Config) {},
		"shared, in a file": func(cfg *config.Config) {
			cfg.Database, cfg.Keyring = postgrestest.URL(t),
				postgrestest.URL(t)
		},
		"shared, in a database": func(cfg *config.Config) {
			cfg.Database, cfg.Keyring, cfg.KeyringCopy = postgrestest.URL(t), postgrestest.URL(t), postgrestest.URL(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			cfg := settings(t)
			prepare(cfg)
			dir := filepath.Join(t.TempDir(), "copy")
			inFile := cfg.KeyringCopy == ""
			if inFile {
				must(t, os.Mkdir(dir, 0o700))
				cfg.KeyringCopy = "file:" + filepath.Join(dir, "keyring")
			}
			w := mustOpenWardAt(t, cfg, false)
			w.sweep()
			wantEqual := func(when string) {
				t.Helper()
				// A task of the server may be making a key at this moment.
				wantIn(t, when+", the copy is what the ring is", func() bool {
					ring := keysAt(t, cfg.Keyring, cfg.Data)
					return len(ring) > 0 && maps.Equal(ring, keysAt(t, cfg.KeyringCopy, ""))
				})
			}
			wantIn(t, "the copy has been compared", func() bool { return !strings.Contains(w.readyz(), "keyring.copy") })
			gone := w.mustSendTo("bob", client.Outgoing{Body: "b", TTL: 5 * 24 * 60})
			wantEqual("after a message")
			kept := w.mustSendTo("bob", client.Outgoing{Body: "kept", TTL: 20 * 24 * 60})
			wantEqual("after a message of another day")
			if cfg.Database == "" { // elsewhere it takes ten minutes
				before := keysAt(t, cfg.Keyring, cfg.Data)
				must(t, w.alice.Recall(ctx, gone))
				wantIn(t, "the key is destroyed in the copy", func() bool {
					left := keysAt(t, cfg.KeyringCopy, "")
					destroyed := 0
					for id := range before {
						if _, there := left[id]; !there {
							destroyed++
						}
					}
					return destroyed == 1
				})
			}
			if inFile {
				must(t, os.Rename(dir, dir+".away"))
				w.mustSendTo("bob", client.Outgoing{Body: "goes on", TTL: 9 * 24 * 60})
				wantIn(t, "the warning", func() bool { return strings.Contains(w.readyz(), "keyring.copy") })
				must(t, os.Rename(dir+".away", dir))
				wantIn(t, "the copy has caught up", func() bool { return !strings.Contains(w.readyz(), "keyring.copy") })
				wantEqual("after it was away")
			}
			must(t, w.stop())
			wantEqual("after the stop")

			// The ring is lost.
			from := &config.Config{Data: cfg.Data, Keyring: cfg.KeyringCopy,
				MasterKey: "file:" + filepath.Join(cfg.Data, home.MasterFile), Database: cfg.Database}
			if cfg.Database == "" {
				must(t, os.Remove(filepath.Join(cfg.Data, home.KeyringFile)))
				_, err := offline.ExportKeys(ctx, from, filepath.Join(cfg.Data, home.KeyringFile))
				must(t, err)
			} else {
				cfg.Keyring = postgrestest.URL(t)
				_, err := offline.ExportKeys(ctx, from, cfg.Keyring)
				must(t, err)
			}
			w = w.mustReopen(cfg)
			if m, err := w.bob.Message(ctx, kept); err != nil || m.Body != "kept" {
				t.Errorf("the message reads %+v, %v", m, err)
			}
			if text := w.readyz(); strings.Contains(text, "missing") {
				t.Errorf("/readyz says %q", text)
			}
			must(t, w.stop())

			// Another installation does not get the copy.
			other := settings(t)
			other.KeyringCopy = cfg.KeyringCopy
			if err := mustNotOpen(t, other); err == nil || !strings.Contains(err.Error(), "holds another key ring") {
				t.Errorf("another installation on the copy: %v", err)
			}
		})
	}
}
