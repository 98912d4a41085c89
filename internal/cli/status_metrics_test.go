package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStatusNamesEachProblem(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	const page = `process_start_time_seconds 1.7e+09
signet_keyring_up 0
signet_blobs_up 0
signet_bus_connected{by="nats"} 0
signet_tls_certificate_not_after_timestamp_seconds 1.79538e+09
signet_backup_last_success_timestamp_seconds 1.7e+09
signet_backup_last_failure_timestamp_seconds 1.70001e+09
signet_task_last_success_timestamp_seconds{task="messages"} 1.7e+09
signet_task_last_success_timestamp_seconds{task="orphans"} 0
signet_task_late{task="messages"} 1
signet_task_late{task="orphans"} 1
signet_task_late{task="records"} 0
`
	s := servedStatus(false, "the store does not answer\nwarning: disk: it is full\n", page)
	s.note(now)
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
	well := servedStatus(true, "ok\n", "process_start_time_seconds 1.7e+09\nsignet_blobs_up 1\n"+
		`signet_bus_connected{by="postgres"} 0`+"\n") // behind a pooler, which is no problem by itself
	well.note(now)
	if len(well.Problems) != 0 {
		t.Errorf("a server that is well has problems: %q", well.Problems)
	}
}
