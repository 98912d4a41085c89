package maintain

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"signet/internal/config"
	"signet/internal/model"
	"signet/internal/place"
	"signet/internal/store"
	"signet/internal/upkeep"
)

// Status is what an operator wants to know of an installation at a glance. What is not
// known is left out.
type Status struct {
	Running  bool      `json:"running"` // a server answers on this machine
	Ready    bool      `json:"ready"`
	Why      string    `json:"why,omitempty"` // it is not ready
	URL      string    `json:"url,omitempty"`
	Version  string    `json:"version,omitempty"`
	Commit   string    `json:"commit,omitempty"`
	Schema   string    `json:"schema,omitempty"`
	Store    string    `json:"store"` // embedded or postgresql
	Started  time.Time `json:"started,omitzero"`
	Nodes    int       `json:"nodes"`    // that share the database and are alive
	Problems []string  `json:"problems"` // what the operator has to see to, one line each
	Warnings []string  `json:"warnings"` // those that the server tells; they are among the problems

	Messages *StatusMessages `json:"messages,omitempty"` // since the server's start
	Streams  int             `json:"streams"`
	Queues   *StatusQueues   `json:"queues,omitempty"`
	Sweep    *StatusSweep    `json:"sweep,omitempty"`
	Keys     *int            `json:"keys,omitempty"` // in the key ring

	StoreBytes      int64            `json:"store_bytes,omitempty"` // of the embedded store
	FreeBytes       map[string]int64 `json:"free_bytes,omitempty"`  // by place
	Backup          time.Time        `json:"last_backup,omitzero"`
	BackupFailed    time.Time        `json:"last_failed_backup,omitzero"`
	BackupBytes     int64            `json:"last_backup_bytes,omitempty"`
	CertificateEnds time.Time        `json:"certificate_ends,omitzero"`
}

// StatusMessages are what became of messages.
type StatusMessages struct {
	Sent      int64 `json:"sent"`
	Copies    int64 `json:"copies"`
	Delivered int64 `json:"delivered"`
	Read      int64 `json:"read"`
	Expired   int64 `json:"expired"`
	Recalled  int64 `json:"recalled"`
}

// StatusQueues are all queues.
type StatusQueues struct {
	Accounts      int     `json:"accounts"` // with something queued
	Events        int64   `json:"events"`
	Old           int     `json:"behind_by_age"`    // accounts with an event older than a day
	Long          int     `json:"behind_by_length"` // accounts with more than 1,000 events
	OldestSeconds float64 `json:"oldest_seconds"`
}

// StatusSweep is what the sweep has to do.
type StatusSweep struct {
	Waiting       int64     `json:"waiting"` // messages that ended and are not removed yet
	OldestSeconds float64   `json:"oldest_seconds"`
	Last          time.Time `json:"last,omitzero"` // when its parts last all ended well
	Failures      int64     `json:"failures"`      // of its parts and of housekeeping, since the start
}

const (
	// sweepLate is when a part of the sweep is overdue, and houseLate one of housekeeping.
	sweepLate, houseLate = 10 * time.Minute, 3 * time.Hour
	// certificateLate is how long before its end a certificate is a problem.
	certificateLate = 14 * 24 * time.Hour
)

// ServedStatus reads the status of a server out of its answers to /readyz and /metrics.
// metrics is empty where it serves none here.
func ServedStatus(cfg *config.Config, ready bool, readyz, metrics string, now time.Time) Status {
	s := Status{Running: true, Ready: ready, Store: storeName(cfg.Database), Nodes: 1}
	lines := strings.Split(strings.TrimSpace(readyz), "\n")
	if !ready {
		s.Why = lines[0]
		s.Problems = append(s.Problems, "the server is not ready: "+s.Why)
	}
	for _, line := range lines[1:] {
		if text, ok := strings.CutPrefix(line, "warning: "); ok {
			s.Warnings = append(s.Warnings, text)
		}
	}
	s.Problems = append(s.Problems, s.Warnings...)
	if metrics == "" {
		s.Problems = append(s.Problems, "/metrics does not answer, so that most is not known")
		return s
	}
	m := readSeries(metrics)
	for labels := range m["signet_build_info"] {
		s.Version, s.Commit, s.Schema = labelOf(labels, "version"), labelOf(labels, "commit"), labelOf(labels, "schema")
	}
	s.Started = m.time("process_start_time_seconds")
	s.Nodes = max(1, int(m.sum("signet_nodes")))
	s.Streams = int(m.sum("signet_streams"))
	s.Messages = &StatusMessages{
		Sent: int64(m.sum("signet_messages_sent_total")), Copies: int64(m.sum("signet_message_copies_total")),
		Delivered: int64(m.sum("signet_message_copies_delivered_total")),
		Read:      int64(m.sum("signet_message_copies_read_total")),
		Expired:   int64(m.sum("signet_messages_expired_total")), Recalled: int64(m.sum("signet_messages_recalled_total")),
	}
	if m.has("signet_queues") {
		s.Queues = &StatusQueues{
			Accounts: int(m.sum("signet_queues")), Events: int64(m.sum("signet_queue_events")),
			OldestSeconds: m.sum("signet_queue_oldest_age_seconds"),
			Old:           int(m["signet_queues_behind"][`reason="age"`]),
			Long:          int(m["signet_queues_behind"][`reason="length"`]),
		}
	}
	keys := int(m.sum("signet_keyring_keys"))
	s.Keys = &keys
	s.StoreBytes = int64(m.sum("signet_store_bytes"))
	for labels, free := range m["signet_disk_free_bytes"] {
		if s.FreeBytes == nil {
			s.FreeBytes = map[string]int64{}
		}
		s.FreeBytes[labelOf(labels, "place")] = int64(free)
	}
	s.CertificateEnds = m.time("signet_tls_certificate_ends_seconds")
	s.noteBackup(m.time("signet_backup_last_success_timestamp_seconds"),
		m.time("signet_backup_last_failure_timestamp_seconds"), int64(m.sum("signet_backup_last_bytes")))
	s.noteSweep(m, now)
	for name, text := range map[string]string{
		"signet_keyring_up": "the key ring does not answer", "signet_blobs_up": "the store of attachments does not answer",
		"signet_bus_connected": "NATS is away",
	} {
		if m.has(name) && m.sum(name) == 0 {
			s.Problems = append(s.Problems, text)
		}
	}
	if ends := s.CertificateEnds; !ends.IsZero() && ends.Sub(now) < certificateLate {
		s.Problems = append(s.Problems, "the certificate ends on "+ends.UTC().Format(time.DateOnly)+": renew it")
	}
	slices.Sort(s.Problems)
	return s
}

// noteSweep reads how the sweep and housekeeping do.
func (s *Status) noteSweep(m series, now time.Time) {
	s.Sweep = &StatusSweep{
		Waiting: int64(m["signet_sweep_backlog"][`what="messages"`]), OldestSeconds: m.sum("signet_sweep_oldest_age_seconds"),
		Failures: int64(m.sum("signet_task_failures_total")),
	}
	up := now.Sub(s.Started)
	for _, labels := range slices.Sorted(maps.Keys(m["signet_task_last_success_timestamp_seconds"])) {
		task, at := labelOf(labels, "task"), secondsTime(m["signet_task_last_success_timestamp_seconds"][labels])
		late := sweepLate
		if upkeep.Housekeeping(task) {
			late = houseLate
		} else if s.Sweep.Last.IsZero() || at.Before(s.Sweep.Last) {
			s.Sweep.Last = at
		}
		switch {
		case at.IsZero() && up > late:
			s.Problems = append(s.Problems, fmt.Sprintf("the task %s has not ended well since the start", task))
		case !at.IsZero() && now.Sub(at) > late:
			s.Problems = append(s.Problems,
				fmt.Sprintf("the task %s last ended well %v ago", task, now.Sub(at).Round(time.Minute)))
		}
	}
}

func (s *Status) noteBackup(succeeded, failed time.Time, bytes int64) {
	s.Backup, s.BackupFailed, s.BackupBytes = succeeded, failed, bytes
	if failed.After(succeeded) {
		s.Problems = append(s.Problems, "the last backup failed: run it by hand, it says why")
	}
}

// StoredStatus reads what the data directory or the database tells, where no server
// answers on this machine.
func StoredStatus(ctx context.Context, cfg *config.Config) (s Status, err error) {
	s = Status{Store: storeName(cfg.Database), Problems: []string{"no server answers on this machine"}}
	err = Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error {
		backlog, backup, err := upkeep.NewSurvey(kept, time.Now).Look(ctx)
		if err != nil {
			return err
		}
		queues, err := upkeep.NewSurvey(kept, time.Now).Count(ctx)
		if err != nil {
			return err
		}
		s.Schema = fmt.Sprint(store.SchemaVersion())
		s.Sweep = &StatusSweep{Waiting: int64(backlog.Messages), OldestSeconds: secondsSince(backlog.Oldest)}
		s.Queues = &StatusQueues{Accounts: queues.Accounts, Events: int64(queues.Events), Old: queues.Old, Long: queues.Long,
			OldestSeconds: secondsSince(queues.Oldest)}
		if cfg.Database == "" {
			s.StoreBytes = sizeOf(place.Database(cfg.Data)) + sizeOf(place.Database(cfg.Data)+"-wal")
			s.noteBackup(backup.Succeeded, backup.Failed, backup.Bytes)
			return nil
		}
		return kept.View(ctx, func(tx *store.Tx) error {
			s.Nodes, err = tx.OtherNodes(model.NodeID{}, time.Now())
			return err
		})
	})
	return s, err
}

func storeName(database string) string {
	if database == "" {
		return "embedded"
	}
	return "postgresql"
}

func secondsSince(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return max(0, time.Since(at).Seconds())
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
