package guard

import (
	"hash/maphash"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"signet/internal/model"
)

// Attempts counts failed logins (contract, section 1, Limits): so many a minute
// for each pair of address and key, and more for an address with whatever key and
// for a key or user name from whatever address, which somebody with many addresses
// meets.
//
// Past a limit a password is refused unread, right or wrong, so that the answers tell
// nothing of a guess. One that succeeded from this address before passes the limit of
// the name, which strangers elsewhere reach. The secret of a key is 256 random bits
// that nobody guesses: it is always compared, and the right one always opens.
//
// Names are counted as they are given. Were all names of an account counted as
// one, the counts would tell which names are of one account.
//
// Counts are of this node, in bounded memory. They hold no key and no secret,
// only seeded hashes of them.
type Attempts struct {
	clock      func() time.Time
	perPair    int // failures a minute; 0: no limit
	perAddress int
	perName    int
	seed       maphash.Seed
	pairs      [attemptShards]pairShard
	addresses  [attemptShards]failureShard
	names      [attemptShards]failureShard
}

const (
	attemptShards = 16
	// attemptWindow is how long a failure counts.
	attemptWindow = time.Minute
	// attemptEntries bounds each map of a shard. Only somebody who fails from
	// thousands of addresses within a minute can push entries out.
	attemptEntries = 4 << 10
)

type pairShard struct {
	mu       sync.Mutex // guards what follows
	failures generations[*failures]
	known    generations[struct{}] // passwords that succeeded
}

type failureShard struct {
	mu       sync.Mutex // guards what follows
	failures generations[*failures]
}

func NewAttempts(clock func() time.Time, perPair, perAddress, perName int) *Attempts {
	t := &Attempts{clock: clock, perPair: perPair, perAddress: perAddress, perName: perName, seed: maphash.MakeSeed()}
	for i := range t.pairs {
		t.pairs[i].failures = generations[*failures]{most: attemptEntries, life: attemptWindow}
		t.pairs[i].known.most = attemptEntries
		t.addresses[i].failures = generations[*failures]{most: attemptEntries, life: attemptWindow}
		t.names[i].failures = generations[*failures]{most: attemptEntries, life: attemptWindow}
	}
	return t
}

// Secret runs verify for a key and its secret from an address and counts a failed
// login, which is an Unauthenticated error: past a limit it is told to wait.
func (t *Attempts) Secret(from netip.Addr, key string, verify func() error) error {
	err := verify()
	if err == nil || t.unlimited() || !model.IsUnauthenticated(err) {
		return err
	}
	try := t.begin(from, key, "")
	return try.fail(err)
}

// Password runs verify for a user name and a password from an address, unless too many
// have failed, and counts how it ends as Secret does. Guesses made at the same time
// gain nothing: past the limit they are refused whatever verify found.
func (t *Attempts) Password(from netip.Addr, name, password string, verify func() error) error {
	return t.during(from, name, password, verify, (*attempt).succeed)
}

// Act is Password for a call that needs the password, and that is done once act has returned: it is not refused then.
func (t *Attempts) Act(from netip.Addr, name, password string, act func() error) error {
	return t.during(from, name, password, act, func(try *attempt) error {
		try.remember()
		return nil
	})
}

// during runs what a password is given for, unless too many have failed, and counts a failure. Of a password that was
// not known to be good before, succeed has the last word.
func (t *Attempts) during(from netip.Addr, name, password string, run func() error,
	succeed func(*attempt) error) error {
	if t.unlimited() {
		return run()
	}
	try := t.begin(from, name, password)
	if err := try.admit(); err != nil {
		return err
	}
	err := run()
	switch {
	case err == nil && !try.known:
		return succeed(&try)
	case model.IsUnauthenticated(err):
		return try.fail(err)
	}
	return err
}

func (t *Attempts) unlimited() bool { return t.perPair == 0 && t.perAddress == 0 && t.perName == 0 }

// foldLogin brings the spellings of one user name, address or number into one form,
// so that writing it in another way gives no further guesses. That names which
// differ in no more than this share a count does no harm.
func foldLogin(name string) string {
	if digits := model.PhoneDigits(name); digits != "" {
		return strings.TrimPrefix(digits, "+")
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-()+", r) {
			return -1
		}
		return r
	}, norm.NFC.String(foldDomain(name))))
}

// foldDomain writes the domain of an e-mail address in its own letters.
func foldDomain(name string) string {
	local, domain, _ := strings.Cut(name, "@")
	domain = strings.TrimSpace(domain)
	if domain == "" {
		return name
	}
	shown, err := idna.Lookup.ToUnicode(strings.ToLower(domain))
	if err != nil {
		return name
	}
	return local + "@" + shown
}

// attempt is one login while it is verified.
type attempt struct {
	*Attempts
	pair        *pairShard
	pairKey     uint64
	addressKey  uint64
	nameKey     uint64
	credentials uint64
	known       bool
}

func (t *Attempts) begin(from netip.Addr, name, secret string) attempt {
	octets := model.ClientOf(from).As16()
	var h maphash.Hash
	h.SetSeed(t.seed)
	_, _ = h.Write(octets[:])
	try := attempt{Attempts: t, addressKey: h.Sum64()}
	name = foldLogin(name)
	try.nameKey = maphash.String(t.seed, name)
	_, _ = h.WriteString(name)
	try.pairKey = h.Sum64()
	_ = h.WriteByte(0)
	_, _ = h.WriteString(secret)
	try.credentials = h.Sum64()
	try.pair = &t.pairs[try.pairKey%attemptShards]
	return try
}

// admit refuses an attempt that is past a limit before anything is verified.
func (t *attempt) admit() error {
	now := t.clock()
	t.pair.mu.Lock()
	wait := findFailures(&t.pair.failures, t.pairKey, now).full(t.perPair, now)
	_, t.known = t.pair.known.get(t.credentials, now)
	t.pair.mu.Unlock()
	wait = max(wait, full(&t.addresses, t.addressKey, t.perAddress, now))
	if !t.known {
		wait = max(wait, full(&t.names, t.nameKey, t.perName, now))
	}
	return tooManyFailures(wait)
}

// succeed remembers credentials as good, unless others failed in the meantime.
func (t *attempt) succeed() error {
	if err := t.admit(); err != nil {
		return err
	}
	t.remember()
	return nil
}

func (t *attempt) remember() {
	t.pair.mu.Lock()
	defer t.pair.mu.Unlock()
	t.pair.known.put(t.credentials, struct{}{}, t.clock())
}

// fail counts a failure and returns it, or the refusal if others failed in the
// meantime.
func (t *attempt) fail(err error) error {
	now := t.clock()
	t.pair.mu.Lock()
	t.pair.known.remove(t.credentials)
	wait := addFailure(&t.pair.failures, t.pairKey, t.perPair, now)
	t.pair.mu.Unlock()
	if wait == 0 {
		wait = max(count(&t.addresses, t.addressKey, t.perAddress, now), count(&t.names, t.nameKey, t.perName, now))
	}
	if refusal := tooManyFailures(wait); refusal != nil {
		return refusal
	}
	return err
}

// full returns how long to wait until there is room for another failure of a key; 0
// is no limit, and no wait.
func full(shards *[attemptShards]failureShard, key uint64, limit int, now time.Time) time.Duration {
	s := &shards[key%attemptShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	return findFailures(&s.failures, key, now).full(limit, now)
}

// count does what addFailure does.
func count(shards *[attemptShards]failureShard, key uint64, limit int, now time.Time) time.Duration {
	s := &shards[key%attemptShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	return addFailure(&s.failures, key, limit, now)
}

// failures are the times at which logins failed within the last window, oldest
// first. Nil is none.
type failures struct {
	times []time.Time
}

func findFailures(g *generations[*failures], key uint64, now time.Time) *failures {
	f, _ := g.get(key, now)
	return f
}

// addFailure counts a failure, or returns how long to wait where the limit is
// reached already; 0 is no limit.
func addFailure(g *generations[*failures], key uint64, limit int, now time.Time) time.Duration {
	if limit == 0 {
		return 0
	}
	f := findFailures(g, key, now)
	if f == nil {
		f = new(failures)
		g.put(key, f, now)
	}
	if wait := f.full(limit, now); wait > 0 {
		return wait
	}
	f.times = append(f.times, now)
	return 0
}

// full returns how long to wait until a failure less than the limit is in the
// window; 0 means that there is no need.
func (f *failures) full(limit int, now time.Time) time.Duration {
	if f == nil || limit == 0 {
		return 0
	}
	gone := 0
	for gone < len(f.times) && now.Sub(f.times[gone]) >= attemptWindow {
		gone++
	}
	f.times = slices.Delete(f.times, 0, gone)
	if len(f.times) < limit {
		return 0
	}
	return f.times[len(f.times)-limit].Add(attemptWindow).Sub(now)
}

func tooManyFailures(wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	return &model.Error{Kind: model.TooMany, Code: CodeTooManyFailures, RetryAfter: wait,
		Message: "Too many failed logins, please try again later."}
}
