package standby

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"signet/internal/blob"
	"signet/internal/seal"
	"signet/internal/store/sqlite"
)

const (
	// lookEvery is how often a standby looks for the next object, and headEvery for the head, where there was none.
	lookEvery = 250 * time.Millisecond
	headEvery = time.Second

	// claimEvery is how often it looks whether a server has taken over from the one that it follows.
	claimEvery = 5 * time.Second

	// earlierTerms is in how many terms it looks for a server that has put a copy there: one that has just taken
	// over may not have.
	earlierTerms = 16
)

// collection is how far a standby is with what is in a bucket.
type collection struct {
	*Follower
	bucket *Bucket
	term   uint64
	head   head
	looked time.Time // when head was read
	asked  time.Time // when claims were
	seen   time.Time // when the first showed last that it is there, by this machine's clock
	next   uint64    // object to be read
	whole  uint64    // the copy is none before the commit in this object; 0: it is one
	due    int64     // version of the key ring that is to be there with the next commit; 0: as it is
	failed bool      // the bucket is away, which was told
}

// errMoved says that what is followed goes on elsewhere in the bucket: the server has started again or another has
// taken over, or a standby that was away for long has to begin anew.
var errMoved = errors.New("what is in the bucket goes on elsewhere")

// collect follows by the bucket, until ctx ends, enough says so, or something is wrong with what is there.
func (f *Follower) collect(ctx context.Context, enough func() bool) error {
	c := &collection{Follower: f, bucket: f.Bucket}
	defer f.change(func(s *Status) { s.Connected = false })
	begun := false
	for !enough() {
		var err error
		if !begun {
			err = c.begin(ctx)
			begun = err == nil
		} else {
			err = c.step(ctx)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errMoved):
			// What came since the last commit is of the copy before.
			if err := errors.Join(f.Close(), f.open()); err != nil {
				return err
			}
			begun = false
		case errors.Is(err, blob.ErrUnavailable):
			c.away(err)
			pause(ctx, headEvery)
		default:
			return err
		}
	}
	return nil
}

// away notes that the bucket does not answer.
func (c *collection) away(err error) {
	c.change(func(s *Status) { s.Connected, s.Problem = false, err.Error() })
	if !c.failed {
		c.failed = true
		c.Log.Warn("this standby does not follow: the bucket does not answer; it is tried again and again", "bucket",
			c.bucket.String(), "error", err)
	}
}

// begin finds out where to read.
func (c *collection) begin(ctx context.Context) error {
	claim, err := c.bucket.claimed(ctx)
	if err != nil {
		return err
	}
	if claim == nil {
		return fmt.Errorf("no server has put anything into %s yet", c.bucket)
	}
	if err := c.find(ctx, claim.Term); err != nil {
		return err
	}
	s, h := c.Status(), &c.head
	switch {
	case h.Protocol != protocol || h.PageSize != sqlite.PageSize:
		return fmt.Errorf("the first (%s) has another form of data than this program: install the same on both", h.Program)
	case s.Whole && h.Installation != s.Position.Installation:
		return fmt.Errorf("this is a copy of installation %s, and the bucket is that of %s", s.Position.Installation,
			h.Installation)
	case s.Whole && h.Term < s.Position.Term:
		return fmt.Errorf("this standby has followed a server of term %d, and the bucket has nothing later than term %d",
			s.Position.Term, h.Term)
	case h.SameRing != c.SameRing:
		return errors.New("the key ring of the first is in a database, or that of this standby is, and not both: name the " +
			"same database, or a file on both (setting keyring)")
	}
	if err := c.wantSame(ctx, h.Installation); err != nil {
		return err
	}
	resumes := s.Whole && s.Position.Session == h.Session && s.Position.Object+1 >= h.Start
	if err := c.enter(ctx, &s, resumes); err != nil {
		return err
	}
	c.change(func(s *Status) {
		s.Connected, s.Problem = c.alive(), ""
		s.Final = s.Final && s.Position.Term == h.Term
	})
	c.Log.Info("this standby follows", "first", c.bucket.String(), "term", h.Term, "resumes", resumes)
	return nil
}

// enter begins to read behind the copy, or where a whole one begins.
func (c *collection) enter(ctx context.Context, s *Status, resumes bool) error {
	h := &c.head
	if resumes {
		c.next, c.whole, c.due = s.Position.Object+1, 0, 0
		if err := c.takeRing(ctx, h.Ring); err != nil {
			return err
		}
		return c.mirror(ctx) // a key may have been destroyed without a commit since
	}
	if s.Whole && s.Position.Term == h.Term && h.AsOf.Before(s.Position.AsOf) {
		return fmt.Errorf("%s has what was confirmed until %s, and this standby until %s: somebody has put back what was "+
			"there before, or the clock of the first was set back", c.bucket, h.AsOf.UTC().Format(time.RFC3339),
			s.Position.AsOf.UTC().Format(time.RFC3339))
	}
	c.next, c.whole, c.due = h.Start, h.Whole, h.Ring
	return nil
}

// find reads the head of the highest term in which there is a copy.
func (c *collection) find(ctx context.Context, claimed uint64) error {
	c.asked = time.Now()
	for term := claimed; ; term-- {
		h, age, err := c.bucket.head(ctx, term)
		if err == nil && h.Session != "" {
			if term != c.term || h.Beat > c.head.Beat { // else somebody put an older one back
				c.seen = time.Now().Add(-age)
			}
			c.term, c.head, c.looked = term, h, time.Now()
			return nil
		}
		if err != nil && !errors.Is(err, blob.ErrNotFound) {
			return err
		}
		if term == 0 || claimed-term == earlierTerms {
			return fmt.Errorf("the server of term %d has put no whole copy into %s yet", claimed, c.bucket)
		}
	}
}

// alive reports whether the first has shown itself a moment ago.
func (c *collection) alive() bool { return !c.head.Stopped && time.Since(c.seen) <= freshFor }

// step reads the next object, or waits for it.
func (c *collection) step(ctx context.Context) error {
	begun := time.Now()
	content, age, err := c.bucket.get(ctx, objectName(c.term, c.head.Session, c.next))
	switch {
	case err == nil:
		if now := begun.Add(-age); now.After(c.seen) {
			c.seen = now
		}
		if err := c.take(ctx, content, age); err != nil {
			return err
		}
		c.next++
	case !errors.Is(err, blob.ErrNotFound):
		return err
	case c.head.Last >= c.next || time.Since(c.looked) >= headEvery:
		if err := c.look(ctx); err != nil {
			return err
		}
		if c.head.Last >= c.next {
			return c.wantNext(ctx)
		}
		c.settled(begun)
	default:
		c.settled(begun)
		pause(ctx, lookEvery)
	}
	c.change(func(s *Status) { s.Connected, s.Problem = c.alive(), "" })
	if c.failed {
		c.failed = false
		c.Log.Info("this standby follows again", "first", c.bucket.String())
	}
	return nil
}

// settled notes that there was nothing more in the bucket at a time.
func (c *collection) settled(at time.Time) {
	h := &c.head
	c.change(func(s *Status) {
		s.Emptied, s.Waiting = at, 0
		if s.Position.Session != h.Session || s.Position.Object < h.Last {
			return
		}
		if !h.AsOf.Before(s.AsOf) {
			s.AsOf, s.Current = h.AsOf, c.seen.Add(-h.Age)
		}
		s.Final = h.Final
	})
}

// look reads the head again, and now and then whether another server has taken over.
func (c *collection) look(ctx context.Context) error {
	before := c.looked
	h, age, err := c.bucket.head(ctx, c.term)
	if errors.Is(err, blob.ErrNotFound) { // a server of a later term has tidied up
		return c.wantLater(ctx)
	}
	if err != nil {
		return err
	}
	c.looked = time.Now()
	if time.Since(c.asked) >= claimEvery {
		if err := c.askClaims(ctx); err != nil {
			return err
		}
	}
	if h.Beat <= c.head.Beat { // no news, or somebody put an older one back
		return nil
	}
	// It is as old as the server of the bucket says, and has come since the last look.
	if c.seen = time.Now().Add(-age); c.seen.Before(before) && age <= freshFor {
		c.seen = before
	}
	moved := h.Session != c.head.Session || h.Start > c.next
	c.head = h
	if moved {
		return errMoved
	}
	return nil
}

// askClaims answers errMoved where a server of a later term has a copy in the bucket.
func (c *collection) askClaims(ctx context.Context) error {
	c.asked = time.Now()
	claim, err := c.bucket.claimed(ctx)
	if err != nil || claim == nil || claim.Term <= c.term {
		return err
	}
	h, _, err := c.bucket.head(ctx, claim.Term)
	switch {
	case errors.Is(err, blob.ErrNotFound) || err == nil && h.Session == "":
		return nil
	case err != nil:
		return err
	}
	return errMoved
}

// wantLater is where the head of the term is gone.
func (c *collection) wantLater(ctx context.Context) error {
	if err := c.askClaims(ctx); err != nil {
		return err
	}
	return fmt.Errorf("%s is gone from %s", termName(c.term, "head"), c.bucket)
}

// wantNext reads whether an object is there that was missing, though the head says that it is.
func (c *collection) wantNext(ctx context.Context) error {
	_, _, err := c.bucket.get(ctx, objectName(c.term, c.head.Session, c.next))
	if !errors.Is(err, blob.ErrNotFound) {
		return err // the next step takes it
	}
	if err := c.look(ctx); err != nil {
		return err
	}
	return fmt.Errorf("%s is missing in %s, and those after it are useless without: if nobody can bring it back, start "+
		"the server again, which puts a whole copy there", objectName(c.term, c.head.Session, c.next), c.bucket)
}

// take takes the frames of an object.
func (c *collection) take(ctx context.Context, content []byte, age time.Duration) error {
	for in := bytes.NewReader(content); ; {
		got, payload, err := readFrame(in, func() error { return nil })
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", objectName(c.term, c.head.Session, c.next), errors.Join(errFrame, err))
		}
		if err := c.frame(ctx, got, payload, age); err != nil {
			return err
		}
	}
}

// frame does what a frame says.
func (c *collection) frame(ctx context.Context, got kind, payload []byte, age time.Duration) error {
	switch got {
	case kindPages:
		return c.pages(payload)
	case kindRingAt:
		var at ringAt
		err := decode(got, kindRingAt, payload, &at)
		c.due = max(c.due, at.Version)
		return err
	}
	var last commit
	if err := decode(got, kindCommit, payload, &last); err != nil {
		return err
	}
	if c.next < c.whole { // pages of a cycle: it is no database yet
		return nil
	}
	if c.due != 0 {
		if err := c.takeRing(ctx, c.due); err != nil {
			return err
		}
	}
	last.Object = c.next
	last.Age += age
	if err := c.commit(ctx, &last); err != nil {
		return err
	}
	c.whole, c.due = 0, 0
	return nil
}

// takeRing reads the key ring that is in the bucket now, for the next commit. It has the keys of all commits that
// are there, but for those that were destroyed.
func (c *collection) takeRing(ctx context.Context, version int64) error {
	if c.SameRing {
		return nil
	}
	name := termName(c.term, "ring")
	content, _, err := c.bucket.get(ctx, name)
	if err != nil {
		return fmt.Errorf("get the key ring: %w", err)
	}
	if len(content) < 8 || int64(binary.BigEndian.Uint64(content)) < version {
		return fmt.Errorf("%s in the bucket is older than what refers to it: somebody put it back", name)
	}
	c.ring, err = seal.ParseContents(content[8:])
	return err
}

// CatchUp reads what there is in the bucket, for a standby that does not run, and returns how it is then. Where the
// bucket cannot be read, or what is there does not fit, Problem says so. Nothing follows meanwhile.
func (f *Follower) CatchUp(ctx context.Context) (s Status, err error) {
	if f.Bucket == nil {
		return f.Status(), nil
	}
	begun := time.Now()
	err = f.collect(ctx, func() bool {
		s := f.Status()
		return s.Emptied.After(begun) || s.Problem != ""
	})
	// What came since the last commit is none, and a copy at which something is wrong is opened again.
	if fault := errors.Join(f.Close(), f.open()); fault != nil {
		return s, errors.Join(err, fault)
	}
	if s = f.Status(); err != nil && s.Problem == "" {
		s.Problem = err.Error()
	}
	return s, ctx.Err()
}
