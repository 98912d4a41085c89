package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/health"
)

const (
	// certificateTopic is the warning's.
	certificateTopic = "certificate"
	// certificateNotice is how long before its end a certificate is warned of. One that
	// the server gets by itself was to be renewed 16 days earlier.
	certificateNotice = 14 * 24 * time.Hour
	// certificateLook is how often its end is looked at, and certificateRepeat how
	// often the log is told.
	certificateLook   = time.Minute
	certificateRepeat = 24 * time.Hour
)

// validity warns of the end of the server's certificate, from which on clients refuse it.
type validity struct {
	times    func(context.Context) (from, until time.Time, ok bool) // ok is false where there is none yet
	remedy   string
	warnings *health.Warnings
	log      *slog.Logger

	said time.Time // when the log was told last
}

var descCertificateEnds = prometheus.NewDesc("signet_tls_certificate_not_after_timestamp_seconds",
	"When the server's certificate is no longer valid.", nil, nil)

// certificateEnds serves when the certificate ends. It is absent until there is one.
type certificateEnds struct {
	times func(context.Context) (from, until time.Time, ok bool)
}

// Describe is part of prometheus.Collector.
func (certificateEnds) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- descCertificateEnds
}

// Collect is part of prometheus.Collector.
func (c certificateEnds) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), surveyTimeout)
	defer cancel()
	if _, until, ok := c.times(ctx); ok {
		metrics <- prometheus.MustNewConstMetric(descCertificateEnds, prometheus.GaugeValue, unixSeconds(until))
	}
}

// run looks until ctx ends.
func (v *validity) run(ctx context.Context) {
	tick := time.NewTicker(certificateLook)
	defer tick.Stop()
	for {
		v.look(ctx, time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look warns if there is a reason to.
func (v *validity) look(ctx context.Context, now time.Time) {
	from, until, ok := v.times(ctx)
	if !ok {
		return
	}
	left := until.Sub(now)
	var text string
	switch day := until.UTC().Format(time.DateOnly); {
	case now.Before(from):
		text = fmt.Sprintf("the server's certificate is valid from %s on, and clients refuse it until then: is the clock "+
			"right?", from.UTC().Format(time.RFC3339))
	case left <= 0:
		text = fmt.Sprintf("the server's certificate ended on %s, and clients refuse it: %s", day, v.remedy)
	case left <= certificateNotice:
		text = fmt.Sprintf("the server's certificate ends on %s, in %d days, and clients will refuse it: %s", day,
			int(left.Hours()/24), v.remedy)
	default:
		v.warnings.Clear(certificateTopic)
		v.said = time.Time{}
		return
	}
	// The warning is logged when it begins; then once a day.
	begun := v.said.IsZero()
	v.warnings.Set(certificateTopic, text)
	if !begun && now.Sub(v.said) >= certificateRepeat {
		v.log.Warn(text, "warning", certificateTopic)
		begun = true
	}
	if begun {
		v.said = now
	}
}
