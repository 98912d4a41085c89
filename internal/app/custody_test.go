package app

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/store/presence"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// mustSucceed begins a new epoch of a store, and makes the key ring and the attachments
// that its settings name its own.
func mustSucceed(t *testing.T, cfg *config.Config) {
	t.Helper()
	mustBeginEpoch(t, cfg)
	mustAdopt(t, cfg)
}

func mustBeginEpoch(t *testing.T, cfg *config.Config) {
	t.Helper()
	mustForgetNodes(t, cfg)
	must(t, offline.NewEpoch(t.Context(), cfg))
}

// mustForgetNodes ends the leases of servers: a copy has those of its original, and a ward
// whose tasks never began does not end its own.
func mustForgetNodes(t *testing.T, cfg *config.Config) {
	t.Helper()
	must(t, offline.Change(t.Context(), cfg.Data, cfg.Database, func(kept *store.Store) error {
		return kept.Update(t.Context(), func(tx *store.Tx) error {
			return presence.DeleteNodesBefore(tx, time.Now().Add(time.Hour))
		})
	}))
}

func mustAdopt(t *testing.T, cfg *config.Config) {
	t.Helper()
	mustForgetNodes(t, cfg)
	did, err := offline.Adopt(t.Context(), cfg, nil)
	var epochs []string
	for _, from := range did.From {
		epochs = append(epochs, from.Mark.Epoch)
	}
	if did.Done || len(epochs) == 0 || !errors.As(err, new(home.Misconfigured)) {
		t.Fatalf("adopted %+v without being told from whom, %v", did, err)
	}
	if did, err = offline.Adopt(t.Context(), cfg, epochs); err != nil || !did.Done {
		t.Fatal(did, err)
	}
}

// wantRefused says that an error tells of another owner, by its epoch, and what to do.
func wantRefused(t *testing.T, what string, err error, says ...string) {
	t.Helper()
	if !errors.As(err, new(home.Misconfigured)) {
		t.Errorf("%s: %v, want it refused", what, err)
		return
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error does not say %q: %v", what, text, err)
		}
	}
}

// production is an installation, and how a trial of a backup of it is made.
type production struct {
	cfg   *config.Config
	trial func() *config.Config // a store that was restored, with nothing else; of a new epoch
	copy  func() *config.Config // a copy that is as it was
	files func() []string       // the attachments
}

func productions(t *testing.T) map[string]*production {
	embedded := &production{cfg: settings(t)}
	embedded.trial = func() *config.Config {
		trial, backup := configAt(t, filepath.Join(t.TempDir(), "trial")), filepath.Join(t.TempDir(), "backup")
		_, err := offline.Backup(t.Context(), embedded.cfg, true, transfer.BackupOptions{Target: backup})
		must(t, err)
		_, err = offline.Restore(t.Context(), trial, true, transfer.RestoreOptions{Source: backup})
		must(t, err)
		return trial
	}
	embedded.copy = func() *config.Config {
		trial := configAt(t, t.TempDir())
		mustCopy(t, embedded.cfg.Data, trial.Data)
		return trial
	}
	embedded.files = func() (out []string) {
		must(t, filepath.WalkDir(filepath.Join(embedded.cfg.Data, home.BlobsDirectory),
			func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() && !slices.Contains([]string{"owner.json", blob.MarkName}, entry.Name()) {
					out = append(out, path)
				}
				return err
			}))
		return out
	}
	shared, bucket := &production{cfg: settings(t)}, s3test.Shared(t).Bucket(t)
	shared.cfg.Database, shared.cfg.Keyring, shared.cfg.Blobs = postgrestest.URL(t), postgrestest.URL(t), bucket.Location()
	shared.copy = func() *config.Config {
		trial := configAt(t, filepath.Join(t.TempDir(), "trial"))
		trial.Database = postgrestest.Copy(t, shared.cfg.Database)
		return trial
	}
	shared.trial = func() *config.Config {
		trial := shared.copy()
		mustBeginEpoch(t, trial)
		return trial
	}
	shared.files = func() []string {
		return slices.DeleteFunc(bucket.Contents(t), func(name string) bool { return strings.HasSuffix(name, "owner.json") })
	}
	return map[string]*production{"embedded": embedded, "shared": shared}
}

// of names production's key ring and master key in the settings of a trial.
func (p *production) keys(trial *config.Config) {
	trial.Keyring, trial.MasterKey = p.cfg.Keyring, "file:"+filepath.Join(p.cfg.Data, home.MasterFile)
	if trial.Keyring == "" {
		trial.Keyring = "file:" + filepath.Join(p.cfg.Data, home.KeyringFile)
	}
}

func mustNotOpen(t *testing.T, cfg *config.Config) error {
	t.Helper()
	a, err := Open(t.Context(), cfg, quiet())
	if err == nil {
		_ = a.Close()
		t.Error("the server started")
	}
	return err
}

// A trial restore that names what is production's is refused, whatever it names.
func TestTrialRestoreCannotTouchProduction(t *testing.T) {
	t.Parallel()
	for name, p := range productions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			w := mustOpenWardAt(t, p.cfg, false)
			file := client.Outgoing{Body: "b", TTL: 7 * 24 * 60,
				Attachment: &client.Upload{Name: "a", Content: strings.NewReader("attachment")}}
			id := w.mustSendTo("bob", file)
			must(t, w.stop())
			trial := p.trial()
			w = w.mustReopen(p.cfg)
			file.Attachment.Content = strings.NewReader("attachment of later")
			w.mustSendTo("bob", file)
			must(t, w.stop())
			before := p.files()
			if len(before) != 2 {
				t.Fatalf("production has the files %v", before)
			}

			// Its key ring, with files of the trial's own.
			p.keys(trial)
			epochs := []string{mustEpoch(t, p.cfg), mustEpoch(t, trial), "signet adopt"}
			wantRefused(t, "production's key ring", mustNotOpen(t, trial), append(epochs, "key ring")...)
			_, err := offline.RotateKeys(ctx, trial, false)
			wantRefused(t, "rotating production's key ring", err, epochs...)

			// Its files, with a key ring of the trial's own.
			own := filepath.Join(trial.Data, home.KeyringFile)
			_, err = offline.ExportKeys(ctx, p.cfg, own)
			must(t, err)
			trial.Keyring = "file:" + own
			wantRefused(t, "a copy that is not the trial's yet", mustNotOpen(t, trial), epochs...)
			mustAdopt(t, trial)
			trial.Blobs = home.Blobs(p.cfg.Data, p.cfg.Blobs)
			wantRefused(t, "production's files", mustNotOpen(t, trial), append(epochs, "attachments")...)
			if p.cfg.Database == "" {
				_, err = offline.Restore(ctx, &config.Config{Data: filepath.Join(t.TempDir(), "again"), Blobs: trial.Blobs}, true,
					transfer.RestoreOptions{Source: "nowhere"})
				wantRefused(t, "a restore among production's files", err, epochs[0], "--without-blobs")
				m := offline.Migration{From: trial.Data, To: postgrestest.URL(t), ToBlobs: trial.Blobs}
				_, err = offline.Migrate(ctx, m)
				wantRefused(t, "a move among production's files", err, epochs...)
			}

			// The copy of the key ring that production keeps.
			safe := filepath.Join(t.TempDir(), "safe")
			_, err = offline.ExportKeys(ctx, p.cfg, safe)
			must(t, err)
			_, err = offline.ExportKeys(ctx, trial, safe)
			wantRefused(t, "production's copy of its key ring", err, epochs[:2]...)

			if got := p.files(); !slices.Equal(got, before) {
				t.Errorf("production has the files %v, want %v", got, before)
			}
			w = w.mustReopen(p.cfg)
			w.wantFile(w.bob, id, []byte("attachment"))
			must(t, w.stop())

			// On purpose: from then on production is the one that is refused.
			p.keys(trial)
			mustAdopt(t, trial)
			must(t, w.mustReopen(trial).stop())
			wantRefused(t, "production, after it was taken over", mustNotOpen(t, p.cfg), epochs...)
		})
	}
}

// A copy of the store that is still of production's epoch is told from it by the turn.
func TestCopyOfTheStoreIsToldFromProduction(t *testing.T) {
	t.Parallel()
	for name, p := range productions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := mustOpenWardAt(t, p.cfg, false)
			must(t, w.stop())
			trial := p.copy()
			w = w.mustReopen(p.cfg)
			must(t, w.stop())
			p.keys(trial)
			const says = "another copy of this store"
			wantRefused(t, "production's key ring", mustNotOpen(t, trial), says, "turn 2-", "turn 1-", "--new-epoch")
			mustForgetNodes(t, trial)
			_, err := offline.Adopt(t.Context(), trial, []string{mustEpoch(t, trial)})
			wantRefused(t, "adopting before there is a new epoch", err, says)
			trial.Keyring = "file:" + filepath.Join(trial.Data, home.KeyringFile)
			_, err = offline.ExportKeys(t.Context(), p.cfg, filepath.Join(trial.Data, home.KeyringFile))
			must(t, err)
			trial.Blobs = home.Blobs(p.cfg.Data, p.cfg.Blobs)
			wantRefused(t, "production's files", mustNotOpen(t, trial), says)
			must(t, w.mustReopen(p.cfg).stop())
		})
	}
}

// A copy that starts before production takes its next turn has taken the key ring over:
// production then destroys no key, keeps and erases no file, and says so.
func TestProductionThatACopyOvertookDestroysNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	p := productions(t)["shared"]
	w := mustOpenWardAt(t, p.cfg, false)
	id := w.mustSendTo("bob",
		client.Outgoing{Body: "b", TTL: 7 * 24 * 60,
			Attachment: &client.Upload{Name: "a", Content: strings.NewReader("attachment")}})
	must(t, w.stop())
	trial := p.copy()
	p.keys(trial)
	trial.Blobs = p.cfg.Blobs
	// A server with the copy starts and stops, while production's last turn is the same.
	other := &ward{t: t, passed: w.passed, began: w.began}
	other.mustStart(trial, false)
	must(t, other.stop())
	wantRefused(t, "production, at a start", mustNotOpen(t, p.cfg), "another copy of this store")
	mustSucceed(t, p.cfg)

	// And while production runs.
	w = w.mustReopen(p.cfg)
	running := p.copy()
	p.keys(running)
	running.Blobs = p.cfg.Blobs
	other = &ward{t: t, passed: w.passed, began: w.began}
	other.mustStart(running, false)
	must(t, other.stop())
	before := p.files()
	w.sweep()
	must(t, w.alice.Recall(t.Context(), id))
	wantIn(t, "the warning about the attachments",
		func() bool { return strings.Contains(w.readyz(), "place of the attachments") })
	w.pass(11 * time.Minute)
	wantIn(t, "the warning about the key ring",
		func() bool { return strings.Contains(w.readyz(), "taken over the key ring") })
	if got := p.files(); !slices.Equal(got, before) {
		t.Errorf("there are the files %v, want %v", got, before)
	}
	if _, err := w.alice.Send(t.Context(),
		client.Outgoing{Recipient: "bob",
			Attachment: &client.Upload{Name: "a", Content: strings.NewReader("x")}}); !errors.Is(err,
		&client.Error{Status: http.StatusServiceUnavailable}) {
		t.Errorf("sending a file answered %v, want 503", err)
	}
	w.mustSendTo("bob", client.Outgoing{Body: "text goes on"})
}

func (w *ward) readyz() string {
	w.t.Helper()
	_, text := mustDo(w.t, "GET", w.app.BaseURL()+"/readyz")
	return text
}

// A mark that was lost is written anew, and so is that of a place which was set back.
func TestMarkThatIsMissingOrOldIsWrittenAnew(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	dir := w.app.dir
	cfg := w.app.cfg
	must(t, w.stop())
	mark := filepath.Join(dir, home.BlobsDirectory, "owner.json")
	old, err := os.ReadFile(mark)
	must(t, err)
	must(t, w.mustReopen(cfg).stop())
	must(t, os.WriteFile(mark, old, 0o600))
	must(t, w.mustReopen(cfg).stop())
	must(t, os.Remove(mark))
	must(t, w.mustReopen(cfg).stop())
	if got := mustReadJSON(t, mark)["turn"].(string); !strings.HasPrefix(got, "4-") {
		t.Errorf("the mark has turn %s, want the fourth", got)
	}
	mustWrite(t, mark, "{", 0o600)
	if err := mustNotOpen(t, cfg); err == nil || !strings.Contains(err.Error(), "owner.json") {
		t.Errorf("a mark that cannot be read: %v", err)
	}
}

func mustEpoch(t *testing.T, cfg *config.Config) (epoch string) {
	t.Helper()
	must(t, offline.Inspect(t.Context(), cfg.Data, cfg.Database,
		func(kept *store.Store) error { epoch = kept.Epoch(); return nil }))
	return epoch
}
