package api

import (
	"context"
	"hash/maphash"
	"math"
	"strconv"
	"sync"
	"time"

	"signet/internal/model"
)

// rates counts the requests of each key against requests_per_second and burst:
// a bucket for each key holds up to a burst of tokens, fills by the rate, and
// gives one to each request. Counts are of this node.
type rates struct {
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
	buckets map[string]*bucket
	sweep   int // number of buckets at which to sweep next
}

// bucket holds tokens as of a time.
type bucket struct {
	tokens float64
	rate   float64
	burst  float64
	at     time.Time
}

func newRates(clock func() time.Time, rate, burst int) *rates {
	return &rates{clock: clock, rate: rate, burst: burst, seed: maphash.MakeSeed()}
}

// quota is what a key has left: what the RateLimit headers say.
type quota struct {
	limit     int
	remaining int
	reset     int // seconds until the bucket is full again
}

// figures returns the rate and the burst of a key; 0 in either is no limit. A key
// with a rate of its own has a burst in the same proportion to it.
func (t *rates) figures(key *model.Key) (rate, burst int) {
	if key.RequestsPerSecond == nil {
		return t.rate, t.burst
	}
	rate = max(*key.RequestsPerSecond, 0)
	switch {
	case rate == 0 || t.burst == 0:
		return 0, 0
	case t.rate == 0:
		return rate, max(rate, t.burst)
	}
	return rate, int(min(math.Ceil(float64(rate)*float64(t.burst)/float64(t.rate)), math.MaxInt32))
}

// take takes a token for a request. Limited is false for a key without a limit,
// ok is false where none is left.
func (t *rates) take(key *model.Key) (left quota, limited, ok bool) {
	rate, burst := t.figures(key)
	if rate == 0 || burst == 0 {
		return quota{}, false, true
	}
	now := t.clock()
	s := &t.shards[maphash.String(t.seed, key.Key)%rateShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[key.Key]
	if b == nil {
		b = &bucket{tokens: float64(burst), at: now}
		s.put(key.Key, b, now)
	}
	b.rate, b.burst = float64(rate), float64(burst)
	b.fill(now)
	if b.tokens >= 1 {
		b.tokens--
		ok = true
	}
	return quota{
		limit:     burst,
		remaining: int(b.tokens),
		reset:     int(math.Ceil((b.burst - b.tokens) / b.rate)),
	}, true, ok
}

// fill adds what has come in since the last time.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.tokens += passed * b.rate
		b.at = now
	}
	b.tokens = min(b.tokens, b.burst)
}

func (s *rateShard) put(key string, b *bucket, now time.Time) {
	if s.buckets == nil {
		s.buckets, s.sweep = make(map[string]*bucket), rateSweep
	}
	if len(s.buckets) >= s.sweep {
		for key, b := range s.buckets {
			if b.fill(now); b.tokens == b.burst {
				delete(s.buckets, key)
			}
		}
		s.sweep = max(rateSweep, 2*len(s.buckets))
	}
	s.buckets[key] = b
}

// countRate counts the call against the rate of its key and sets the headers
// that tell what is left.
func (a *API) countRate(_ context.Context, c *call) error {
	if c.actor == nil {
		return nil
	}
	left, limited, ok := a.rates.take(&c.actor.Key)
	if !limited {
		return nil
	}
	h := c.writer.Header()
	// Set directly, because http.Header.Set would change how the names are spelt.
	values := []string{strconv.Itoa(left.limit), strconv.Itoa(left.remaining), strconv.Itoa(left.reset)}
	h["RateLimit-Limit"], h["RateLimit-Remaining"], h["RateLimit-Reset"] = values[0:1:1], values[1:2:2], values[2:3:3]
	if !ok {
		return &model.Error{Kind: model.TooMany, Code: codeRateLimited, RetryAfter: time.Second,
			Message: "Too many requests/second, please try again later."}
	}
	return nil
}
