package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"signet/client"
	"signet/internal/access"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// wantUnclean checks that the running server's file is not marked as closed in good
// order: after a crash the next start would look for no remains in it.
func (w *ward) wantUnclean(after string) {
	w.t.Helper()
	conn, err := sqlite.OpenConn(home.Database(w.app.dir), sqlite.OpenReadOnly)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	clean, err := sqlitex.ResultInt64(conn.Prep(`SELECT value FROM engine_state WHERE name = 'clean'`))
	if err != nil || clean != 0 {
		w.t.Errorf("after %s the mark of good order is %d, %v", after, clean, err)
	}
}

// Commands beside a running server change its store, and leave its files to it.
func TestCommandsLeaveTheFilesOfARunningServerToIt(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := mustOpenUnsealedWard(t)
	ctx := t.Context()
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	erased := &specimen{canary: newCanary()}
	made, err := operator.CreateUser(ctx, w.organization(),
		client.NewUser{Username: "eve", DisplayName: erased.canary, Title: erased.canary,
			Emails: []string{erased.canary + "@example.com"}, IssueKey: true})
	if err != nil {
		t.Fatal(err)
	}
	eve := person{w.client(made.APIKey, made.APISecret), "eve", made.APIKey, made.APISecret}
	if err := eve.SetMetadata(ctx, "me", client.Metadata{"note": erased.canary}); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		if _, err := eve.Send(ctx,
			client.Outgoing{Recipient: "bob", Body: strings.Repeat(erased.canary+" ", 1+i)}); err != nil {
			t.Fatal(err)
		}
	}
	if canariesInFiles(t, w.app.dir)[erased.canary] == "" {
		t.Fatal("the account is in no file: this test looks at the wrong place")
	}

	limits := access.KeyLimits{MessagesPerDay: model.LimitChange{Set: true, To: new(7)}}
	if err := offline.LimitKey(ctx, &config.Config{Data: w.app.dir}, eve.key, limits); err != nil {
		t.Fatal(err)
	}
	w.wantUnclean("key limit")
	if err := offline.HoldOrganization(ctx, w.app.dir, "", w.organization(), true); err != nil {
		t.Fatal(err)
	}
	w.wantUnclean("organization hold")
	if err := offline.HoldOrganization(ctx, w.app.dir, "", w.organization(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := offline.VerifyAudit(ctx, &config.Config{Data: w.app.dir}, nil, unforged(t)); err != nil {
		t.Fatal(err)
	}
	w.wantUnclean("audit verify")
	if err := offline.EraseAccount(ctx, w.app.dir, "", "US", "eve", false); err != nil {
		t.Fatal(err)
	}
	w.wantUnclean("account erase")
	erased.ended = true
	w.sweep()
	w.wantErased([]*specimen{erased})
	w.wantUser(w.alice, "somebody else's key", 200)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.wantErased([]*specimen{erased})
}

// organization is the one that all of the ward are in.
func (w *ward) organization() string {
	w.t.Helper()
	entry, err := w.alice.Group(w.t.Context(), w.group)
	if err != nil {
		w.t.Fatal(err)
	}
	return entry.OrganizationKey
}

// Without a server a command has the directory for itself, so that none starts while
// it writes; what merely looks keeps nobody from starting.
func TestCommandsWithoutAServer(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	start := func() error {
		a, err := Open(t.Context(), configAt(t, w.app.dir), quiet())
		if err == nil {
			err = a.Close()
		}
		return err
	}
	err := offline.Change(t.Context(), w.app.dir, "", func(*store.Store) error {
		if err := start(); err == nil || !strings.Contains(err.Error(), "already uses the data directory") {
			return fmt.Errorf("a server that starts meanwhile answers %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := offline.Inspect(t.Context(), w.app.dir, "", func(*store.Store) error { return start() }); err != nil {
		t.Error(err)
	}
}

// A command of another version than the server's leaves the store as it is, whether or not a server uses it.
func TestCommandsChangeNoSchema(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprintf("beside a server %v", running), func(t *testing.T) {
			w := mustOpenWard(t)
			if !running {
				if err := w.stop(); err != nil {
					t.Fatal(err)
				}
			}
			wantSchemaKept(t, w)
		})
	}
}

func wantSchemaKept(t *testing.T, w *ward) {
	t.Helper()
	set := func(version int) {
		t.Helper()
		mustMaintainAt(t, w.app.dir, fmt.Sprintf(`UPDATE meta SET value = '%d' WHERE name = 'schema'`, version))
	}
	for _, version := range []int{store.SchemaVersion() - 1, store.SchemaVersion() + 1} {
		set(version)
		err := offline.LimitKey(t.Context(), &config.Config{Data: w.app.dir}, w.alice.key, access.KeyLimits{})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("version ", version)) {
			t.Errorf("on data of version %d: %v", version, err)
		}
		target := filepath.Join(t.TempDir(), "backup")
		_, err = offline.Backup(t.Context(), configAt(t, w.app.dir), false, transfer.BackupOptions{Target: target})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("version ", version)) || home.Exists(target) {
			t.Errorf("a backup of data of version %d: %v", version, err)
		}
	}
	set(store.SchemaVersion())
	if err := offline.LimitKey(t.Context(), &config.Config{Data: w.app.dir}, w.alice.key,
		access.KeyLimits{}); err != nil {
		t.Error(err)
	}
	if err := offline.LimitKey(context.Background(), &config.Config{Data: filepath.Join(t.TempDir(), "none")}, "key",
		access.KeyLimits{}); err == nil {
		t.Error("a directory without a server's data has a key")
	}
}

// mustMaintainAt runs a statement beside the server.
func mustMaintainAt(t *testing.T, dir, statement string) {
	t.Helper()
	conn, err := sqlite.OpenConn(home.Database(dir), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
		t.Fatal(err)
	}
}
