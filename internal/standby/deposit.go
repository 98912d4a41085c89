package standby

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"signet/internal/blob"
	"signet/internal/store/sqlite"
)

const (
	// everyObject is how often a bucket gets what was written, at most: an object each time.
	everyObject = 400 * time.Millisecond

	// objectBytes is how large an object is at least before the pages of one commit go on in the next.
	objectBytes = 4 << 20

	// mostDeleted is how many objects are deleted at a time, and deleteTime how long that may hold up the rest.
	mostDeleted = 1000
	deleteTime  = 5 * time.Second

	// sweepEvery is how often a first looks for objects of servers before it.
	sweepEvery = time.Hour
)

// deposit is the way of a first to its standbys by a bucket. What is put there has arrived. What cannot be put is
// tried again until it can, and meanwhile what is written waits at the store, as with a standby that is away.
type deposit struct {
	*Sender
	ctx     context.Context // of the round
	session string

	buffer bytes.Buffer // frames that are in no object yet
	last   *commit      // that was told, and is not awaited yet
	now    *current     // the same
	object uint64       // that was put last
	head   head
	beaten time.Time // when the head was put
	cycle  cycle
	oldest uint64    // object of the session that was not deleted
	swept  time.Time // when objects of servers before were looked for
}

// Fill keeps a bucket up to date, until end is called, which waits. Without a bucket it does nothing.
func (s *Sender) Fill(ctx context.Context) (end func()) {
	if s.Bucket == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d := &deposit{Sender: s}
		for wait := firstRetry; ctx.Err() == nil; wait = min(2*wait, lastRetry) {
			err := s.fill(ctx, d)
			if err == nil || errors.Is(err, errClosed) || ctx.Err() != nil {
				return
			}
			s.trouble(err)
			pause(ctx, wait)
		}
	}()
	return func() { cancel(); <-done }
}

// pause waits for a while, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// bucketID is what standbys are called that follow by a bucket.
const bucketID = "bucket"

// fill puts what is written into the bucket until the server stops, and then what is left.
func (s *Sender) fill(ctx context.Context, d *deposit) error {
	ctx, now, leave, err := s.enter(ctx, bucketID)
	if err != nil {
		return err
	}
	defer leave()
	self, err := s.Self(ctx)
	if err != nil {
		return err
	}
	if err := d.begin(ctx, &self); err != nil {
		return causeOf(ctx, err)
	}
	if err := s.beginSession(ctx); err != nil {
		return err
	}
	if d.session != s.session {
		d.session, d.object, d.oldest, d.cycle = s.session, 0, 1, cycle{}
	}
	r := &round{Sender: s, now: now, l: d, every: everyObject, identity: self, sameRing: s.SameRing}
	s.fine()
	defer s.counts.connected.Store(false)
	if err := r.run(ctx); err != nil {
		return causeOf(ctx, err)
	}
	d.head.Stopped = true
	return d.putHead()
}

// causeOf is why ctx ended, where it has.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// beginSession opens the feed for the first time, with all pages to be put; or has those put that were on their way
// when the round before ended.
func (s *Sender) beginSession(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed == nil {
		if s.feed, err = s.Engine.OpenFeed(ctx); err != nil {
			return err
		}
	}
	if s.id == bucketID {
		s.feed.Mark(s.pending)
		s.sent, s.pending, s.unacked = s.acked, nil, noted{}
		return nil
	}
	if err := s.feed.MarkAll(ctx); err != nil {
		return err
	}
	s.session, s.id, s.sent, s.acked = newSession(), bucketID, 0, 0
	return nil
}

// trouble notes why the bucket does not get what is written, and fine that it does.
func (s *Sender) trouble(err error) {
	s.counts.connected.Store(false)
	if before := s.counts.problem.Swap(err.Error()); before == nil || before == "" {
		s.Log.Warn("standbys do not get what is written: the bucket does not take it; it is tried again and again", "bucket",
			s.Bucket.String(), "error", err)
	}
}

func (s *Sender) fine() {
	s.counts.connected.Store(true)
	if before := s.counts.problem.Swap(""); before != nil && before != "" {
		s.Log.Info("the bucket takes what is written for standbys", "bucket", s.Bucket.String())
	}
}

// insist does something in the bucket, again and again until it succeeds or the round ends.
func (d *deposit) insist(do func(context.Context) error) error {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := do(d.ctx)
		if d.ctx.Err() != nil {
			return context.Cause(d.ctx)
		}
		if err == nil {
			d.fine()
			return nil
		}
		d.trouble(err)
		pause(d.ctx, wait)
	}
}

// begin finds out what is in the bucket, and claims the term of this server.
func (d *deposit) begin(ctx context.Context, self *State) error {
	d.ctx, d.last, d.now = ctx, nil, nil
	d.buffer.Reset()
	kept, err := d.Bucket.objects.Versioned(ctx)
	if err != nil {
		return err
	}
	if kept {
		return fmt.Errorf("%s keeps versions of its objects: what was deleted, and keys that were destroyed, would stay "+
			"there; name a bucket that keeps none (setting standby.bucket)", d.Bucket)
	}
	if err := d.takeTerm(ctx, self); err != nil {
		return err
	}
	before := d.head
	if before.Session == "" { // else it is this process's own
		h, _, err := d.Bucket.head(ctx, self.Term)
		switch {
		case errors.Is(err, blob.ErrNotFound):
		case err != nil:
			return err
		case h.Protocol == protocol: // until there is a new copy, standbys go on with the one before
			before = h
		}
	}
	d.head = head{Protocol: protocol, Program: d.Build, PageSize: sqlite.PageSize, State: *self, SameRing: d.SameRing,
		Beat: before.Beat, Session: before.Session, Start: before.Start, Whole: before.Whole, Last: before.Last,
		Ring: before.Ring}
	d.head.AsOf = before.AsOf
	return nil
}

// takeTerm claims the term of this server, unless that was done.
func (d *deposit) takeTerm(ctx context.Context, self *State) error {
	c, err := d.Bucket.claimed(ctx)
	switch {
	case err != nil:
		return err
	case c != nil && c.Installation != self.Installation:
		return fmt.Errorf("%s is that of installation %s, and this server is %s: name another prefix (setting "+
			"standby.bucket)", d.Bucket, c.Installation, self.Installation)
	case c != nil && c.Term > self.Term: // this server is told, and gives way
		return fmt.Errorf("%s has taken over, in term %d", c.By, c.Term)
	}
	own := Claim{Installation: self.Installation, Term: self.Term, By: d.Machine, ID: self.Claim, Epoch: self.Epoch}
	if c != nil && c.Term < self.Term { // terms that began by another way: who looks for the next one finds it
		own.Term = c.Term + 1
	}
	for ; own.Term <= self.Term; own.Term++ {
		if err := d.Bucket.claim(ctx, own); err != nil && !errors.Is(err, blob.ErrExists) {
			return err
		}
	}
	own.Term = self.Term
	err = d.Bucket.claim(ctx, own)
	switch {
	case errors.Is(err, blob.ErrExists):
		return d.wantOwn(ctx, &own)
	case err == nil:
		err = fmt.Errorf("%s replaces an object that is there, though it was asked not to (If-None-Match): two servers "+
			"could take over at a time; name a bucket of another S3 server", d.Bucket)
	}
	return err
}

// wantOwn returns an error where the claim of a term is another server's: two were promoted while they could not
// claim anything, or one was restored.
func (d *deposit) wantOwn(ctx context.Context, own *Claim) error {
	var there Claim
	if _, err := d.Bucket.getJSON(ctx, claimName(own.Term), &there); err != nil {
		return err
	}
	if there.Epoch == own.Epoch || there.ID != "" && there.ID == own.ID {
		return nil
	}
	return fmt.Errorf("another server (%s) is the first of term %d in %s: if both serve, stop one, and make it the "+
		"standby of the other (\"signet demote --force\"); if this one was restored, name another prefix (setting "+
		"standby.bucket)", there.By, own.Term, d.Bucket)
}

// send implements way.
func (d *deposit) send(k kind, parts ...[]byte) error {
	switch k {
	case kindRing:
		return d.putRing(bytes.Join(parts, nil))
	case kindPages:
		for _, part := range parts {
			d.cycle.put += uint64(len(part) / sqlite.PageSize)
		}
	}
	if err := writeFrame(&d.buffer, k, parts...); err != nil {
		return err
	}
	if d.buffer.Len() < objectBytes {
		return nil
	}
	return d.putObject()
}

// flush implements way: an object is put when it is large, or a commit ends it.
func (d *deposit) flush() error { return nil }

// tell implements way.
func (d *deposit) tell(k kind, what any) error {
	switch what := what.(type) {
	case commit:
		d.last = &what
	case current:
		d.now = &what
		return nil
	}
	text, err := json.Marshal(what)
	if err == nil {
		err = writeFrame(&d.buffer, k, text)
	}
	return err
}

// await implements way.
func (d *deposit) await(context.Context, uint64) error {
	if d.now != nil {
		now := d.now
		d.now = nil
		d.head.AsOf, d.head.Waiting = now.AsOf, 0
		if now.Final && !d.head.Final {
			d.head.Final = true
			return d.putHead()
		}
		return d.beat()
	}
	last := d.last
	d.last = nil
	if err := d.putObject(); err != nil {
		return err
	}
	begun := d.head.Session != d.session
	if begun {
		d.head.Session, d.head.Start, d.head.Whole = d.session, 1, d.object
	}
	d.head.Last, d.head.AsOf, d.head.Waiting = d.object, last.AsOf, last.Waiting
	if begun || d.cycle.done(last.Pages) {
		if !begun {
			d.head.Start, d.head.Whole = d.cycle.start, d.object
		}
		d.cycle = cycle{start: d.object + 1, began: d.Clock(), size: last.Pages}
	}
	if begun {
		return d.putHead()
	}
	return d.beat()
}

// refresh implements way.
func (d *deposit) refresh(now time.Time) []uint32 { return d.cycle.due(now) }

// putObject puts the frames that wait as the next object.
func (d *deposit) putObject() error {
	if d.buffer.Len() == 0 {
		return nil
	}
	name := objectName(d.head.Term, d.session, d.object+1)
	err := d.insist(func(ctx context.Context) error { return d.Bucket.put(ctx, name, d.buffer.Bytes()) })
	if err != nil {
		return err
	}
	d.object++
	d.buffer.Reset()
	if d.last == nil { // a commit goes on, which may take long
		return d.beat()
	}
	return nil
}

// putRing replaces the key ring, and has standbys look at it before the commit that comes.
func (d *deposit) putRing(ring []byte) error {
	version := max(d.head.Ring+1, d.Clock().UnixMicro())
	content := append(binary.BigEndian.AppendUint64(nil, uint64(version)), ring...)
	err := d.insist(func(ctx context.Context) error {
		return d.Bucket.put(ctx, termName(d.head.Term, "ring"), content)
	})
	if err != nil {
		return err
	}
	d.head.Ring = version
	text, err := json.Marshal(ringAt{version})
	if err == nil {
		err = writeFrame(&d.buffer, kindRingAt, text)
	}
	return err
}

// beat shows that this server is there, if that is due, and deletes what nobody needs any more.
func (d *deposit) beat() error {
	if time.Since(d.beaten) < beat {
		return nil
	}
	return d.putHead()
}

func (d *deposit) putHead() error {
	err := d.insist(func(ctx context.Context) error {
		now := d.Clock()
		d.head.Beat = max(d.head.Beat+1, now.UnixMicro())
		d.head.Age = max(0, now.Sub(d.head.AsOf))
		text, err := json.Marshal(d.head)
		if err != nil {
			return err
		}
		return d.Bucket.put(ctx, termName(d.head.Term, "head"), text)
	})
	if err != nil {
		return err
	}
	d.beaten = time.Now()
	if d.head.Session == d.session && !d.head.Final {
		d.tidy()
	}
	return nil
}

// tidy deletes objects before the last whole copy, and those of sessions and terms before. What cannot be deleted
// is tried again with the next beat.
func (d *deposit) tidy() {
	ctx, cancel := context.WithTimeout(d.ctx, deleteTime)
	defer cancel()
	var err error
	if names := d.before(); len(names) > 0 {
		if err = d.Bucket.objects.Delete(ctx, names); err == nil {
			d.oldest += uint64(len(names))
		}
	}
	if err == nil && time.Since(d.swept) >= sweepEvery {
		var all bool
		if all, err = d.sweep(ctx); err == nil && all {
			d.swept = time.Now()
		}
	}
	if err != nil && d.ctx.Err() == nil {
		d.Log.Warn("objects that no standby needs any more could not be deleted; it is tried again", "bucket",
			d.Bucket.String(), "error", err)
	}
}

// before names the oldest objects of the session that are before the last whole copy.
func (d *deposit) before() (names []string) {
	for n := d.oldest; n < d.head.Start && len(names) < mostDeleted; n++ {
		names = append(names, objectName(d.head.Term, d.session, n))
	}
	return names
}

// sweep deletes objects of terms before, and of other sessions of this one; it reports whether these were all.
func (d *deposit) sweep(ctx context.Context) (all bool, err error) {
	var names []string
	full := errors.New("enough for now")
	err = d.Bucket.objects.List(ctx, termsAt, "", func(name string) error {
		term, rest, ok := termOf(name)
		own := term == d.head.Term && (rest == "head" || rest == "ring" || strings.HasPrefix(rest, d.session+"/"))
		switch {
		case !ok || term > d.head.Term || own:
			return nil
		case len(names) == mostDeleted:
			return full
		}
		names = append(names, name)
		return nil
	})
	all = !errors.Is(err, full)
	if all && err != nil || len(names) == 0 {
		return all, err
	}
	return all, d.Bucket.objects.Delete(ctx, names)
}
