package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/api/output"
	"signet/internal/blob"
	"signet/internal/build"
	"signet/internal/config"
	"signet/internal/disk"
	"signet/internal/health"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/standby"
	"signet/internal/succession"
)

// The warnings of a standby.
const (
	topicFollowing = "standby"      // it does not follow
	topicReadiness = "standby_keys" // it could not become the server
)

const (
	// standbyLook is how often a standby looks how it is.
	standbyLook = time.Second

	// standbyPatience is how long it may not follow before it warns.
	standbyPatience = 10 * time.Second

	// restTime is how long a promotion waits for what the server that gave way still has, and goneTime how
	// long that server may be away meanwhile, or takes to show that it has heard of the promotion.
	restTime = 30 * time.Second
	goneTime = 2 * time.Second
	restLook = 10 * time.Millisecond

	// heardTime is how long a server that is there takes to read in a bucket that it is to give way.
	heardTime = 2 * time.Second
)

// Standby is a server that follows another one, from OpenStandby to the end of Run or Close. It answers
// whether it lives and how it is, and refuses all else.
type Standby struct {
	cfg      *config.Config
	log      *slog.Logger
	dir      string
	of       string
	id       string // of the copy
	first    standby.Other
	started  time.Time
	network  *network
	registry *prometheus.Registry
	warnings *health.Warnings
	exposure *exposure
	follower *standby.Follower
	ring     seal.Storage // what is copied of the first's key ring, or that itself
	room     *disk.Room   // it has to have some when it is promoted

	undo  undo
	close func() error
}

// OpenStandby prepares a standby: it makes and locks the data directory, opens the copy as far as there is
// one, and listens. After an error nothing stays open.
func OpenStandby(ctx context.Context, cfg *config.Config, log *slog.Logger) (_ *Standby, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	s := &Standby{cfg: cfg, log: log, dir: home.Absolute(cfg.Data), started: time.Now(), warnings: health.New(log)}
	s.close = sync.OnceValue(s.undo.all)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	s.exposure = (&App{cfg: cfg, log: log, dir: s.dir, warnings: s.warnings}).exposure()
	s.network = &network{cfg: cfg}
	if err := s.network.prepare(s.dir, log); err != nil {
		return nil, err
	}
	unlock, err := takeDirectory(s.dir, s.exposure)
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, unlock)
	if err := s.openFollower(ctx); err != nil {
		return nil, err
	}
	s.registry = newRegistry(s.warnings)
	if err := s.register(); err != nil {
		return nil, fmt.Errorf("register the metrics of the standby: %w", err)
	}
	s.room, err = openRoom(surroundings{cfg: cfg, log: log, dir: s.dir, metrics: s.registry, warnings: s.warnings,
		clock: time.Now})
	if err != nil {
		return nil, fmt.Errorf("register the metrics of the disk: %w", err)
	}
	s.undo = append(s.undo, s.room.Close, s.network.close)
	return s, s.network.listen()
}

// openFollower opens what is copied, and where to.
func (s *Standby) openFollower(ctx context.Context) error {
	if err := succession.ClearRequest(s.dir); err != nil {
		return err
	}
	var err error
	if s.of, err = succession.Followed(s.cfg); err != nil {
		return home.Misconfigured{Err: err}
	}
	if s.first, err = succession.OtherAt(s.cfg, s.of); err != nil {
		return home.Misconfigured{Err: err}
	}
	s.undo = append(s.undo, func() error { s.first.Close(); return nil })
	note, err := succession.BeginCopy(s.dir, s.of)
	if err != nil {
		return err
	}
	s.id = note.ID
	ring, err := home.Keyring(ctx, s.cfg.Keyring, s.dir, true)
	if err != nil {
		return home.SetupFault(err)
	}
	s.ring = ring
	s.undo = append(s.undo, ring.Close)
	where := home.Blobs(s.dir, s.cfg.Blobs)
	files, err := blob.At(where)
	if err != nil {
		return err
	}
	s.undo = append(s.undo, files.Close)
	bucket := strings.Contains(where, "://")
	if !bucket {
		if err := files.Begin(ctx); err != nil {
			return err
		}
	}
	version, _ := build.Info()
	o := standby.FollowerOptions{Copy: succession.CopyPath(s.dir), ID: note.ID, Build: version,
		Ring: ring, SameRing: strings.HasPrefix(s.cfg.Keyring, "postgres"), Files: files, SameFile: bucket,
		RingCame: func(ctx context.Context) { _ = s.ready(ctx); s.copyRing(ctx) }, Log: s.log}
	o.Follow(s.first)
	if s.follower, err = standby.NewFollower(o); err != nil {
		return err
	}
	s.undo = append(s.undo, s.follower.Close)
	return nil
}

// ready returns nil where the standby could become the server, and keeps the warning.
func (s *Standby) ready(ctx context.Context) error {
	err := succession.KeysFit(ctx, s.cfg)
	if err == nil {
		s.warnings.Clear(topicReadiness)
		return nil
	}
	s.warnings.Set(topicReadiness, "this standby could not become the server: what it copies is sealed, and its key ring "+
		"does not open; copy the master key of the server that it follows to where master_key says (the log has the reason)",
		"error", err)
	return err
}

// copyRing makes the copy of the key ring that a server of this directory has kept (setting keyring.copy) what
// the key ring is, so that keys which are destroyed are in neither, and keeps the warning. Where there is no
// copy, none is made before the standby is promoted.
func (s *Standby) copyRing(ctx context.Context) {
	path, isFile := strings.CutPrefix(s.cfg.KeyringCopy, "file:")
	if !isFile || !home.Exists(path) {
		s.warnings.Clear(topicRingCopy)
		return
	}
	contents, _, err := s.ring.Load(ctx, true)
	if err == nil && contents != nil {
		err = seal.Mirror(ctx, seal.OpenFileBeside(path), contents)
	}
	if err == nil {
		s.warnings.Clear(topicRingCopy)
		return
	}
	s.warnings.Set(topicRingCopy, "the copy of the key ring (keyring.copy) could not be made what the key ring is: it "+
		"may hold keys that were destroyed; it is tried again", "error", err)
}

func (s *Standby) register() error {
	return errors.Join(s.network.register(s.registry), registerStandby(s.registry, s.follower, s.started),
		registerBuild(s.registry), register(s.registry, gauge("signet_ready", readyHelp, nil,
			func() float64 { return 0 })))
}

// Addr is where the standby says how it is, and where it serves once it is promoted.
func (s *Standby) Addr() net.Addr { return s.network.listener.Addr() }

// StandbyAddr is where the other server of the pair reaches it, or nil where it cannot.
func (s *Standby) StandbyAddr() net.Addr {
	if s.network.standby == nil {
		return nil
	}
	return s.network.standby.Addr()
}

// MetricsAddr is where /metrics is served without credentials, or nil where it is not.
func (s *Standby) MetricsAddr() net.Addr {
	if s.network.metrics == nil {
		return nil
	}
	return s.network.metrics.Addr()
}

// BaseURL is the URL of Addr.
func (s *Standby) BaseURL() string { return s.network.baseURL() }

// Reload is that of App.
func (s *Standby) Reload() { s.network.refresh() }

// Of is the server that it follows.
func (s *Standby) Of() string { return s.of }

// Close releases everything that OpenStandby took; Run does it itself. It may be called twice.
func (s *Standby) Close() error { return s.close() }

// Run follows until ctx ends, or the standby was promoted: then it returns true, and a server may be opened
// on its directory. It is called once.
func (s *Standby) Run(ctx context.Context) (promoted bool, err error) {
	tasks, endTasks := context.WithCancel(context.WithoutCancel(ctx))
	defer endTasks()
	follow, endFollow := context.WithCancel(tasks)
	defer endFollow()
	var running sync.WaitGroup
	failed := make(chan error, 4)
	followed := make(chan struct{})
	running.Go(func() {
		defer close(followed)
		if err := s.follower.Run(follow); err != nil {
			failed <- fmt.Errorf("close the copy: %w", err)
		}
	})
	servers := s.serve(tasks, &running, failed)
	for _, task := range []func(context.Context){s.network.watch, s.exposure.run, s.room.Run, s.look} {
		running.Go(func() { task(tasks) })
	}
	done := make(chan struct{})
	running.Go(func() {
		give := func() { endFollow(); <-followed }
		promote := func() (p succession.Promotion, err error) {
			if p, err = s.promote(tasks, give); err != nil && follow.Err() != nil && tasks.Err() == nil {
				failed <- err // it follows no more; the next start finishes the promotion
			}
			return p, err
		}
		if succession.Requests(tasks, s.dir, promote) {
			close(done)
		}
	})
	s.log.Info("standby", "of", s.of, "data", s.dir)
	select {
	case <-ctx.Done():
	case err = <-failed:
	case <-done:
		promoted = true
	}
	endTasks()
	for _, server := range servers {
		server.Close()
	}
	running.Wait()
	select {
	case <-done: // both at a time
		promoted = true
	default:
	}
	if err = errors.Join(err, s.Close()); err == nil && !promoted {
		s.log.Info("stopped")
	}
	return promoted && err == nil && ctx.Err() == nil, err
}

// serve serves the sockets.
func (s *Standby) serve(tasks context.Context, running *sync.WaitGroup, failed chan<- error) (servers []*http.Server) {
	serve := func(server *http.Server, l net.Listener) {
		servers = append(servers, server)
		running.Go(func() {
			var err error
			if server.TLSConfig != nil {
				err = server.ServeTLS(l, "", "")
			} else {
				err = server.Serve(l)
			}
			if !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
			}
		})
	}
	n := s.network
	server := n.server(tasks, n.proxies.Secure(s.cfg.TLS.HSTS, s.front()))
	server.TLSConfig = n.encryption()
	serve(server, n.limited(n.listener))
	if n.metrics != nil {
		serve(n.server(tasks, metricsOnly(s.registry)), n.metrics)
	}
	if n.redirect != nil {
		serve(n.server(tasks, n.redirects()), n.limited(n.redirect))
	}
	if n.standby != nil {
		serve(n.between(tasks, s.follower.Handler()), n.standby)
	}
	return servers
}

// front answers what is about the standby itself, and refuses all else.
func (s *Standby) front() http.Handler {
	metrics := metricsHandler(s.registry)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimSuffix(r.URL.Path, "/"); {
		case path == "/healthz":
			answerProbe(w, r, nil, nil)
		case path == "/readyz":
			answerProbe(w, r, s.readiness(), s.warnings.All())
		case path == "/metrics" && s.network.metrics == nil && s.network.fromThisMachine(r):
			metrics.ServeHTTP(w, r)
		default:
			w.Header().Set("Connection", "close") // the next attempt may find the first
			output.Refuse(w, r, &model.Error{Kind: model.Unavailable, Code: "unavailable", RetryAfter: retryAfter,
				Message: "This server is a standby, which serves nobody: call the server that it follows."})
		}
	})
}

// readiness says that the standby serves nobody, and how it is.
func (s *Standby) readiness() error {
	f := s.follower.Status()
	switch {
	case !f.Whole:
		return errors.New("standby: it has no whole copy yet")
	case !f.Connected:
		return fmt.Errorf("standby: it does not follow; it has all that was confirmed until %s", moment(f.AsOf))
	case f.Missing < 0:
		return fmt.Errorf("standby: it compares its files; else it has all that was confirmed until %s", moment(f.AsOf))
	case f.Missing > 0:
		return fmt.Errorf("standby: it has still to copy %d files; else it has all that was confirmed until %s", f.Missing,
			moment(f.AsOf))
	}
	return fmt.Errorf("standby: it has all that was confirmed until %s", moment(f.AsOf))
}

// moment writes a time for people.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// look keeps the warnings of the standby, until ctx ends.
func (s *Standby) look(ctx context.Context) {
	tick := time.NewTicker(standbyLook)
	defer tick.Stop()
	for {
		f := s.follower.Status()
		if lag(time.Now, f.Current, s.started) < standbyPatience.Seconds() || f.Connected && f.Waiting > 0 {
			s.warnings.Clear(topicFollowing)
		} else {
			s.warnings.Set(topicFollowing, "this standby does not follow: what the server confirms meanwhile would be lost "+
				"with it; the log has the reason")
		}
		if f.Whole && s.warnings.Holds(topicReadiness) {
			_ = s.ready(ctx) // somebody may have brought the master key
		}
		if s.warnings.Holds(topicRingCopy) {
			s.copyRing(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// promote makes the standby the server of the next term. stop ends the following.
func (s *Standby) promote(ctx context.Context, stop func()) (p succession.Promotion, err error) {
	f := s.follower.Status()
	if err := succession.Fit(ctx, s.cfg, &f); err != nil {
		return p, err
	}
	if s.cfg.ByBucket() && f.Problem == "" && time.Since(f.Emptied) > standbyPatience {
		return p, errors.New("this standby has not read yet all that is in the bucket: its /readyz says how far it is; " +
			"promote it when it has")
	}
	s.log.Info("this standby is promoted")
	// Files go from a first to its standby only: what it lacks then, it never gets.
	current := f.Connected && f.Missing == 0 && lag(time.Now, f.Current, s.started) < standbyPatience.Seconds()
	if err := succession.Claim(ctx, s.first, s.id, f.Position, current, &p); err != nil {
		return p, err
	}
	switch {
	case s.cfg.ByBucket():
		p.All = s.awaitBucket(ctx, time.Now())
		p.Fenced = p.All
	case p.Fenced:
		p.All = s.awaitRest(ctx, restTime, goneTime)
	case p.Sent: // it may have heard, and its answer be lost
		p.All = s.awaitRest(ctx, goneTime, 0)
		p.Fenced = p.All
	}
	if err := ctx.Err(); err != nil { // what the other one still has was on its way
		return p, succession.Interrupted(err)
	}
	if !p.Fenced {
		s.log.Warn("the server that this standby followed could not be told to give way: it is told as soon as it is back",
			"server", s.of, "error", p.Reason)
	}
	stop()
	f = s.follower.Status()
	p.AsOf, p.Lacks = f.AsOf, f.Missing
	return p, succession.Take(s.dir, p.Term)
}

// awaitBucket is awaitRest by a bucket, in which a claim was made at a time: it waits until the standby has all
// that is there, and the server that serves, if it shows that it is there, has read the claim.
func (s *Standby) awaitBucket(ctx context.Context, claimed time.Time) bool {
	late := time.After(restTime)
	tick := time.NewTicker(restLook)
	defer tick.Stop()
	for {
		f := s.follower.Status()
		switch {
		case f.Final:
			return true
		case !f.Connected && time.Since(claimed) >= heardTime && (f.Emptied.After(claimed) || f.Problem != ""):
			return false
		}
		select {
		case <-tick.C:
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// awaitRest waits until the standby has all that the server which gave way ever confirmed, and reports
// whether it has. It waits no longer than most, and for a server that is away no longer than gone.
func (s *Standby) awaitRest(ctx context.Context, most, gone time.Duration) bool {
	late := time.After(most)
	tick := time.NewTicker(restLook)
	defer tick.Stop()
	connected := time.Now()
	for {
		f := s.follower.Status()
		switch {
		case f.Final:
			return true
		case f.Connected:
			connected = time.Now()
		case time.Since(connected) >= gone:
			return false
		}
		select {
		case <-tick.C:
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
