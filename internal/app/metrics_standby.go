package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/standby"
)

// registerPair adds how far a standby is, at the server that it follows.
func registerPair(in surroundings, p *pair) error {
	if p.sender == nil || in.metrics == nil {
		return nil
	}
	f := p.sender.Figures
	return register(in.metrics,
		gauge("signet_standby_connected", "1 while a standby and the server that it follows are connected, else 0.", nil,
			func() float64 { return oneIf(f().Connected) }),
		gauge("signet_standby_lag_seconds", "For how long the standby may lack something; of a standby, and of the server "+
			"that it follows.", nil, func() float64 { return lag(in.clock, f().Current, p.started) }),
		gauge("signet_standby_lag_bytes", "Bytes of the database that the standby lacks; of a standby as it was told last.",
			nil, func() float64 { return float64(f().Waiting) }),
		counter("signet_standby_bytes_total", "Bytes of the database that went to the standby, or came.", nil,
			func() int64 { return f().Sent }),
		counter("signet_standby_commits_total", "States of the database that the standby has acknowledged.", nil,
			func() int64 { return f().Commits }),
		counter("signet_standby_refused_total", "Requests on standby.listen that were refused because they had no key, or "+
			"another one.", nil, func() int64 { return f().Refused }))
}

// lag is for how long a standby may lack something: since it last had everything, or since the start.
func lag(clock func() time.Time, current, started time.Time) float64 {
	if current.Before(started) {
		current = started
	}
	return max(0, clock().Sub(current).Seconds())
}

// registerStandby adds the same at the standby.
func registerStandby(metrics prometheus.Registerer, f *standby.Follower, started time.Time) error {
	s := f.Status
	return register(metrics,
		gauge("signet_standby_connected", "1 while a standby and the server that it follows are connected, else 0.", nil,
			func() float64 { return oneIf(s().Connected) }),
		gauge("signet_standby_lag_seconds", "For how long the standby may lack something; of a standby, and of the server "+
			"that it follows.", nil, func() float64 { return lag(time.Now, s().Current, started) }),
		gauge("signet_standby_lag_bytes", "Bytes of the database that the standby lacks; of a standby as it was told last.",
			nil, func() float64 { return float64(s().Waiting) }),
		gauge("signet_standby_files_missing", "Files that the standby was still to copy when it last compared them; -1 "+
			"while it does.", nil,
			func() float64 { return float64(s().Missing) }),
		counter("signet_standby_bytes_total", "Bytes of the database that went to the standby, or came.", nil,
			func() int64 { return s().Bytes }),
		counter("signet_standby_commits_total", "States of the database that the standby has acknowledged.", nil,
			func() int64 { return s().Commits }))
}
