package doctor

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/clock"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/seal"
	"signet/internal/standby"
	"signet/internal/store"
	"signet/internal/succession"
	"signet/internal/testenv"
)

// TestHealthyInstallationHasNoFindings, while its server runs and when it has stopped, and looking at
// it changes nothing.
func TestHealthyInstallationHasNoFindings(t *testing.T) {
	testenv.Long(t)
	s, cfg := mustServe(t)
	answers := func(o *Options) { o.Server = &Server{URL: s.URL} }
	wantCodes(t, "with a server", examine(t, cfg, answers))
	wantCodes(t, "with a server that is not found", examine(t, cfg), "server.silent")
	killed, unindexed := mustCopy(t, cfg), mustCopy(t, cfg)
	mustRemove(t, filepath.Join(unindexed.Data, "signet.db-shm"))
	s.Stop()
	askBackup := func(o *Options) { o.BackupAge = time.Hour } // it is known of the store alone
	for _, c := range []struct {
		what string
		cfg  *config.Config
		want []string
	}{
		{"stopped", cfg, []string{"server.none", "backup.none"}},
		{"killed", killed, []string{"server.none", "data.unclean", "backup.none"}},
		{"killed, and the index of the log is gone", unindexed, []string{"server.none", "data.unclean"}},
	} {
		before := mustRemember(t, c.cfg.Data)
		wantCodes(t, c.what, examine(t, c.cfg, askBackup), c.want...)
		if after := mustRemember(t, c.cfg.Data); !maps.Equal(before, after) {
			for path := range after {
				if before[path] != after[path] {
					t.Errorf("%s: %s has changed", c.what, path)
				}
			}
			t.Errorf("%s: there were %d files, and there are %d", c.what, len(before), len(after))
		}
	}
}

// TestFaultsOfADataDirectory causes each of them in a copy of an installation that has stopped.
func TestFaultsOfADataDirectory(t *testing.T) {
	testenv.Long(t)
	s, whole := mustServe(t)
	killed := mustCopy(t, whole)
	s.Stop()
	now := time.Now()
	note := func(b store.BackupNote) func(*testing.T, *config.Config) {
		return func(t *testing.T, cfg *config.Config) {
			mustTamper(t, cfg, `INSERT OR REPLACE INTO meta (name, value) VALUES ('backup', ?)`, fmt.Sprintf(
				`{"succeeded":%q,"failed":%q,"lost":%d}`, b.Succeeded.Format(time.RFC3339), b.Failed.Format(time.RFC3339),
				b.Lost))
		}
	}
	remove := func(names ...string) func(*testing.T, *config.Config) {
		return func(t *testing.T, cfg *config.Config) {
			for _, name := range names {
				mustRemove(t, filepath.Join(cfg.Data, name))
			}
		}
	}
	write := func(name, text string) func(*testing.T, *config.Config) {
		return func(t *testing.T, cfg *config.Config) { mustWrite(t, filepath.Join(cfg.Data, name), text) }
	}
	for _, c := range []struct {
		what  string
		cause func(*testing.T, *config.Config)
		look  func(*Options)
		want  []string
	}{
		{"nowhere", func(_ *testing.T, cfg *config.Config) { cfg.Data += "/none" }, nil, []string{"data.missing"}},
		{"a file", func(_ *testing.T, cfg *config.Config) { cfg.Data += "/signet.db" }, nil,
			[]string{"data.missing"}},
		{"nothing stored", remove("signet.db", "keyring", "blobs"), nil, []string{"data.missing"}},
		{"moved", func(t *testing.T, cfg *config.Config) {
			if err := home.NoteMoved(cfg.Data, "postgres://signet:hunter2@db/signet"); err != nil {
				t.Fatal(err)
			}
		}, nil, []string{"data.moved"}},
		{"open", func(t *testing.T, cfg *config.Config) { mustChmod(t, cfg.Data, 0o755) }, nil,
			[]string{"data.permissions"}},
		{"an open file", func(t *testing.T, cfg *config.Config) { mustChmod(t, cfg.Data+"/keyring", 0o640) }, nil,
			[]string{"data.permissions"}},
		{"a file of everybody's elsewhere", func(t *testing.T, cfg *config.Config) {
			cfg.MasterKey = "file:" + filepath.Join(t.TempDir(), "master")
			mustWrite(t, cfg.MasterKey[5:], mustRead(t, cfg.Data+"/master.json"))
			mustChmod(t, cfg.MasterKey[5:], 0o644)
		}, nil, []string{"data.permissions"}},
		{"a secret of everybody's elsewhere", func(t *testing.T, cfg *config.Config) {
			cfg.Standby.Key = "file:" + filepath.Join(t.TempDir(), "standby.key")
			mustWrite(t, cfg.Standby.Key[5:], strings.Repeat("key", 20))
			mustChmod(t, cfg.Standby.Key[5:], 0o644)
		}, nil, []string{"data.permissions"}},
		{"taken over from", func(t *testing.T, cfg *config.Config) {
			if err := succession.NoteFenced(cfg.Data, standby.Claim{Term: 1, By: "two"}); err != nil {
				t.Fatal(err)
			}
		}, nil, []string{"data.fenced"}},
		{"to follow", setStandbyOf, nil, []string{"data.role"}},
		{"a standby's no more", func(t *testing.T, cfg *config.Config) { mustFollow(t, cfg); cfg.StandbyOf = "" }, nil,
			[]string{"data.role"}},
		{"of a role that nobody knows", write("standby.json", `{"stage":"first"}`), nil, []string{"data.role"}},
		{"a standby's without a master key", func(t *testing.T, cfg *config.Config) {
			mustFollow(t, cfg)
			mustRemove(t, filepath.Join(cfg.Data, home.MasterFile))
		}, nil, []string{"data.standby", "keys.master"}},
		{"a standby's with an open copy", func(t *testing.T, cfg *config.Config) {
			mustFollow(t, cfg)
			mustChmod(t, succession.CopyPath(cfg.Data)+".part", 0o644)
		}, nil, []string{"data.permissions", "data.standby"}},
		{"half restored", write("signet.db.restoring", ""), nil, []string{"data.restoring"}},
		{"half copied", func(t *testing.T, cfg *config.Config) {
			mustTamper(t, cfg, `INSERT INTO meta (name, value) VALUES (?, 'yes')`, store.MetaCopying)
		}, nil, []string{"data.restoring"}},
		{"no server began", func(t *testing.T, cfg *config.Config) {
			mustTamper(t, cfg, `DELETE FROM meta WHERE name = ?`, store.MetaSchema)
		}, nil, []string{"store.empty"}},
		{"newer", func(t *testing.T, cfg *config.Config) {
			mustTamper(t, cfg, `UPDATE meta SET value = '9999' WHERE name = ?`, store.MetaSchema)
		}, nil, []string{"store.newer"}},
		{"damaged", write("signet.db", strings.Repeat("no database ", 1000)), nil, []string{"store.unreadable"}},
		{"a version that is none", func(t *testing.T, cfg *config.Config) {
			mustTamper(t, cfg, `UPDATE meta SET value = 'one' WHERE name = ?`, store.MetaSchema)
		}, nil, []string{"store.unreadable"}},
		{"no master key", remove("master.json"), nil, []string{"keys.master"}},
		{"another master key", func(t *testing.T, cfg *config.Config) {
			text, err := seal.NewMasterKey()
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, cfg.Data+"/master.json", string(text))
		}, nil, []string{"keys.master"}},
		{"a variable that is not set", func(_ *testing.T, cfg *config.Config) { cfg.MasterKey = "env:NO_MASTER" }, nil,
			[]string{"keys.master"}},
		{"no ring", remove("keyring"), nil, []string{"keys.ring"}},
		{"a damaged ring", write("keyring", "nonsense\n"), nil, []string{"keys.ring"}},
		{"no copy of the ring", func(_ *testing.T, cfg *config.Config) { cfg.KeyringCopy = "file:" + cfg.Data + "/copy" },
			nil, []string{"keys.copy"}},
		{"no attachments", remove("blobs"), nil, []string{"attachments.place"}},
		{"another place of attachments", remove("blobs/signet.mark"), nil, []string{"attachments.place"}},
		{"a place that cannot be written to", remove("blobs/incoming"), nil, []string{"attachments.away"}},
		{"a failed backup", note(store.BackupNote{Succeeded: now.Add(-time.Hour), Failed: now}), nil,
			[]string{"backup.failed"}},
		{"a backup that lacks attachments", note(store.BackupNote{Succeeded: now, Lost: 2}), nil, []string{"backup.lost"}},
		{"an old backup", note(store.BackupNote{Succeeded: now.Add(-30 * time.Hour)}),
			func(o *Options) { o.BackupAge = 26 * time.Hour }, []string{"backup.old"}},
		{"a backup that is young enough", note(store.BackupNote{Succeeded: now.Add(-25 * time.Hour)}),
			func(o *Options) { o.BackupAge = 26 * time.Hour }, nil},
		{"a clock in doubt", func(t *testing.T, cfg *config.Config) {
			mustKnow(t, cfg, clock.State{Known: now, Said: now.Add(100 * time.Hour)})
		}, nil, []string{"clock.doubt"}},
		{"a clock that is behind", func(t *testing.T, cfg *config.Config) { mustKnow(t, cfg, clock.State{Known: now}) },
			func(o *Options) { o.Now = now.Add(-2 * clock.Tolerance) }, []string{"clock.behind"}},
		{"a clock that is ahead", func(t *testing.T, cfg *config.Config) { mustKnow(t, cfg, clock.State{Known: now}) },
			func(o *Options) { o.Now = now.Add(100 * 24 * time.Hour) }, []string{"clock.ahead"}},
		{"a clock that nobody can read", func(t *testing.T, cfg *config.Config) {
			mustTamper(t, cfg, `REPLACE INTO meta (name, value) VALUES ('clock', 'noon')`)
		}, nil, []string{"store.unreadable"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			cfg := mustCopy(t, whole)
			c.cause(t, cfg)
			looks := []func(*Options){}
			if c.look != nil {
				looks = append(looks, c.look)
			}
			wantCodes(t, c.what, examine(t, cfg, looks...), append(c.want, "server.none")...)
		})
	}
	if err := os.Truncate(filepath.Join(killed.Data, "signet.db-wal"), largeLog+1); err != nil {
		t.Fatal(err)
	}
	wantCodes(t, "a large log", examine(t, killed), "data.log", "data.unclean", "server.none")
}

// TestStandbyHasNoFaults, whether or not it runs, and looking at it changes nothing.
func TestStandbyHasNoFaults(t *testing.T) {
	s, whole := mustServe(t)
	s.Stop()
	cfg := mustCopy(t, whole)
	mustFollow(t, cfg)
	before := mustRemember(t, cfg.Data)
	wantCodes(t, "stopped", examine(t, cfg), "data.standby", "server.none")
	wantCodes(t, "running", examine(t, cfg, func(o *Options) {
		o.Server = &Server{Reason: "standby: it has all that was confirmed until 2026-11-29T02:14:07.512Z"}
	}), "data.standby", "server.standby")
	if !maps.Equal(before, mustRemember(t, cfg.Data)) {
		t.Error("its directory has changed")
	}
}

// mustFollow makes an installation a standby's, as a demotion and the next start do.
func mustFollow(t *testing.T, cfg *config.Config) {
	t.Helper()
	setStandbyOf(t, cfg)
	if err := succession.Demote(cfg.Data, true); err != nil {
		t.Fatal(err)
	}
	if _, err := succession.BeginCopy(cfg.Data, cfg.StandbyOf); err != nil {
		t.Fatal(err)
	}
}

// setStandbyOf has settings name a server that is to be followed.
func setStandbyOf(t *testing.T, cfg *config.Config) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "standby.key")
	mustWrite(t, key, strings.Repeat("key", 20))
	cfg.StandbyOf, cfg.Standby.Key = "http://127.0.0.1:1", "file:"+key
}

// TestFileOfAnotherUser: root may have made it.
func TestFileOfAnotherUser(t *testing.T) {
	s, cfg := mustServe(t)
	s.Stop()
	other := filepath.Join(cfg.Data, home.AuditKeyFile)
	if os.Geteuid() == 0 {
		if err := os.Chown(other, 65532, -1); err != nil {
			t.Fatal(err)
		}
		wantCodes(t, "another user's", examine(t, cfg), "data.owner", "server.none")
		return
	}
	mustRemove(t, other)
	if err := os.Symlink("/etc/passwd", other); err != nil { // it is root's, and everybody reads it
		t.Fatal(err)
	}
	wantCodes(t, "root's", examine(t, cfg), "data.owner", "data.permissions", "server.none")
}

// TestWhatMayNotBeLookedAt is told as that, and not as missing.
func TestWhatMayNotBeLookedAt(t *testing.T) {
	s, cfg := mustServe(t)
	s.Stop()
	mustChmod(t, filepath.Join(cfg.Data, home.MasterFile), 0)
	defer mustChmod(t, filepath.Join(cfg.Data, home.MasterFile), 0o600)
	if os.Geteuid() != 0 { // whom no mode keeps out
		wantCodes(t, "a master key of others", examine(t, cfg), "machine.denied", "server.none")
	}
	e := new(examination)
	if e.denied("it", os.ErrClosed) || !e.denied("it", &fs.PathError{Op: "open", Path: "it", Err: fs.ErrPermission}) {
		t.Error("what is denied is not told from other errors")
	}
	wantCodes(t, "denied", e.found, "machine.denied")
}

func TestRoomOnTheDisk(t *testing.T) {
	for free, want := range map[int64][]string{50 << 30: nil, 9 << 30: {"disk.low"}, 1 << 20: {"disk.full"}} {
		e := &examination{Options: Options{Config: config.Default()}}
		e.room(free, 100<<30)
		wantCodes(t, fmt.Sprint(free), e.found, want...)
	}
}

func TestOlderDataIsNoFault(t *testing.T) {
	e := &examination{facts: &store.Facts{Schema: 2}}
	e.version(3)
	wantCodes(t, "older data", e.found, "store.older")
}

// mustKnow changes what the store knows of the time.
func mustKnow(t *testing.T, cfg *config.Config, s clock.State) {
	t.Helper()
	mustTamper(t, cfg, `REPLACE INTO meta (name, value) VALUES ('clock', ?)`, s.String())
}

func mustChmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
