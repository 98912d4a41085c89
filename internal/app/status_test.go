package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/maintain"
)

// The status of a server says what its metrics say, and that of its store the same of
// what is stored.
func TestStatusOfAServerAndOfItsStore(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		for _, p := range w.everybody() {
			if _, err := p.DeleteEvents(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		w.sweep()
		// The operator, who made the organization, has an event too.
		for range 3 {
			w.mustSendTo(w.group, client.Outgoing{Body: "to all", TTL: -1})
		}
		_, page := mustDo(t, "GET", "http://"+w.app.Addr().String()+"/metrics")
		s := maintain.ServedStatus(cfg, true, "ok\n", page, time.Now())
		if s.Schema == "" || s.Messages.Sent != 3 || s.Messages.Copies != 6 || s.Queues.Accounts != 3 ||
			s.Queues.Events != 7 || s.Nodes != 1 || *s.Keys < 1 {
			t.Errorf("the server's status is %+v, %+v, %+v", s, s.Messages, s.Queues)
		}
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		stored, err := maintain.StoredStatus(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if stored.Running || stored.Schema != s.Schema || stored.Queues.Accounts != 3 || stored.Queues.Events != 7 ||
			stored.Sweep.Waiting != 0 || len(stored.Problems) != 1 {
			t.Errorf("the store's status is %+v, %+v, %+v", stored, stored.Queues, stored.Sweep)
		}
	})
}

func TestStatusNamesEachProblem(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const page = `process_start_time_seconds 1.7e+09
signet_keyring_up 0
signet_blobs_up 0
signet_bus_connected 0
signet_tls_certificate_ends_seconds 1.79538e+09
signet_backup_last_success_timestamp_seconds 1.7e+09
signet_backup_last_failure_timestamp_seconds 1.70001e+09
signet_task_last_success_timestamp_seconds{task="messages"} 1.7e+09
signet_task_last_success_timestamp_seconds{task="orphans"} 0
`
	s := maintain.ServedStatus(config.Default(), false, "the store does not answer\nwarning: disk: it is full\n", page,
		now)
	for _, want := range []string{
		"not ready: the store does not answer", "disk: it is full", "key ring does not answer", "attachments does not answer",
		"NATS is away",
		"the certificate ends on 2026-11-22", "last backup failed", "task messages last ended well",
		"task orphans has not ended well",
	} {
		if !slices.ContainsFunc(s.Problems, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("no problem says %q: %q", want, s.Problems)
		}
	}
	if len(s.Problems) != 9 {
		t.Errorf("%d problems, want 9: %q", len(s.Problems), s.Problems)
	}
	well := maintain.ServedStatus(config.Default(), true, "ok\n",
		"process_start_time_seconds 1.7e+09\nsignet_blobs_up 1\n", now)
	if len(well.Problems) != 0 {
		t.Errorf("a server that is well has problems: %q", well.Problems)
	}
}
