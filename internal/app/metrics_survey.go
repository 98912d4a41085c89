package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/stream"
	"signet/internal/sweep"
)

// survey serves what only reading the store tells. What cannot be read is absent.
type survey struct {
	counts   *sweep.Survey
	registry *stream.Registry
	clock    func() time.Time
	alone    bool
}

func registerSurvey(in surroundings, counts *sweep.Survey, registry *stream.Registry) error {
	return in.metrics.Register(&survey{counts, registry, in.clock, in.cfg.Database == ""})
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
	descQueues       = surveyed("signet_queues", "Accounts with events in their queue.")
	descQueueEvents  = surveyed("signet_queue_events", "Events in the queues of all accounts.")
	descQueuesBehind = surveyed("signet_queues_behind", "Accounts that are behind: with an event older than a day, or "+
		"more than 1,000 events.", "reason")
	descQueueOldest = surveyed("signet_queue_oldest_age_seconds",
		"Age of the oldest event that nobody has acknowledged; 0: there is none.")
	descQueuesCounted = surveyed("signet_queues_counted_timestamp_seconds", "When the queues were last counted.")
	descBackup        = surveyed("signet_backup_last_success_timestamp_seconds",
		"When the last whole backup was begun; 0: there was none.")
	descBackupTook   = surveyed("signet_backup_last_duration_seconds", "How long it took.")
	descBackupBytes  = surveyed("signet_backup_last_bytes", "Its size.")
	descBackupFailed = surveyed("signet_backup_last_failure_timestamp_seconds",
		"When the last backup that failed was begun; 0: there was none.")
	descNodes = surveyed("signet_nodes", "Servers that share the database and are alive.")
)

// Describe is part of prometheus.Collector.
func (s *survey) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descBacklog, descBacklogAge, descPieces, descPiecesAge,
		descQueues, descQueueEvents, descQueuesBehind,
		descQueueOldest, descQueuesCounted, descNodes,
		descBackup, descBackupTook, descBackupBytes, descBackupFailed} {
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
		}
		tell(descBacklog, float64(b.Messages), "messages")
		tell(descBacklog, float64(b.Files), "files")
		tell(descBacklog, float64(b.Organizations), "organizations")
		tell(descBacklog, float64(b.Accounts), "accounts")
		tell(descBacklog, float64(b.Keys), "keys")
		tell(descBacklog, float64(b.Queues), "queues")
		tell(descBacklogAge, s.age(b.Oldest))
		tell(descPieces, float64(b.Work.Pieces), "pieces")
		tell(descPieces, float64(b.Work.Histories), "histories")
		tell(descPiecesAge, s.age(b.Work.Oldest))
	}
	if n, err := s.nodes(ctx); err == nil {
		tell(descNodes, float64(n))
	}
	if q, ok := s.counts.Queues(ctx); ok {
		tell(descQueues, float64(q.Accounts))
		tell(descQueueEvents, float64(q.Events))
		tell(descQueuesBehind, float64(q.Old), "age")
		tell(descQueuesBehind, float64(q.Long), "length")
		tell(descQueueOldest, s.age(q.Oldest))
		tell(descQueuesCounted, unixSeconds(q.Counted))
	}
}

// age is how long ago something was, 0 where it was not.
func (s *survey) age(at time.Time) float64 {
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
