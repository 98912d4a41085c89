package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/egress"
	"signet/internal/push"
)

// registerRefused adds how often the settings did not let the server call, by what for.
func registerRefused(metrics prometheus.Registerer, pushes, webhooks, issuers *egress.Guard) error {
	const refused = "Calls that were not let out, and URLs for such calls, as the settings do not allow them."
	return register(metrics,
		counter("signet_egress_refused_total", refused, labels{"for": "push"}, pushes.Refused),
		counter("signet_egress_refused_total", refused, labels{"for": "webhooks"}, webhooks.Refused),
		counter("signet_egress_refused_total", refused, labels{"for": "issuers"}, issuers.Refused))
}

// registerPushes adds the figures of what is pushed to browsers.
func registerPushes(metrics prometheus.Registerer, p *push.Pusher) error {
	const ended = "Pushes to browsers, by how they ended: the push service took it; the browser does not subscribe any " +
		"more; it failed, and is tried again; it was refused, and is not."
	return register(metrics,
		counter("signet_pushes_total", ended, labels{"outcome": "pushed"}, p.Counts.Pushed.Load),
		counter("signet_pushes_total", ended, labels{"outcome": "ended"}, p.Counts.Ended.Load),
		counter("signet_pushes_total", ended, labels{"outcome": "failed"}, p.Counts.Failed.Load),
		counter("signet_pushes_total", ended, labels{"outcome": "refused"}, p.Counts.Refused.Load),
		newHistogram("signet_push_seconds", "How long after a message was sent the push service had taken what tells of it.",
			nil, inSeconds, p.Took))
}
