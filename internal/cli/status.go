package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"signet/internal/config"
	"signet/internal/maintain"
)

type statusCommand struct {
	serverSettings
	JSON bool `name:"json" help:"Print JSON."`
}

func (statusCommand) Help() string {
	return `For those who run the server, on its machine. It takes the settings of "signet serve" and asks the server for
/readyz and /metrics; where none answers, it reads what the data directory or the database tells. The exit code is
0 where all is well, and 1 where something is to be seen to: the last lines say what.

Where "listen" is not set, it asks at the address that the server noted in operator.json.

Example:

  signet status --data /var/lib/signet`
}

func (c *statusCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	status, err := askStatus(ctx, con, cfg)
	if err != nil {
		return err
	}
	if c.JSON {
		status.Problems = append([]string{}, status.Problems...) // an empty list, not null
		status.Warnings = append([]string{}, status.Warnings...)
		err = con.json(status)
	} else {
		err = con.lines(statusLines(&status, time.Now())...)
	}
	if err == nil && len(status.Problems) > 0 {
		err = errors.New(strings.Join(status.Problems, "\n"))
	}
	return err
}

// askStatus asks the server, or else its store.
func askStatus(ctx context.Context, con *console, cfg *config.Config) (maintain.Status, error) {
	base, transport, err := statusAddress(con, cfg)
	if err != nil {
		return maintain.Status{}, wrongConfiguration{err}
	}
	defer transport.CloseIdleConnections()
	const most = 16 << 20
	ready, readyz, err := ask(ctx, transport, base+"/readyz", most)
	if err != nil {
		if ctx.Err() != nil {
			return maintain.Status{}, ctx.Err()
		}
		return maintain.StoredStatus(ctx, cfg)
	}
	from := base
	if cfg.Metrics.Listen != "" {
		own := *cfg
		own.Listen, own.TLS.Cert, own.ACME.Hosts = cfg.Metrics.Listen, "", nil
		if from, _, err = ownAddress(&own); err != nil {
			return maintain.Status{}, wrongConfiguration{err}
		}
	}
	code, metrics, err := ask(ctx, transport, from+"/metrics", most)
	if err != nil || code != http.StatusOK {
		metrics = ""
	}
	status := maintain.ServedStatus(cfg, ready == http.StatusOK, readyz, metrics, time.Now())
	status.URL = base
	return status, nil
}

// statusAddress is where the server is asked: where it listens by its settings, or, where
// these do not say, where it noted in operator.json that it is.
func statusAddress(con *console, cfg *config.Config) (string, *http.Transport, error) {
	if cfg.Listen == config.Default().Listen || strings.HasSuffix(cfg.Listen, ":0") {
		noted, err := (&access{Data: cfg.Data}).operator(con)
		if u, fault := url.Parse(noted.BaseURL); err == nil && fault == nil && u.Port() != "" {
			if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
				own := *cfg
				own.Listen = u.Host
				return ownAddress(&own)
			}
		}
	}
	return ownAddress(cfg)
}

// statusLines are the status for people.
func statusLines(s *maintain.Status, now time.Time) (lines []string) {
	add := func(what, format string, args ...any) {
		lines = append(lines, cells(what, fmt.Sprintf(format, args...)))
	}
	ago := func(at time.Time) string {
		if at.IsZero() {
			return "never"
		}
		return roughly(now.Sub(at)) + " ago"
	}
	switch {
	case !s.Running:
		add("server", "none answers on this machine")
	case !s.Ready:
		add("server", "%s, not ready: %s", s.URL, s.Why)
	default:
		add("server", "%s, ready", s.URL)
	}
	if s.Version != "" {
		add("version", "%s (%s), data of version %s", s.Version, s.Commit, s.Schema)
		add("started", "%s, %s", ago(s.Started), s.Started.Format(time.DateTime+" UTC"))
	} else if s.Schema != "" {
		add("data", "of version %s", s.Schema)
	}
	store := s.Store
	if s.StoreBytes > 0 {
		store += ", " + size(s.StoreBytes)
	}
	add("store", "%s, used by %d server(s)", store, s.Nodes)
	if m := s.Messages; m != nil {
		add("messages", "%d sent to %d recipients, %d delivered, %d read, %d expired, %d recalled, since the start", m.Sent,
			m.Copies, m.Delivered, m.Read, m.Expired, m.Recalled)
		add("streams", "%d", s.Streams)
	}
	if q := s.Queues; q != nil {
		add("queues", "%d events of %d accounts, the oldest %s old; behind: %d by more than a day, %d by more than 1,000 "+
			"events",
			q.Events, q.Accounts, roughly(time.Duration(q.OldestSeconds*float64(time.Second))), q.Old, q.Long)
	}
	if w := s.Sweep; w != nil {
		add("sweep", "%d messages wait, the oldest for %s; last %s; %d failures", w.Waiting,
			roughly(time.Duration(w.OldestSeconds*float64(time.Second))), ago(w.Last), w.Failures)
	}
	if s.Keys != nil {
		add("key ring", "%d keys", *s.Keys)
	}
	for _, place := range slices.Sorted(maps.Keys(s.FreeBytes)) {
		add("disk", "%s free for %s", size(s.FreeBytes[place]), place)
	}
	if s.Store == "embedded" {
		add("backup", "%s, %s", ago(s.Backup), size(s.BackupBytes))
	}
	if !s.CertificateEnds.IsZero() {
		add("certificate", "ends %s", s.CertificateEnds.Format(time.DateOnly))
	}
	return lines
}

// roughly writes a duration in its largest unit.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
