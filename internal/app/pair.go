package app

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"signet/internal/blob"
	"signet/internal/build"
	"signet/internal/home"
	"signet/internal/standby"
	"signet/internal/store"
	"signet/internal/store/sqlite"
	"signet/internal/succession"
)

const (
	// pairLook is how often it is looked at whether a standby follows.
	pairLook = 5 * time.Second

	// pairPatience is how long none may before the operator is warned.
	pairPatience = time.Minute

	// fenceTime is how long it may take to fence the store.
	fenceTime = 10 * time.Second

	topicStandby = "standby" // of the warning
)

// pair is what a first has to do with its standby, and with the server that may have taken over from it.
type pair struct {
	in        surroundings
	sender    *standby.Sender   // nil: none can follow
	peers     *succession.Peers // nil: there is no pair
	fenced    chan error        // receives once another server has taken over
	ended     chan struct{}     // closed once the standby has what a server that stops has, or is not waited for
	started   time.Time
	promoting bool // this server has just taken over itself
}

// openPair begins the term of a standby that was promoted, refuses to start where another server has taken
// over, and lets a standby follow.
func (d *data) openPair(ctx context.Context, in surroundings, taken *undo) (err error) {
	p := &pair{in: in, fenced: make(chan error, 1), ended: make(chan struct{}), started: in.clock()}
	d.pair = p
	engine, embedded := d.engine.(*sqlite.Engine)
	if !embedded {
		return nil
	}
	if p.promoting, err = succession.Begin(ctx, in.dir, d.kept); err != nil {
		return err
	}
	now, err := selfOf(ctx, d.kept)
	if err != nil {
		return err
	}
	claim, err := succession.ClaimID(in.dir, now.Term)
	if err != nil {
		return err
	}
	self := func(ctx context.Context) (standby.State, error) {
		s, err := selfOf(ctx, d.kept)
		s.Claim = claim
		return s, err
	}
	if p.promoting {
		in.log.Info("this server was a standby, and is the first from now on", "term", now.Term, "epoch", now.Epoch)
	}
	give := func(ctx context.Context, c standby.Claim) error {
		if p.sender != nil { // its standby is to have the rest
			return p.sender.GiveWay(ctx, c)
		}
		return p.give(ctx, engine, c, func() {})
	}
	if p.peers, err = succession.NewPeers(in.cfg, in.dir, in.log, self, give); err != nil {
		return err
	}
	*taken = append(*taken, p.peers.Close)
	// A standby that was promoted too: where it did not run, it may start long afterwards.
	if err = p.peers.WantNone(ctx, in.dir); err != nil || in.cfg.Standby.Listen == "" && in.cfg.Standby.Bucket == "" {
		return err
	}
	return p.openSender(ctx, in, engine, self, taken)
}

// openSender lets a standby follow.
func (p *pair) openSender(ctx context.Context, in surroundings, engine *sqlite.Engine,
	self func(context.Context) (standby.State, error), taken *undo) error {
	key, err := standby.ReadKey(in.cfg.Standby.Key, os.Getenv)
	if err != nil {
		return home.Misconfigured{Err: err}
	}
	var bucket *standby.Bucket
	if in.cfg.Standby.Bucket != "" {
		if bucket, err = succession.BucketOf(in.cfg, os.Getenv); err != nil {
			return home.Misconfigured{Err: err}
		}
		*taken = append(*taken, func() error { bucket.Close(); return nil })
	}
	ring, err := home.Keyring(ctx, in.cfg.Keyring, in.dir, false)
	if err != nil {
		return err
	}
	version, _ := build.Info()
	p.sender = standby.NewSender(standby.SenderOptions{Engine: engine, Ring: ring, Key: key, Build: version, Self: self,
		Bucket: bucket, SameRing: strings.HasPrefix(in.cfg.Keyring, "postgres"), Machine: succession.Machine(),
		Fence: func(ctx context.Context, c standby.Claim, fenced func()) error { return p.give(ctx, engine, c, fenced) },
		Clock: in.clock, Log: in.log})
	*taken = append(*taken, p.sender.Close)
	return nil
}

// selfOf is what a server is to the other one of its pair.
func selfOf(ctx context.Context, kept *store.Store) (s standby.State, err error) {
	i, err := kept.Identity(ctx)
	if err != nil {
		return s, err
	}
	term, err := kept.Term(ctx)
	return standby.State{Installation: i.Installation, Epoch: i.Epoch, Term: term, Role: standby.First}, err
}

// give has this server confirm nothing from now on, not start again as the first, and end. It calls fenced before
// the end.
func (p *pair) give(ctx context.Context, engine *sqlite.Engine, c standby.Claim, fenced func()) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fenceTime)
	defer cancel()
	// Where the directory has no room for the note, nothing is confirmed all the same. The server stays, for a
	// start would know nothing of it, and is told again.
	if err := errors.Join(succession.NoteFenced(p.in.dir, c), engine.Fence(ctx)); err != nil {
		return err
	}
	fenced()
	select {
	case p.fenced <- home.Misconfigured{Err: succession.Fenced(p.in.dir)}:
	default: // it ends already
	}
	return nil
}

// watchFence waits until another server has taken over, or a newer one has brought the data of a shared
// store to a version that this one cannot work with; then it returns what says so.
func (p *pair) watchFence(ctx context.Context, in surroundings, kept *store.Store) error {
	if in.cfg.Database != "" {
		return watchVersion(ctx, in, kept)
	}
	select {
	case err := <-p.fenced:
		return err
	case <-ctx.Done():
		return nil
	}
}

// watch has a standby get files, and learn of those that come and go. away is called where the place of the files is
// found to be away: what is not there is not erased then.
func (p *pair) watch(files blob.Store, away func()) blob.Store {
	if p.sender == nil || p.sender.Bucket != nil { // standbys have the same files
		return files
	}
	p.sender.Files = blob.WhilePresent(files, away)
	return p.sender.Watch(files)
}

// handler answers on standby.listen.
func (p *pair) handler() http.Handler {
	if p.sender == nil || p.sender.Bucket != nil {
		return nil
	}
	return p.sender.Handler()
}

// handOver says that another program goes on with the data.
func (p *pair) handOver() {
	if p.sender != nil {
		p.sender.HandOver()
	}
}

// run is what a pair does beside calls, until ctx ends, and until a standby has everything then.
func (p *pair) run(ctx context.Context) {
	defer close(p.ended)
	if p.peers == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.peers.Run(ctx)
	}()
	if p.sender != nil {
		defer p.sender.Fill(context.WithoutCancel(ctx))()
		p.warn(ctx)
		p.sender.Run(ctx)
	}
	<-done
}

// warn tells the operator while no standby has everything, until ctx ends.
func (p *pair) warn(ctx context.Context) {
	tick := time.NewTicker(pairLook)
	defer tick.Stop()
	since := p.in.clock()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if now := p.sender.Figures().Current; now.After(since) {
			since = now
		}
		if p.in.clock().Sub(since) < pairPatience {
			p.in.warnings.Clear(topicStandby)
			continue
		}
		if f := p.sender.Figures(); f.Problem != "" {
			p.in.warnings.Set(topicStandby, "the bucket of standbys (standby.bucket) does not have all that this server has "+
				"confirmed: if this machine is lost, so is what the bucket lacks; the log has the reason", "error", f.Problem)
			continue
		}
		p.in.warnings.Set(topicStandby, "no standby has all that this server has confirmed: if this machine is lost, so is "+
			"what the standby lacks; look at the standby's /readyz and log, or leave standby.listen out of the settings")
	}
}
