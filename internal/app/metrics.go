package app

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/audit"
	"signet/internal/backlog"
	"signet/internal/build"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/export"
	"signet/internal/health"
	"signet/internal/meter"
	"signet/internal/seal"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/sweep"
)

// labels are those of one series, each a name and a value of a fixed few.
type labels = prometheus.Labels

// counter is a series that is read when metrics are asked for.
func counter(name, help string, l labels, read func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: l},
		func() float64 { return float64(read()) })
}

// gauge is one whose value falls too.
func gauge(name, help string, l labels, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: l}, read)
}

// histogram is a meter.Histogram, whose values are divided by unit: a bound of 30 s is 30 then, by which alerts
// name it, while a multiplication gives 30.000000000000004.
type histogram struct {
	desc  *prometheus.Desc
	unit  float64
	meter *meter.Histogram
}

func newHistogram(name, help string, l labels, unit float64, m *meter.Histogram) prometheus.Collector {
	return histogram{prometheus.NewDesc(name, help, nil, l), unit, m}
}

// inSeconds is the unit of durations.
const inSeconds = float64(time.Second)

// Describe is part of prometheus.Collector.
func (h histogram) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- h.desc }

// Collect is part of prometheus.Collector.
func (h histogram) Collect(metrics chan<- prometheus.Metric) {
	f := h.meter.Read()
	buckets := make(map[float64]uint64, len(f.Bounds))
	for i, bound := range f.Bounds {
		buckets[float64(bound)/h.unit] = f.Counts[i]
	}
	metrics <- prometheus.MustNewConstHistogram(h.desc, f.Count, float64(f.Sum)/h.unit, buckets)
}

// register makes series known to monitoring.
func register(metrics prometheus.Registerer, collectors ...prometheus.Collector) error {
	var problems []error
	for _, c := range collectors {
		problems = append(problems, metrics.Register(c))
	}
	return errors.Join(problems...)
}

// unixSeconds is a time as metrics tell it; 0 is never.
func unixSeconds(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}

// registerCounts adds what use cases, the sweep, the vault and the audit log count.
func registerCounts(metrics prometheus.Registerer, c *service.Counts, sweeper *sweep.Sweeper, vault *content.Vault,
	auditLog *audit.Log) error {
	const (
		sent   = "Messages sent, forwards included, by whom they are for."
		copies = "Copies of sent messages, one for each recipient, by whom the message is for."
		closed = "Times that a row did not open, by cause: changed, or its key is gone."
	)
	all := []prometheus.Collector{
		counter("signet_messages_sent_total", sent, labels{"to": "one"}, c.Sent.OneToOne.Load),
		counter("signet_messages_sent_total", sent, labels{"to": "group"}, c.Sent.Group.Load),
		counter("signet_message_copies_total", copies, labels{"to": "one"}, c.Copies.OneToOne.Load),
		counter("signet_message_copies_total", copies, labels{"to": "group"}, c.Copies.Group.Load),
		counter("signet_message_copies_delivered_total", "Copies that reached their reader: acknowledged, or read without.",
			nil, c.Delivered.Load),
		counter("signet_message_copies_read_total", "Copies that were read.", nil, c.Read.Load),
		counter("signet_message_copies_confirmed_total", "Copies that their reader confirmed.", nil, c.Confirmed.Load),
		counter("signet_escalation_steps_total", "Steps of escalations that this server has done.", nil,
			c.Escalated.Steps.Load),
		counter("signet_escalations_exhausted_total", "Escalations that ended because nobody came in time.", nil,
			c.Escalated.Exhausted.Load),
		newHistogram("signet_escalation_delay_seconds", "How long after they were due steps of escalations were done.", nil,
			inSeconds, c.Escalated.Delay),
		counter("signet_messages_recalled_total", "Messages that their sender recalled.", nil, c.Recalled.Load),
		counter("signet_messages_expired_total", "Messages that ended by their lifetime, or once all had read them, and "+
			"were removed.", nil, sweeper.Counts.Expired.Load),
		counter("signet_messages_erased_total", "Messages whose rows were removed, whatever for.", nil,
			sweeper.Counts.Erased.Load),
		counter("signet_duty_handovers_total", "Times that the members of a group changed by its rota.", nil,
			c.HandOvers.Load),
		counter("signet_duty_handovers_late_total", "Of these, those more than a second after their time.", nil,
			c.LateHandOvers.Load),
		counter("signet_queue_events_dropped_total", "Events that were removed because their queue held more than "+
			"events.queue_max.", nil, sweeper.Counts.Dropped.Load),
		counter("signet_orphans_removed_total", "Files that nothing referred to, and that were removed.", nil,
			sweeper.Counts.Orphans.Load),
		counter("signet_blobs_missing_total", "Times that somebody asked for a file that is lost: a message or a picture "+
			"refers to it, and it is not there.", nil, vault.Counts.FilesLost.Load),
		gauge("signet_audit_chain_broken", "1 while the server finds the audit log changed when it is to sign it; else 0.",
			nil, func() float64 {
				if auditLog.Broken() {
					return 1
				}
				return 0
			}),
		counter("signet_rows_unopened_total", closed, labels{"cause": "changed"}, vault.Counts.Unopened.Load),
		counter("signet_rows_unopened_total", closed, labels{"cause": "key_gone"}, vault.Counts.UnopenedKey.Load),
	}
	for _, task := range sweeper.Tasks() {
		l := labels{"task": task.Name}
		all = append(all,
			gauge("signet_task_last_success_timestamp_seconds", "When a part of the sweep or of housekeeping last ended well; "+
				"0: not since the start.", l,
				func() float64 { return unixSeconds(task.Succeeded()) }),
			gauge("signet_task_duration_seconds", "How long it took then.", l, func() float64 { return task.Took().Seconds() }),
			gauge("signet_task_late", "1 while it should have ended well since: a part of the sweep within 10 minutes, one of "+
				"housekeeping within 3 hours.", l, func() float64 { return oneIf(sweeper.Late(task)) }),
			counter("signet_task_failures_total", "How often it failed; each is tried again.", l, task.Failures))
	}
	return register(metrics, all...)
}

// registerWork adds what is done in the background.
func registerWork(metrics prometheus.Registerer, kinds []*backlog.Kind) error {
	var all []prometheus.Collector
	for _, kind := range kinds {
		l := labels{"kind": kind.Name}
		all = append(all,
			counter("signet_jobs_total", "Steps of work in the background that this server has done.", l, kind.Done),
			counter("signet_job_failures_total", "Steps of it that failed; each is tried again.", l, kind.Failed))
	}
	return register(metrics, all...)
}

// registerRing adds what the key ring tells.
func registerRing(metrics prometheus.Registerer, ring *seal.Ring) error {
	return register(metrics,
		gauge("signet_keyring_up", "1 when the key ring answered the last time that it was asked, 0 when not.", nil,
			func() float64 { return oneIf(ring.Figures().Up) }),
		gauge("signet_keyring_checked_timestamp_seconds", "When this server last knew the whole key ring.", nil,
			func() float64 { return unixSeconds(ring.Figures().Checked) }),
		gauge("signet_keyring_keys", "Keys in the key ring.", nil, func() float64 { return float64(ring.Figures().Keys) }),
		gauge("signet_keyring_retired_keys", "Keys with which nothing new is sealed.", nil,
			func() float64 { return float64(ring.Figures().Retired) }),
		counter("signet_keyring_destroyed_total", "Keys that this server destroyed, with what was sealed with them.", nil,
			func() int64 { return ring.Figures().Destroyed }))
}

// registerExports adds the figures of the archives of people's data.
func registerExports(metrics prometheus.Registerer, x *export.Exporter) error {
	const ended = "Archives of people's data that ended, by how."
	return register(metrics,
		gauge("signet_exports_running", "Archives of people's data that are being made.", nil,
			func() float64 { return float64(x.Running()) }),
		counter("signet_exports_total", ended, labels{"outcome": "whole"}, x.Counts.Whole.Load),
		counter("signet_exports_total", ended, labels{"outcome": "left"}, x.Counts.Left.Load),
		counter("signet_exports_total", ended, labels{"outcome": "failed"}, x.Counts.Failed.Load),
		counter("signet_export_bytes_total", "Bytes of such archives, whole or not.", nil, x.Counts.Bytes.Load))
}

// registerForgeries adds what rows with wrong codes tell.
func registerForgeries(metrics prometheus.Registerer, w *custody.ForgeryWatch) error {
	return register(metrics, counter("signet_rows_forged_total", "Times that a row which gives access was read, and "+
		"taken for missing because no server wrote it.", nil, w.Refused.Load))
}

// oneIf is the value of a metric that says yes (1) or no (0).
func oneIf(so bool) float64 {
	if so {
		return 1
	}
	return 0
}

// registerServer adds what the server is, and whether it would serve a request.
func (a *App) registerServer() error {
	return errors.Join(registerBuild(a.registry), register(a.registry,
		gauge("signet_ready", readyHelp, nil, func() float64 {
			return oneIf(a.probe != nil && a.readiness(context.Background()) == nil)
		}),
		gauge("signet_store_up", "1 when the store answered the last time that it was asked, and no call fails for it; "+
			"else 0.", nil, func() float64 { return oneIf(a.probe != nil && a.storeAnswers(context.Background())) }),
		gauge("signet_handover_pause_seconds", "For how long clients waited while this server took the place of another "+
			"one; 0 where it did not.", nil, func() float64 { return time.Duration(a.pause.Load()).Seconds() })))
}

// storeAnswers reports whether calls find the store, as far as is known. That the server is not
// ready for another reason, such as its clock, says nothing of the store.
func (a *App) storeAnswers(ctx context.Context) bool {
	err := a.probe.look(ctx)
	_, away := a.outages.Lasting()[health.Store]
	return !away && health.MissingPart(err) != health.Store && !errors.Is(err, context.DeadlineExceeded)
}

const readyHelp = "1 while /readyz answers 200, else 0."

// registerBuild adds what runs.
func registerBuild(metrics prometheus.Registerer) error {
	version, commit := build.Info()
	return register(metrics, gauge("signet_build_info", "Always 1: its labels say what runs.",
		labels{"version": version, "commit": commit, "goversion": runtime.Version(),
			"schema": strconv.Itoa(store.SchemaVersion())}, func() float64 { return 1 }))
}
