package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/live/natstest"
	"signet/internal/store/postgrestest"
)

func tryDatabaseAway(t *testing.T, cfg *config.Config, seen *witness) {
	database := postgrestest.Start(t)
	mustShare(t, cfg)
	cfg.Database = "postgres://signet@" + database.Addr() + "/postgres"
	w := mustWatch(t, cfg, seen, watching{own: true, step: time.Minute})
	w.until("signet_ready", 1)
	w.until(`signet_bus_connected{by="postgres"}`, 1)
	w.mustSendWell()
	w.want(10 * time.Minute)
	database.Stop(t, true)
	w.until("signet_store_up", 0)
	w.until("signet_ready", 0)
	w.want(6*time.Minute, "SignetNotReady", "SignetStoreDown") // and not that the bus is away, which is the database too
	database.Restart(t)
	w.until("signet_ready", 1)
	w.until("signet_store_up", 1)
	w.until(`signet_bus_connected{by="postgres"}`, 1)
	w.want(6 * time.Minute)
}

func tryKeyringAway(t *testing.T, cfg *config.Config, seen *witness) {
	keys := postgrestest.Start(t)
	mustShare(t, cfg)
	cfg.Keyring = "postgres://signet@" + keys.Addr() + "/postgres"
	w := mustWatch(t, cfg, seen, watching{own: true, step: time.Minute})
	w.until("signet_ready", 1)
	w.until("signet_keyring_up", 1)
	w.each = w.mustSendWell
	w.want(6 * time.Minute)
	keys.Stop(t, true)
	w.until("signet_keyring_up", 0)
	days := 1
	w.each = func() { // each needs a key that the server does not have
		if days++; days%3 > 0 {
			return
		}
		if status := w.send(days); status != http.StatusServiceUnavailable {
			t.Fatalf("a send that needs a new key was answered %d", status)
		}
	}
	w.want(15*time.Minute, "SignetKeyringDown", "SignetSendsFailing")
	keys.Restart(t)
	w.until("signet_keyring_up", 1)
	w.each = w.mustSendWell
	w.want(10 * time.Minute)
}

func tryKeyringCopyAway(t *testing.T, cfg *config.Config, seen *witness) {
	dir := filepath.Join(t.TempDir(), "copy")
	must(t, os.Mkdir(dir, 0o700))
	cfg.KeyringCopy = "file:" + filepath.Join(dir, "keyring")
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	w.until("signet_keyring_copy_up", 1)
	w.want(5 * time.Minute)
	must(t, os.Rename(dir, dir+".away"))
	if status := w.send(9); status != http.StatusNoContent {
		t.Fatalf("a send was answered %d", status)
	}
	w.until("signet_keyring_copy_up", 0)
	w.want(20*time.Minute, "SignetKeyringCopyDown")
	must(t, os.Rename(dir+".away", dir))
	w.until("signet_keyring_copy_up", 1)
	w.want(2 * time.Minute)
}

func tryBusAway(t *testing.T, cfg *config.Config, seen *witness) {
	bus := natstest.Start(t)
	mustShare(t, cfg)
	cfg.NATS = bus.URL()
	w := mustWatch(t, cfg, seen, watching{own: true})
	w.until("signet_ready", 1)
	w.until(`signet_bus_connected{by="nats"}`, 1)
	w.want(6 * time.Minute)
	bus.Stop(t)
	w.until(`signet_bus_connected{by="nats"}`, 0)
	w.want(8*time.Minute, "SignetBusDown")
	bus.Restart(t)
	w.until(`signet_bus_connected{by="nats"}`, 1)
	w.want(2 * time.Minute)
}

// Where the attachments are away, a recalled one cannot be erased, and the task that does it is late.
func tryAttachmentsAway(t *testing.T, cfg *config.Config, seen *witness) {
	dir := filepath.Join(t.TempDir(), "blobs")
	cfg.Blobs = "dir:" + dir
	w := mustWatch(t, cfg, seen, watching{step: time.Minute})
	attach := func() string {
		return w.mustSendTo("bob", client.Outgoing{Body: "with a file",
			Attachment: &client.Upload{Name: "a", Content: strings.NewReader("attachment")}})
	}
	id, recalled := attach(), attach()
	w.until("signet_blobs_up", 1)
	w.want(5 * time.Minute)
	must(t, os.Rename(dir, dir+".away"))
	fetch := func() { // which has the server look whether the files are there
		w.get(w.bob, "/message/"+id+"/attachment/1")
	}
	fetch()
	w.until("signet_blobs_up", 0)
	must(t, w.alice.Recall(t.Context(), recalled))
	w.want(4*time.Minute, "SignetBlobsDown")
	w.want(20*time.Minute, "SignetBlobsDown", "SignetTaskLate")
	must(t, os.Rename(dir+".away", dir))
	wantIn(t, "the files are there again", func() bool {
		fetch()
		return strings.Contains(w.metrics(), "\nsignet_blobs_up 1\n")
	})
	wantIn(t, "the recalled file is erased", func() bool {
		w.pass(10 * time.Second) // after which the place of the files is asked again whose it is
		return mustFindSeries(t, w.metrics(), `signet_task_late{task="files"}`) == 0
	})
	w.want(2 * time.Minute)
}
