package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// mustCopy copies the database and the blobs of a stopped server, and nothing else.
func mustCopy(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(to, home.BlobsDirectory),
		os.DirFS(filepath.Join(from, home.BlobsDirectory))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{home.DatabaseFile, home.OperatorFile} {
		mustCopyFile(t, filepath.Join(from, name), filepath.Join(to, name))
	}
}

func mustCopyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func configAt(t *testing.T, dir string) *config.Config {
	t.Helper()
	cfg := settings(t)
	cfg.Data = dir
	return cfg
}

// TestNothingThatPeopleWroteIsInTheFiles sends everything that holds content, and
// looks through every byte of database, log and blobs.
func TestNothingThatPeopleWroteIsInTheFiles(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx := t.Context()
	wantClean := func(when string) {
		t.Helper()
		for canary, path := range canariesInFiles(t, w.app.dir) {
			t.Errorf("%s: %s is in %s", when, canary, path)
		}
	}
	var all []*specimen
	for range 40 {
		all = append(all, w.mustSend(fate(len(all)%int(fates))))
	}
	secret := newCanary()
	kept := map[string]string{newCanary(): secret, "plain": strings.Repeat(newCanary(), 100)}
	if err := w.alice.SetMetadata(ctx, "me", kept); err != nil {
		t.Fatal(err)
	}
	group, err := w.alice.CreateGroup(ctx,
		client.NewGroup{Name: "G", Members: []string{"bob"}, Metadata: client.Metadata{newCanary(): newCanary()}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // what tells repeated requests apart
		if _, err := w.alice.Send(ctx,
			client.Outgoing{Recipient: "bob", Body: secret, RequestID: fmt.Sprint("r", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := w.bob.Forward(ctx, all[0].id, client.Forwarding{Recipient: "carol"}); err != nil {
		t.Fatal(got, err)
	}
	wantClean("while the server runs")
	w.wantEnds(all) // it reads them all
	if got, err := w.bob.Metadata(ctx, w.aliceToken()); err != nil || got["plain"] != kept["plain"] {
		t.Errorf("metadata reads %v, %v", got, err)
	}
	if got, err := w.bob.Metadata(ctx, group.Token); err != nil || len(got) != 1 {
		t.Errorf("a group's metadata reads %v, %v", got, err)
	}
	w.sweep()
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	wantClean("after the server stopped")
	again := w.mustReopen(configAt(t, w.app.dir))
	again.wantEnds(all)
	wantClean("after a restart")
}

// aliceToken is the token of alice's account.
func (w *ward) aliceToken() string {
	w.t.Helper()
	self, err := w.alice.Self(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return self.Token
}

// TestServerDoesNotStartWithoutItsKeys takes each of them away.
func TestServerDoesNotStartWithoutItsKeys(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := mustOpenWard(t)
	id := w.mustSendTo("bob", client.Outgoing{Body: "x"})
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	stranger := mustOpenWard(t)
	if err := stranger.stop(); err != nil {
		t.Fatal(err)
	}
	ring, master := filepath.Join(w.app.dir, home.KeyringFile), filepath.Join(w.app.dir, home.MasterFile)
	for name, change := range map[string]func(dir string){
		"the ring is missing":       func(dir string) { must(t, os.Remove(filepath.Join(dir, home.KeyringFile))) },
		"the master key is missing": func(dir string) { must(t, os.Remove(filepath.Join(dir, home.MasterFile))) },
		"both are missing": func(dir string) {
			must(t, errors.Join(os.Remove(filepath.Join(dir, home.KeyringFile)),
				os.Remove(filepath.Join(dir, home.MasterFile))))
		},
		"the ring is another's": func(dir string) {
			mustCopyFile(t, filepath.Join(stranger.app.dir, home.KeyringFile), filepath.Join(dir, home.KeyringFile))
		},
		"the master key is another's": func(dir string) {
			mustCopyFile(t, filepath.Join(stranger.app.dir, home.MasterFile), filepath.Join(dir, home.MasterFile))
		},
		"both are another's": func(dir string) {
			for _, n := range []string{home.KeyringFile, home.MasterFile} {
				mustCopyFile(t, filepath.Join(stranger.app.dir, n), filepath.Join(dir, n))
			}
		},
	} {
		dir := t.TempDir()
		mustCopy(t, w.app.dir, dir)
		mustCopyFile(t, ring, filepath.Join(dir, home.KeyringFile))
		mustCopyFile(t, master, filepath.Join(dir, home.MasterFile))
		change(dir)
		before, _ := os.ReadDir(dir)
		_, err := Open(t.Context(), configAt(t, dir), quiet())
		if !errors.As(err, new(home.Misconfigured)) || !strings.Contains(err.Error(), "key") {
			t.Errorf("%s: %v, want a Misconfigured that says so", name, err)
		}
		after, _ := os.ReadDir(dir)
		for _, entry := range after { // locks may be new
			if name := entry.Name(); (name == home.KeyringFile || name == home.MasterFile) &&
				!strings.Contains(fmt.Sprint(before), name) {
				t.Errorf("the start made %s", name)
			}
		}
	}
	w = w.mustReopen(configAt(t, w.app.dir))
	w.wantGet(w.bob, &specimen{id: id}, "", http.StatusOK)
	cfg := settings(t)
	cfg.Keyring = "file:" + ring
	if _, err := Open(t.Context(), cfg, quiet()); !errors.As(err, new(home.Misconfigured)) {
		t.Errorf("a second server on the ring: %v, want a Misconfigured", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeysRotateUnderARunningServer rotates while people go on.
func TestKeysRotateUnderARunningServer(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx := t.Context()
	cfg := configAt(t, w.app.dir)
	before := w.mustSendTo("bob", client.Outgoing{Body: "before"})
	var sent []string
	for i := range 3 {
		told, err := offline.RotateKeys(ctx, cfg, false)
		if err != nil || !strings.Contains(told, "wrapped by version") {
			t.Fatalf("rotation: %q, %v", told, err)
		}
		// On days that have keys already, and on others.
		sent = append(sent, w.mustSendTo("bob", client.Outgoing{Body: "x"}),
			w.mustSendTo("bob", client.Outgoing{Body: "x", TTL: (i + 2) * 24 * 60}))
	}
	sent = append(sent, before)
	if n, err := offline.ExportKeys(ctx, cfg, filepath.Join(t.TempDir(), "copy")); err != nil || n < 4 {
		t.Errorf("copied %d keys, %v", n, err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w = w.mustReopen(cfg)
	for _, id := range sent {
		w.wantGet(w.bob, &specimen{id: id}, "", http.StatusOK)
	}
	for what, do := range map[string]func(*config.Config) error{
		"rotate":  func(c *config.Config) error { _, err := offline.RotateKeys(ctx, c, false); return err },
		"prepare": func(c *config.Config) error { _, err := offline.RotateKeys(ctx, c, true); return err },
		"export": func(c *config.Config) error {
			_, err := offline.ExportKeys(ctx, c, filepath.Join(t.TempDir(), "copy"))
			return err
		},
	} {
		empty := settings(t)
		must(t, os.MkdirAll(empty.Data, 0o700))
		if err := do(empty); !errors.As(err, new(home.Misconfigured)) {
			t.Errorf("%s where there are no keys: %v, want a Misconfigured", what, err)
		}
		if left, _ := filepath.Glob(filepath.Join(empty.Data, "*.json")); len(left) > 0 {
			t.Errorf("%s made %q", what, left)
		}
	}
}

// TestServersShareAKeyRingInADatabase is one on a ring in PostgreSQL, and one that
// comes with a ring of its own.
func TestServersShareAKeyRingInADatabase(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	cfg.Keyring, cfg.Database = postgrestest.URL(t), postgrestest.URL(t)
	first := mustOpenWardAt(t, cfg, false)
	id := first.mustSendTo("bob",
		client.Outgoing{Body: "x", Attachment: &client.Upload{Name: "a", Content: strings.NewReader("bytes")}})
	second := *cfg
	second.Data = filepath.Join(t.TempDir(), "data")
	alone := second
	alone.Keyring = ""
	for name, c := range map[string]*config.Config{"without the master key": &second, "with a ring of its own": &alone} {
		if _, err := Open(t.Context(), c, quiet()); !errors.As(err, new(home.Misconfigured)) {
			t.Errorf("a second server %s: %v, want a Misconfigured", name, err)
		}
	}
	second.MasterKey = "file:" + filepath.Join(cfg.Data, home.MasterFile)
	other := first.mustReopen(&second)
	other.wantGet(other.bob, &specimen{id: id}, "", http.StatusOK)
	back := other.mustSendTo("bob", client.Outgoing{Body: "from there", TTL: 20 * 24 * 60})
	first.wantGet(first.bob, &specimen{id: back}, "", http.StatusOK)
	if _, err := os.Stat(filepath.Join(cfg.Data, home.KeyringFile)); err == nil {
		t.Error("a ring was made in the data directory too")
	}
	v, err := offline.VerifyKeys(context.WithoutCancel(t.Context()), cfg, true, func(line string) { t.Error(line) })
	if err != nil || v.Messages != 2 || v.Attachments != 1 {
		t.Errorf("verify says %+v, %v", v, err)
	}
}
