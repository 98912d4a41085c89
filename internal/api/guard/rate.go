package guard

import (
	"context"
	"hash/maphash"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"signet/internal/model"
)

// Rates counts the requests of each key against requests_per_second and burst. A
// key's bucket holds up to a burst of tokens, fills by the rate, and gives one to
// each request, several to a costly one. Keys that share a counter of messages share
// the bucket: those that an account issued itself, or got by login, with the key that
// issued them. Counts are of this node. It is safe for concurrent use.
type Rates struct {
	clock  func() time.Time
	rate   int // requests a second; 0: no limit
	burst  int // 0: no limit
	seed   maphash.Seed
	shards [rateShards]rateShard
}

const (
	rateShards = 16
	// rateSweep is how many buckets of a shard there may be before the full ones
	// are dropped. A full bucket is as good as none, so nothing is lost, and what
	// stays are the keys that are busy at that moment.
	rateSweep = 1 << 10
)

type rateShard struct {
	mu      sync.Mutex // guards what follows
	buckets map[string]*rate.Limiter
	sweep   int // number of buckets at which to sweep next
}

// NewRates makes the counters for keys without figures of their own: so many
// requests a second, and so many at once; 0 in either is no limit.
func NewRates(clock func() time.Time, perSecond, burst int) *Rates {
	return &Rates{clock: clock, rate: perSecond, burst: burst, seed: maphash.MakeSeed()}
}

// Quota is what a key has left, as the RateLimit headers say it.
type Quota struct {
	Limit     int // requests at once; 0: the key has no limit
	Remaining int
	Reset     int // seconds until the bucket is full again
}

// figures returns the rate and the burst of a key; 0 in either is no limit. A key
// with a rate of its own has a burst in the same proportion to it.
func (r *Rates) figures(key *model.Key) (perSecond, burst int) {
	if key.RequestsPerSecond == nil {
		return r.rate, r.burst
	}
	perSecond = max(*key.RequestsPerSecond, 0)
	switch {
	case perSecond == 0 || r.burst == 0:
		return 0, 0
	case r.rate == 0:
		return perSecond, max(perSecond, r.burst)
	}
	return perSecond, int(min(math.Ceil(float64(perSecond)*float64(r.burst)/float64(r.rate)), math.MaxInt32))
}

// Take takes a token for a request and returns what is left. The error is a refusal
// where there is none; of a key without a limit the quota is zero.
func (r *Rates) Take(key *model.Key) (Quota, error) {
	taken := true
	quota := r.count(key, func(bucket *rate.Limiter, now time.Time) {
		taken = bucket.AllowN(now, 1)
	})
	if !taken {
		return quota, &model.Error{Kind: model.TooMany, Code: CodeRateLimited, RetryAfter: time.Second,
			Message: "Too many requests/second, please try again later."}
	}
	return quota, nil
}

// Charge takes tokens for what a request turned out to cost, a burst at most, though there
// may be fewer: the key's next requests are refused until the bucket has filled up again.
func (r *Rates) Charge(key *model.Key, tokens int) Quota {
	return r.count(key, func(bucket *rate.Limiter, now time.Time) {
		bucket.ReserveN(now, min(tokens, bucket.Burst()))
	})
}

// Wait takes tokens as Charge does, and returns once they were there.
func (r *Rates) Wait(ctx context.Context, key *model.Key, tokens int) error {
	var until time.Duration
	r.count(key, func(bucket *rate.Limiter, now time.Time) {
		until = bucket.ReserveN(now, min(tokens, bucket.Burst())).DelayFrom(now)
	})
	if until == 0 {
		return nil
	}
	timer := time.NewTimer(until)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// count passes the bucket of a key to take, if the key has a limit, and returns what is left
// in it.
func (r *Rates) count(key *model.Key, take func(*rate.Limiter, time.Time)) Quota {
	perSecond, burst := r.figures(key)
	if perSecond == 0 || burst == 0 {
		return Quota{}
	}
	now := r.clock()
	s := &r.shards[maphash.String(r.seed, key.Counter)%rateShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	bucket := s.bucket(key.Counter, rate.Limit(perSecond), burst, now)
	take(bucket, now)
	left := bucket.TokensAt(now)
	return Quota{
		Limit:     burst,
		Remaining: int(max(left, 0)),
		Reset:     int(math.Ceil((float64(burst) - left) / float64(perSecond))),
	}
}

// bucket returns the bucket of a counter, with the figures that its key has today.
func (s *rateShard) bucket(key string, limit rate.Limit, burst int, now time.Time) *rate.Limiter {
	if known := s.buckets[key]; known != nil {
		if known.Limit() != limit {
			known.SetLimitAt(now, limit)
		}
		if known.Burst() != burst {
			known.SetBurstAt(now, burst)
		}
		return known
	}
	if s.buckets == nil {
		s.buckets, s.sweep = make(map[string]*rate.Limiter), rateSweep
	}
	if len(s.buckets) >= s.sweep {
		for key, b := range s.buckets {
			if b.TokensAt(now) >= float64(b.Burst()) {
				delete(s.buckets, key)
			}
		}
		s.sweep = max(rateSweep, 2*len(s.buckets))
	}
	s.buckets[key] = rate.NewLimiter(limit, burst)
	return s.buckets[key]
}
