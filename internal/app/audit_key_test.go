package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// auditActions are what the platform's chain has, in its order, with their outcomes.
func auditActions(t *testing.T, dir, database string) (out []string) {
	t.Helper()
	err := offline.Change(t.Context(), dir, database, func(kept *store.Store) error {
		return kept.View(t.Context(), func(tx *store.Tx) error {
			rows, err := auditlog.Entries(tx, auditlog.Query{}, 1000)
			out = nil
			for _, e := range rows {
				out = append(out, string(e.Action)+" "+e.Outcome)
				if e.Action != model.ActionAuditBegin && e.Action != model.ActionOrganizationCreate && e.Address == "" {
					t.Errorf("%s does not say from where", e.Action)
				}
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantAction(t *testing.T, dir, database, want string, times int) {
	t.Helper()
	all := auditActions(t, dir, database)
	if got := len(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s != want })); got != times {
		t.Errorf("the audit log has %q %d times, want %d: %q", want, got, times, all)
	}
}

func mustVerifyAudit(t *testing.T, dir, database string, checkpoints ...string) {
	t.Helper()
	cfg := &config.Config{Data: dir, Database: database}
	if n, err := offline.VerifyAudit(t.Context(), cfg, checkpoints, unforged(t)); err != nil || n.Entries < 2 {
		t.Errorf("the check finds %d entries, %v", n, err)
	}
}

// A server whose key of the audit log is gone signs on with another one, and says so
// in the log itself.
func TestAuditGoesOnAfterTheLossOfItsKey(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	dir := w.app.dir
	kept, _ := mustExportAudit(t, dir, offline.AuditSelection{}) // signs
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	must(t, os.Remove(filepath.Join(dir, home.AuditKeyFile)))
	if _, err := offline.VerifyAudit(t.Context(), &config.Config{Data: dir}, nil, unforged(t)); err == nil ||
		!strings.Contains(err.Error(), "audit key") {
		t.Errorf("without its key the check says %v", err)
	}
	w = w.mustReopen(configAt(t, dir))
	wantAction(t, dir, "", "audit.key ok", 1)
	later, _ := mustExportAudit(t, dir, offline.AuditSelection{})
	mustVerifyAudit(t, dir, "", later)
	if _, err := offline.VerifyAudit(t.Context(), &config.Config{Data: dir}, []string{kept}, unforged(t)); err == nil ||
		!strings.Contains(err.Error(), "signature") {
		t.Errorf("a checkpoint of the key that is gone: %v, want that its signature is wrong", err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w = w.mustReopen(configAt(t, dir))
	wantAction(t, dir, "", "audit.key ok", 1)
	must(t, w.stop())
}

// The audit log of a server that was restored or moved can be verified as before,
// with the key that signed it, and tells what happened.
func TestAuditIsWholeAfterARestoreAndAMove(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := mustOpenWard(t)
	dir := w.app.dir
	kept, _ := mustExportAudit(t, dir, offline.AuditSelection{})
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := offline.Backup(t.Context(), configAt(t, dir), true, transfer.BackupOptions{Target: backup}); err != nil {
		t.Fatal(err)
	}
	wantAction(t, dir, "", "backup.create ok", 1)
	if _, err := offline.Backup(t.Context(), configAt(t, dir), true, transfer.BackupOptions{Target: backup}); err == nil {
		t.Error("a backup is written over another")
	}
	wantAction(t, dir, "", "backup.create failed", 1)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}

	for name, withKey := range map[string]bool{"with its key": true, "without": false} {
		restored := configAt(t, filepath.Join(t.TempDir(), "data"))
		must(t, os.MkdirAll(restored.Data, 0o700))
		names := []string{home.KeyringFile, home.MasterFile}
		if withKey {
			names = append(names, home.AuditKeyFile)
		}
		for _, n := range names {
			mustCopyFile(t, filepath.Join(dir, n), filepath.Join(restored.Data, n))
		}
		if _, err := offline.Restore(t.Context(), restored, true, transfer.RestoreOptions{Source: backup}); err != nil {
			t.Fatal(name, err)
		}
		mustAdopt(t, restored)
		wantAction(t, restored.Data, "", "installation.adopt ok", 1)
		again := w.mustReopen(restored)
		wantAction(t, restored.Data, "", "backup.restore ok", 1)
		if withKey {
			wantAction(t, restored.Data, "", "audit.key ok", 0)
			mustVerifyAudit(t, restored.Data, "", kept)
		} else {
			wantAction(t, restored.Data, "", "audit.key ok", 1)
			mustVerifyAudit(t, restored.Data, "")
		}
		must(t, again.stop())
	}

	database := postgrestest.URL(t)
	if _, err := offline.Migrate(t.Context(), offline.Migration{From: dir, To: database}); err != nil {
		t.Fatal(err)
	}
	moved := configAt(t, dir)
	moved.Database = database
	again := w.mustReopen(moved)
	wantAction(t, dir, database, "audit.key ok", 0)
	mustVerifyAudit(t, dir, database, kept)
	must(t, again.stop())
}

// What commands do with the key ring is noted, done or not; on a machine without the
// store there is nowhere to.
func TestAuditHasWhatCommandsDoWithTheKeyRing(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx, cfg, dir := t.Context(), configAt(t, w.app.dir), w.app.dir
	if _, err := offline.RotateKeys(ctx, cfg, false); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "copy")
	if _, err := offline.ExportKeys(ctx, cfg, target); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign")
	must(t, os.WriteFile(foreign, []byte("no ring"), 0o600))
	if _, err := offline.ExportKeys(ctx, cfg, foreign); !errors.As(err, new(home.Misconfigured)) {
		t.Errorf("an export over another file: %v, want a Misconfigured", err)
	}
	for want, times := range map[string]int{"keyring.rotate ok": 1, "keyring.export ok": 1, "keyring.export failed": 1} {
		wantAction(t, dir, "", want, times)
	}
	alone := config.Default()
	alone.Data = filepath.Join(t.TempDir(), "elsewhere")
	alone.Keyring, alone.MasterKey = "file:"+target, "file:"+filepath.Join(dir, home.MasterFile)
	if _, err := offline.ExportKeys(ctx, alone, filepath.Join(t.TempDir(), "copy")); err != nil {
		t.Errorf("on a machine without the store: %v", err)
	}
}
