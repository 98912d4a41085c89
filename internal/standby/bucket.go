package standby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"signet/internal/blob"
)

// Other is the other server of a pair, as this one reaches it: at an address (Peer), or by a Bucket.
type Other interface {
	// State asks what the server is.
	State(ctx context.Context) (State, error)
	// Fence has the server confirm nothing any more, and returns what it was; or an error while that is not
	// certain.
	Fence(ctx context.Context, c Claim) (State, error)
	// String says where it is.
	String() string
	Close()
}

// The names of the objects of a pair, behind the prefix of the bucket:
//
//	standby/claims/TERM               that a server has taken over in a term (Claim), made once
//	standby/terms/TERM/head           how far the first of a term is (head), replaced each second
//	standby/terms/TERM/ring           its key ring, replaced
//	standby/terms/TERM/SESSION/N      frames: pages that were written, and commits
//
// TERM has eight digits and N twelve, so that a list has them in order.
const (
	claimsAt = "standby/claims/"
	termsAt  = "standby/terms/"
)

func claimName(term uint64) string { return fmt.Sprintf("%s%08d", claimsAt, term) }

func termName(term uint64, what string) string { return fmt.Sprintf("%s%08d/%s", termsAt, term, what) }

func objectName(term uint64, session string, n uint64) string {
	return termName(term, fmt.Sprintf("%s/%012d", session, n))
}

// termOf returns the term, and what comes behind it, of a name below termsAt.
func termOf(name string) (term uint64, rest string, ok bool) {
	text, rest, found := strings.Cut(strings.TrimPrefix(name, termsAt), "/")
	term, err := strconv.ParseUint(text, 10, 64)
	return term, rest, found && err == nil && strings.HasPrefix(name, termsAt)
}

const (
	// mostObject is the most bytes of an object that is read.
	mostObject = 256 << 20

	// beat is how often a first shows in a bucket that it is there, and freshFor how long it counts as there
	// without that.
	beat     = time.Second
	freshFor = 5 * time.Second
)

// Bucket is a bucket by which standbys follow a first: what is in it is sealed with the secret that all of them
// have. It is safe for concurrent use.
type Bucket struct {
	objects *blob.Objects
	secret  string

	mu      sync.Mutex // guards all below; locked while claims are read
	highest *Claim     // that was read; nil: none
}

// NewBucket returns the bucket at a location, in the form of the setting standby.bucket.
func NewBucket(location, key string) (*Bucket, error) {
	objects, err := blob.OpenObjects(location)
	if err != nil {
		return nil, fmt.Errorf("standby.bucket: %w", err)
	}
	return &Bucket{objects: objects, secret: key}, nil
}

// String implements Other.
func (b *Bucket) String() string { return b.objects.String() }

// Close implements Other.
func (b *Bucket) Close() { _ = b.objects.Close() } // only connections that wait to be used again

func (b *Bucket) put(ctx context.Context, name string, content []byte) error {
	sealed, err := sealObject(b.secret, name, content)
	if err != nil {
		return err
	}
	return b.objects.Put(ctx, name, sealed)
}

// get returns what an object says, and how long ago it was put there, in whole seconds.
func (b *Bucket) get(ctx context.Context, name string) ([]byte, time.Duration, error) {
	sealed, age, err := b.objects.Get(ctx, name, mostObject)
	if err != nil {
		return nil, 0, err
	}
	content, err := openObject(b.secret, name, sealed)
	return content, age, err
}

func (b *Bucket) getJSON(ctx context.Context, name string, into any) (age time.Duration, err error) {
	content, age, err := b.get(ctx, name)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	return age, err
}

// claim claims a term, and answers blob.ErrExists where another one has.
func (b *Bucket) claim(ctx context.Context, c Claim) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	name := claimName(c.Term)
	sealed, err := sealObject(b.secret, name, text)
	if err != nil {
		return err
	}
	return b.objects.PutNew(ctx, name, sealed)
}

// claimed returns the claim of the highest term; nil where there is none.
func (b *Bucket) claimed(ctx context.Context) (*Claim, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.highest == nil {
		last := ""
		err := b.objects.List(ctx, claimsAt, "", func(name string) error { last = name; return nil })
		if err != nil || last == "" {
			return nil, err
		}
		c := new(Claim)
		if _, err := b.getJSON(ctx, last, c); err != nil {
			return nil, err
		}
		b.highest = c
	}
	for { // terms rise by one
		c := new(Claim)
		_, err := b.getJSON(ctx, claimName(b.highest.Term+1), c)
		if errors.Is(err, blob.ErrNotFound) {
			return b.highest, nil
		}
		if err != nil {
			return nil, err
		}
		b.highest = c
	}
}

// head is how far the first of a term is, and where a standby begins to read.
type head struct {
	Protocol int    `json:"protocol"`
	Program  string `json:"program"`
	PageSize int    `json:"page_size"`
	State           // AsOf: all that was confirmed until then is in the objects until Last
	age
	progress
	Beat     int64  `json:"beat"`    // rises with each
	Session  string `json:"session"` // of the objects; empty: there is no whole copy yet
	Start    uint64 `json:"start"`   // what there was before is gone
	Whole    uint64 `json:"whole"`   // who begins with Start has a whole copy by the commit in this one
	Last     uint64 `json:"last"`
	Ring     int64  `json:"ring"` // version of the key ring; 0: it is in a database that the standby has too
	SameRing bool   `json:"same_ring"`
	Final    bool   `json:"final"`   // the first confirms nothing any more, and all is there
	Stopped  bool   `json:"stopped"` // it has ended, and may start again
}

// head returns that of a term, and how long ago it was put there.
func (b *Bucket) head(ctx context.Context, term uint64) (h head, age time.Duration, err error) {
	age, err = b.getJSON(ctx, termName(term, "head"), &h)
	return h, age, err
}

// ErrNotClaimed says that a bucket is there, and does not say who is the first, or does not take the claim of a term:
// another server may have claimed it. One that is away says nothing, as a server that is gone.
var ErrNotClaimed = errors.New("the bucket is there, and the term is not claimed in it")

// unlessAway makes an error of a bucket that is there an ErrNotClaimed.
func unlessAway(err error) error {
	if err == nil || blob.Away(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotClaimed, err)
}

// State implements Other. A first is one that has shown itself a moment ago.
func (b *Bucket) State(ctx context.Context) (s State, err error) {
	s, err = b.state(ctx)
	return s, unlessAway(err)
}

func (b *Bucket) state(ctx context.Context) (s State, err error) {
	c, err := b.claimed(ctx)
	if err != nil || c == nil {
		return s, err
	}
	s = c.state()
	h, age, err := b.head(ctx, c.Term)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return s, nil
	case err != nil:
		return s, err
	}
	s.Epoch, s.AsOf = h.Epoch, h.AsOf
	if age <= freshFor && !h.Final && !h.Stopped {
		s.Role = First
	}
	return s, nil
}

// state is what is known of a server by its claim.
func (c *Claim) state() State {
	return State{Installation: c.Installation, Term: c.Term, Role: Standby, By: c.By, Claim: c.ID}
}

// ErrUnheard says that a server will learn from a bucket that another one has taken over, and has not yet.
var ErrUnheard = errors.New("it has not read in the bucket yet that it is to give way")

// Fence implements Other: it claims the term in the bucket. What it answers is ErrUnheard: the first that serves
// reads the claim within a second, if it reaches the bucket, and says so there.
func (b *Bucket) Fence(ctx context.Context, c Claim) (s State, err error) {
	err = b.claim(ctx, c)
	if errors.Is(err, blob.ErrExists) {
		var there Claim
		if _, err := b.getJSON(ctx, claimName(c.Term), &there); err != nil { // it may be another server's
			return s, fmt.Errorf("%w: %w", ErrNotClaimed, err)
		}
		if c.ID == "" || there.ID != c.ID {
			return there.state(), ErrOutranked
		}
		err = nil // a promotion that was interrupted is repeated, or only the answer was lost
	}
	if err != nil {
		return s, unlessAway(err)
	}
	return State{Installation: c.Installation}, ErrUnheard
}

// Claims is the bucket as a first looks at it: whether another server has taken over.
func (b *Bucket) Claims() Other { return claims{b} }

type claims struct{ *Bucket }

// State implements Other.
func (c claims) State(ctx context.Context) (s State, err error) {
	highest, err := c.claimed(ctx)
	if err != nil || highest == nil {
		return s, err
	}
	return highest.state(), nil
}
