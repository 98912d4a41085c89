package succession

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"signet/internal/config"
	"signet/internal/disk"
	"signet/internal/home"
	"signet/internal/seal"
	"signet/internal/standby"
)

const (
	// askTime is how long another server may take to say what it is, and to give way. A promotion whose
	// server is gone waits for it once, and the start after it once more.
	askTime = 3 * time.Second

	// leastRoom is how much room the disk of a standby has to have: a server whose disk is full confirms
	// nothing, and the other one would have given way for it.
	leastRoom = 16 << 20
)

// Followed is the server that a standby with these settings follows, as it is noted in its directory and told to
// people: a URL, or where the bucket is.
func Followed(cfg *config.Config) (string, error) {
	if !cfg.ByBucket() {
		return strings.TrimRight(cfg.StandbyOf, "/"), nil
	}
	return bucketName(cfg)
}

func bucketName(cfg *config.Config) (string, error) {
	bucket, err := BucketOf(cfg, os.Getenv)
	if err != nil {
		return "", err
	}
	defer bucket.Close()
	return bucket.String(), nil
}

// isBucket reports whether what is noted is where a bucket is.
func isBucket(of string) bool { return strings.HasPrefix(of, "s3://") }

// OtherAt returns the server that is noted: the one at a URL, or the one by the bucket of the settings.
func OtherAt(cfg *config.Config, of string) (standby.Other, error) {
	if !isBucket(of) {
		return PeerAt(cfg, of)
	}
	if cfg.Standby.Bucket == "" {
		return nil, fmt.Errorf("%s was followed, and no setting says where that is (standby.bucket)", of)
	}
	return BucketOf(cfg, os.Getenv)
}

// BucketOf returns the bucket by which the servers of these settings follow one another. getenv is the environment
// of the server.
func BucketOf(cfg *config.Config, getenv func(string) string) (*standby.Bucket, error) {
	key, err := standby.ReadKey(cfg.Standby.Key, getenv)
	if err != nil {
		return nil, err
	}
	return standby.NewBucket(cfg.Standby.Bucket, key)
}

// PeerAt returns the server of a pair at a URL.
func PeerAt(cfg *config.Config, url string) (*standby.Peer, error) {
	return peerAt(cfg, url, os.Getenv)
}

func peerAt(cfg *config.Config, url string, getenv func(string) string) (*standby.Peer, error) {
	key, err := standby.ReadKey(cfg.Standby.Key, getenv)
	if err != nil {
		return nil, err
	}
	return standby.NewPeer(url, key, cfg.Standby.CA)
}

// CheckPair returns what is wrong with the files that the settings of a pair name. getenv is the
// environment of the server.
func CheckPair(cfg *config.Config, getenv func(string) string) error {
	if cfg.Standby.Key == "" {
		return nil
	}
	if cfg.Standby.Bucket != "" {
		bucket, err := BucketOf(cfg, getenv)
		if err == nil {
			bucket.Close()
		}
		return err
	}
	peer, err := peerAt(cfg, cfg.StandbyOf, getenv)
	if err == nil {
		peer.Close()
	}
	return err
}

// KeysFit returns nil where the key ring of a standby opens with the master key of its settings: it could
// read what is sealed. A *seal.SetupError says what is missing.
func KeysFit(ctx context.Context, cfg *config.Config) error {
	o := seal.Options{Existing: true, Clock: time.Now, Log: slog.New(slog.DiscardHandler)}
	ring, err := home.OpenRing(ctx, cfg, home.Absolute(cfg.Data), o, func() (seal.Storage, error) {
		return home.Keyring(ctx, cfg.Keyring, home.Absolute(cfg.Data), false)
	})
	if err != nil {
		return err
	}
	return ring.Close()
}

// Machine is what this one is called, for people.
func Machine() string {
	host, err := os.Hostname()
	if err != nil {
		return "a machine without a name"
	}
	return host
}

// Fit returns nil where a standby could become the server: it has a whole copy, its key ring opens, and
// its disk has room. It is asked before the other one gives way.
func Fit(ctx context.Context, cfg *config.Config, copied *standby.Status) error {
	if !copied.Whole {
		return errors.New("this standby has no whole copy yet: it cannot become the server")
	}
	if free, _, ok := disk.Free(home.Absolute(cfg.Data)); ok && free < leastRoom {
		return fmt.Errorf("this standby cannot become the server: its disk is full (%d KiB are free)", free>>10)
	}
	if err := KeysFit(ctx, cfg); err != nil {
		return fmt.Errorf("this standby cannot become the server: %w", err)
	}
	return nil
}

// Claim has the server that a standby follows give way to it, if it can be reached, in the term after that
// of the standby's copy. Unless the copy is current, a server that serves is left alone: what it confirmed
// meanwhile would be lost for nothing. id is that of the copy. Claim answers standby.ErrOutranked where the other
// one is of a later term, standby.ErrNotClaimed where another standby may have claimed that term in a bucket, and
// Interrupted where ctx has ended: whether the other one can be reached is not known then.
func Claim(ctx context.Context, peer standby.Other, id string, at standby.Position, current bool,
	p *Promotion) error {
	p.Term = at.Term + 1
	asked, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	state, err := peer.State(asked)
	switch {
	case ctx.Err() != nil:
		return Interrupted(ctx.Err())
	case errors.Is(err, standby.ErrNotClaimed):
		return err
	case err != nil:
		p.Reason = err.Error()
		return nil
	case state.Installation != at.Installation: // which answers why it does not give way
	case state.Term >= p.Term && !(state.Term == p.Term && state.Claim != "" && state.Claim == id):
		return outranked(peer, &state, p.Term)
	case state.Role == standby.First && !current:
		return fmt.Errorf("%s serves, and may have more than this standby, which has what it confirmed until %s: let the "+
			"standby run until it has everything, or stop that server, and promote it then", peer,
			at.AsOf.Format(time.RFC3339))
	}
	p.Sent = true
	asked, cancelFence := context.WithTimeout(ctx, askTime)
	defer cancelFence()
	state, err = peer.Fence(asked, standby.Claim{Installation: at.Installation, Term: p.Term, By: Machine(), ID: id})
	switch {
	case errors.Is(err, standby.ErrOutranked):
		return outranked(peer, &state, p.Term)
	case ctx.Err() != nil:
		return Interrupted(ctx.Err())
	case errors.Is(err, standby.ErrNotClaimed):
		return err
	case err != nil:
		p.Reason = err.Error()
	default:
		p.Fenced = true
	}
	return nil
}

// Interrupted is the error of a promotion that was given up because its context has ended.
func Interrupted(err error) error {
	return fmt.Errorf("the promotion was interrupted, and nothing was promoted; the other server may have given way "+
		"already, so repeat it: %w", err)
}

func outranked(peer standby.Other, state *standby.State, term uint64) error {
	if state.By != "" {
		return fmt.Errorf("%w: %s has claimed term %d in %s, and the promotion would be of term %d: if that machine is lost "+
			"and has never served, \"signet promote --fenced\" on the server before takes over", standby.ErrOutranked, state.By,
			state.Term, peer, term)
	}
	return fmt.Errorf("%w: %s is a %s of term %d, and the promotion would be of term %d", standby.ErrOutranked, peer,
		state.Role, state.Term, term)
}
