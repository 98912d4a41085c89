package succession

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"signet/internal/config"
	"signet/internal/standby"
)

const (
	// peerLook is how often a first asks the other server of its pair what it is, and claimLook how often it looks
	// for that in a bucket.
	peerLook  = 5 * time.Second
	claimLook = time.Second

	// startTime is how long a start waits for the answer.
	startTime = 3 * time.Second
)

// Peers are the servers that may have taken over from a first, or from which it did.
type Peers struct {
	peers []standby.Other
	every time.Duration
	log   *slog.Logger
	told  bool // that both serve
	self  func(context.Context) (standby.State, error)

	// give has this server confirm nothing any more.
	give func(context.Context, standby.Claim) error
}

// NewPeers returns those that the settings and the directory name; none is no error.
func NewPeers(cfg *config.Config, dir string, log *slog.Logger, self func(context.Context) (standby.State, error),
	give func(context.Context, standby.Claim) error) (*Peers, error) {
	p := &Peers{log: log, self: self, give: give, every: peerLook}
	note, err := readNote(dir)
	if err != nil {
		return nil, err
	}
	var urls []string
	if cfg.Standby.Peer != "" {
		urls = append(urls, cfg.Standby.Peer)
	}
	if note != nil && note.Of != "" && !isBucket(note.Of) && !slices.Contains(urls, note.Of) {
		urls = append(urls, note.Of)
	}
	if len(urls) > 0 && cfg.Standby.Key == "" {
		log.Warn("without standby.key the server that this one took over from cannot be told, where it comes back",
			"server", note.Of)
		return p, nil
	}
	if note != nil && isBucket(note.Of) && cfg.Standby.Bucket == "" {
		log.Warn("without standby.bucket the server that this one took over from cannot be told, where it comes back",
			"server", note.Of)
	}
	if cfg.Standby.Bucket != "" {
		bucket, err := BucketOf(cfg, os.Getenv)
		if err != nil {
			return nil, misconfigured(err)
		}
		p.peers = append(p.peers, bucket.Claims())
		p.every = claimLook
	}
	for _, url := range urls {
		peer, err := PeerAt(cfg, url)
		if err != nil {
			return nil, misconfigured(err)
		}
		p.peers = append(p.peers, peer)
	}
	return p, nil
}

// Close closes their connections.
func (p *Peers) Close() error {
	for _, peer := range p.peers {
		peer.Close()
	}
	return nil
}

// WantNone returns an error where one of them has taken over, which is noted in the directory. One that
// does not answer soon has not: a server has to start without the other one.
func (p *Peers) WantNone(ctx context.Context, dir string) error {
	for _, peer := range p.peers {
		err := p.ask(ctx, peer, startTime, func(_ context.Context, c standby.Claim) error { return NoteFenced(dir, c) })
		if err != nil {
			p.log.Warn("the other server of the pair was not asked whether it has taken over", "peer", peer.String(),
				"error", err)
		}
		if err := Fenced(dir); err != nil {
			return misconfigured(err)
		}
	}
	return nil
}

// Run asks them until ctx ends: whether one has taken over from this server, which then gives way, and
// whether one from which this server took over is back, which then is told.
func (p *Peers) Run(ctx context.Context) {
	if len(p.peers) == 0 {
		return
	}
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		for _, peer := range p.peers {
			if err := p.ask(ctx, peer, askTime, p.give); err != nil && ctx.Err() == nil {
				p.log.Debug("the other server of the pair does not answer", "peer", peer.String(), "error", err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// ask asks one what it is, and has the one of the lower term give way.
func (p *Peers) ask(ctx context.Context, peer standby.Other, within time.Duration,
	give func(context.Context, standby.Claim) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	self, err := p.self(ctx)
	if err != nil {
		return err
	}
	other, err := peer.State(ctx)
	switch {
	case err != nil:
		return err
	case other.Installation == "": // a standby that has nothing yet
		return nil
	case other.Installation != self.Installation:
		return fmt.Errorf("%s is of installation %s, and this server is %s", peer, other.Installation, self.Installation)
	case other.Term > self.Term:
		p.log.Error("another server has taken over: this one confirms nothing any more", "peer", peer.String(), "term",
			other.Term, "own_term", self.Term)
		return give(ctx, standby.Claim{Installation: other.Installation, Term: other.Term,
			By: cmp.Or(other.By, peer.String())})
	case other.Role == standby.First && other.Term < self.Term:
		_, err := peer.Fence(ctx, standby.Claim{Installation: self.Installation, Term: self.Term, By: Machine()})
		if err == nil {
			p.log.Info("the server that this one took over from was told to give way", "peer", peer.String())
		}
		return err
	case other.Role == standby.First && !p.told:
		p.told = true
		p.log.Error("two servers of one installation both serve, in the same term: stop one, and make it the standby of the "+
			"other (\"signet demote --force\")", "peer", peer.String(), "term", self.Term)
	}
	return nil
}
