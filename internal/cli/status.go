package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"signet/client"
	"signet/internal/commandline"
	"signet/internal/config"
	"signet/internal/offline"
)

type statusCommand struct {
	serverSettings
}

func (statusCommand) Help() string {
	return `It asks the server how the installation is doing: with SIGNET_API_KEY and SIGNET_API_SECRET at
SIGNET_URL, or as the operator of the server whose data directory the settings name.

Without SIGNET_URL it is for the server's own machine, takes the settings of "signet serve", and has other ways:
if there are no operator's credentials, or the server's store is unavailable, it asks for /readyz and /metrics;
if no server answers, it reads the data directory or the database. If "listen" is not set, it asks at the
address that the server recorded in operator.json.

The exit code is 0 if all is well, and 1 if something needs attention: the last lines say what.

Example:

  signet status --data /var/lib/signet`
}

// status is how an installation does, as the command shows it. What is not known is left
// out.
type status struct {
	Running  bool     `json:"running"` // a server answers
	URL      string   `json:"url,omitempty"`
	Alive    int      `json:"alive_nodes"` // that share the database
	Problems []string `json:"problems"`    // what the operator has to see to, one line each
	client.InstallationStatus
}

func (c *statusCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	s, err := findStatus(ctx, con, cfg)
	if err != nil {
		return err
	}
	s.note(time.Now())
	if con.asJSON {
		s.Problems = append([]string{}, s.Problems...) // an empty list, not null
		err = con.json(s)
	} else {
		err = con.lines(s.lines(time.Now())...)
	}
	if err == nil && len(s.Problems) > 0 {
		err = errors.New(strings.Join(s.Problems, "\n"))
	}
	return err
}

// findStatus asks the server, and on its machine, where that is no good, its metrics or its
// store.
func findStatus(ctx context.Context, con *console, cfg *config.Config) (*status, error) {
	s, err := callStatus(ctx, con, cfg)
	switch {
	case err == nil, ctx.Err() != nil:
		return s, err
	case con.env.Variable(commandline.URLVariable) != "":
		return nil, fmt.Errorf("%s: %w", con.env.Variable(commandline.URLVariable), err)
	}
	return localStatus(ctx, con, cfg)
}

// callStatus makes the call.
func callStatus(ctx context.Context, con *console, cfg *config.Config) (*status, error) {
	c, err := (&dataFlags{Data: cfg.Data}).server(ctx, con)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, errors.New("no server answers, or there are no credentials")
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	told, err := c.InstallationStatus(ctx)
	if err != nil {
		return nil, err
	}
	s := &status{Running: true, URL: strings.TrimSuffix(c.BaseURL(), "/v2"), InstallationStatus: *told}
	for _, n := range s.Nodes {
		if n.Alive {
			s.Alive++
		}
	}
	return s, nil
}

// localStatus asks the server of this machine for what takes no credentials, or else its
// store.
func localStatus(ctx context.Context, con *console, cfg *config.Config) (*status, error) {
	served, err := readServed(ctx, con, cfg)
	switch {
	case err == nil:
		s := servedStatus(served.ready, served.readyz, served.metrics)
		s.URL, s.Store = served.url, storeName(cfg)
		return s, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, new(wrongConfiguration)):
		return nil, err
	}
	return storedStatus(ctx, cfg)
}

// served is what the server of this machine tells without credentials.
type served struct {
	url     string
	ready   bool
	readyz  string
	metrics string // empty: it serves none here
}

// readServed asks the server of this machine. The error says why none answers.
func readServed(ctx context.Context, con *console, cfg *config.Config) (s served, err error) {
	base, transport, err := statusAddress(con, cfg)
	if err != nil {
		return s, wrongConfiguration{err}
	}
	defer transport.CloseIdleConnections()
	const most = 16 << 20
	code, readyz, err := ask(ctx, transport, base+"/readyz", most)
	if err != nil {
		return s, err
	}
	s = served{url: base, ready: code == http.StatusOK, readyz: readyz}
	from := base
	if cfg.Metrics.Listen != "" {
		own := *cfg
		own.Listen, own.TLS.Cert, own.ACME.Hosts = cfg.Metrics.Listen, "", nil
		if from, _, err = ownAddress(&own); err != nil {
			return s, wrongConfiguration{err}
		}
	}
	if code, metrics, err := ask(ctx, transport, from+"/metrics", most); err == nil && code == http.StatusOK {
		s.metrics = metrics
	}
	return s, nil
}

// storedStatus is what the data tells where no server answers.
func storedStatus(ctx context.Context, cfg *config.Config) (*status, error) {
	stored, err := offline.StoredStatus(ctx, cfg)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	s := &status{InstallationStatus: client.InstallationStatus{
		Time: now.UTC(), Store: storeName(cfg), Data: stored.Schema,
		Storage: client.Storage{DatabaseBytes: stored.Database, LogBytes: stored.Log},
		Sweep:   client.Waiting{Waiting: stored.Backlog.Messages, OldestTime: stored.Backlog.Oldest},
		Pieces: client.Waiting{Waiting: stored.Backlog.Work.Pieces + stored.Backlog.Work.Histories,
			OldestTime: stored.Backlog.Work.Oldest},
		Queues: &client.Queues{CountedTime: stored.Queues.Counted, Accounts: stored.Queues.Accounts,
			Events: stored.Queues.Events, BehindByAge: stored.Queues.Old, BehindByLength: stored.Queues.Long,
			OldestEventTime: stored.Queues.Oldest},
	}}
	if cfg.Database == "" {
		b := stored.Backup
		s.Backup = &client.Backup{SucceededTime: b.Succeeded, Bytes: b.Bytes, FailedTime: b.Failed}
	}
	for _, n := range stored.Nodes {
		alive := n.Lease.After(now)
		if alive {
			s.Alive++
		}
		s.Nodes = append(s.Nodes, client.Node{Name: n.Name, Version: n.Version, StartedTime: n.Started, HeardTime: n.Heard,
			Alive: alive})
	}
	return s, nil
}

func storeName(cfg *config.Config) string {
	if cfg.Database == "" {
		return "embedded"
	}
	return "postgresql"
}

// statusAddress is where the server is asked: where it listens by its settings, or, where
// these do not say, where it noted in operator.json that it is.
func statusAddress(con *console, cfg *config.Config) (string, *http.Transport, error) {
	if cfg.Listen == config.Default().Listen || strings.HasSuffix(cfg.Listen, ":0") {
		noted, err := accessTo(cfg.Data).Operator(con.env)
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
