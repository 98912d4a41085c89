package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/store"
	"signet/internal/stream"
	"signet/internal/sweep"
)

// survey serves what only reading the store tells. What cannot be read is absent.
type survey struct {
	counts   *sweep.Survey
	registry *stream.Registry
	clock    func() time.Time
	alone    bool
	age      time.Duration // setting backup.max_age
}

func registerSurvey(in surroundings, counts *sweep.Survey, registry *stream.Registry) error {
	return in.metrics.Register(&survey{counts: counts, registry: registry, clock: in.clock,
		alone: in.cfg.Database == "", age: in.cfg.Backup.MaxAge})
}

// askBackups notes when backups were first asked for, from which on the age of a missing one counts.
// A start on a full disk cannot: the next one does.
func askBackups(ctx context.Context, in surroundings, kept *store.Store) {
	if in.cfg.Database != "" || in.cfg.Backup.MaxAge == 0 {
		return
	}
	if err := kept.AskBackups(ctx, in.clock()); err != nil {
		in.log.Warn("since when backups are asked for could not be noted: until the first backup nothing tells that "+
			"there is none", "error", err)
	}
}

func surveyed(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	descBacklog = surveyed("signet_sweep_backlog", "What has ended and is not removed yet, by what; counting ends "+
		"at 100,000.", "what")
	descBacklogAge = surveyed("signet_sweep_oldest_age_seconds",
		"How long ago the earliest message ended that is not removed yet; 0: there is none.")
	descPieces = surveyed("signet_pieces", "What calls left to be done in pieces: changes of groups and events to "+
		"their members, and members that still get earlier messages.", "what")
	descPiecesAge = surveyed("signet_pieces_oldest_age_seconds",
		"How long ago the oldest of it was noted; 0: there is none.")
	descEscalations = surveyed("signet_escalations_open", "Escalations that have not ended; counting ends at 100,000.")
	descRotas       = surveyed("signet_duty_rotas",
		"Groups whose members change by a rota, by whether somebody is on duty now.", "state")
	descFailing = surveyed("signet_webhooks_failing",
		"Webhooks whose receiver did not take the last try, and that are tried again; counting ends at 100,000.")
	descFailingAge = surveyed("signet_webhooks_failing_oldest_age_seconds",
		"How long ago the first of them began to fail; 0: none does.")
	descQueues       = surveyed("signet_queues", "Accounts with events in their queue.")
	descQueueEvents  = surveyed("signet_queue_events", "Events in the queues of all accounts.")
	descQueuesBehind = surveyed("signet_queues_behind", "Accounts that are behind: with an event older than a day, with "+
		"more than 1,000 events, or whose program has stopped reading.", "reason")
	descQueueOldest = surveyed("signet_queue_oldest_age_seconds",
		"Age of the oldest event that nobody has acknowledged; 0: there is none.")
	descQueuesCounted = surveyed("signet_queues_counted_timestamp_seconds", "When the queues were last counted.")
	descBackup        = surveyed("signet_backup_last_success_timestamp_seconds",
		"When the last whole backup was begun; 0: there was none.")
	descBackupTook   = surveyed("signet_backup_last_duration_seconds", "How long it took.")
	descBackupBytes  = surveyed("signet_backup_last_bytes", "Its size.")
	descBackupFailed = surveyed("signet_backup_last_failure_timestamp_seconds",
		"When the last backup that failed was begun; 0: there was none.")
	descBackupDue = surveyed("signet_backup_due_timestamp_seconds",
		"When the next backup has to have begun, by backup.max_age.")
	descNodes = surveyed("signet_nodes", "Servers that share the database and are alive.")
)

// Describe is part of prometheus.Collector.
func (s *survey) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descBacklog, descBacklogAge, descPieces, descPiecesAge, descEscalations,
		descRotas, descFailing, descFailingAge, descQueues, descQueueEvents, descQueuesBehind, descQueueOldest,
		descQueuesCounted, descNodes, descBackup, descBackupTook, descBackupBytes, descBackupFailed, descBackupDue} {
		descriptions <- d
	}
}

// Collect is part of prometheus.Collector.
func (s *survey) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), surveyTimeout)
	defer cancel()
	tell := func(d *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if b, backup, err := s.counts.Look(ctx); err == nil {
		if s.alone {
			tell(descBackup, unixSeconds(backup.Succeeded))
			tell(descBackupTook, backup.Took.Seconds())
			tell(descBackupBytes, float64(backup.Bytes))
			tell(descBackupFailed, unixSeconds(backup.Failed))
			if due := backup.Due(s.age); s.age > 0 && !due.IsZero() {
				tell(descBackupDue, unixSeconds(due))
			}
		}
		tell(descBacklog, float64(b.Messages), "messages")
		tell(descBacklog, float64(b.Files), "files")
		tell(descBacklog, float64(b.Organizations), "organizations")
		tell(descBacklog, float64(b.Accounts), "accounts")
		tell(descBacklog, float64(b.Keys), "keys")
		tell(descBacklog, float64(b.Queues), "queues")
		tell(descBacklogAge, s.since(b.Oldest))
		tell(descPieces, float64(b.Work.Pieces), "pieces")
		tell(descPieces, float64(b.Work.Histories), "histories")
		tell(descPiecesAge, s.since(b.Work.Oldest))
		tell(descEscalations, float64(b.Escalations))
		tell(descRotas, float64(b.Rotas-b.Vacant), "staffed")
		tell(descRotas, float64(b.Vacant), "vacant")
		tell(descFailing, float64(b.Failing))
		tell(descFailingAge, s.since(b.FailingSince))
	}
	if n, err := s.nodes(ctx); err == nil {
		tell(descNodes, float64(n))
	}
	if q, ok := s.counts.Queues(ctx); ok {
		tell(descQueues, float64(q.Accounts))
		tell(descQueueEvents, float64(q.Events))
		tell(descQueuesBehind, float64(q.Old), "age")
		tell(descQueuesBehind, float64(q.Long), "length")
		tell(descQueuesBehind, float64(q.Stopped), "stopped")
		tell(descQueueOldest, s.since(q.Oldest))
		tell(descQueuesCounted, unixSeconds(q.Counted))
	}
}

// since is how long ago something was, 0 where it was not.
func (s *survey) since(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return max(0, s.clock().Sub(at).Seconds())
}

// nodes counts the servers that share the database and are alive.
func (s *survey) nodes(ctx context.Context) (n int, err error) {
	peers, err := s.registry.Peers(ctx)
	for _, p := range peers {
		if p.Alive {
			n++
		}
	}
	return n, err
}
