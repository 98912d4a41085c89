package standby

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"signet/internal/seal"
	"signet/internal/store/sqlite"
)

// way is how what a Sender sends reaches its standby: a link, or a deposit in a bucket.
type way interface {
	// send takes a frame, and flush has those that were taken go out.
	send(k kind, parts ...[]byte) error
	flush() error

	// tell takes a frame of JSON, which goes out at once, or with await.
	tell(k kind, what any) error

	// await waits until the commit, or what is current, has arrived.
	await(ctx context.Context, sequence uint64) error

	// refresh returns pages that are to go out though nobody wrote them.
	refresh(now time.Time) []uint32
}

// round is what a Sender does for one connection of a standby.
type round struct {
	*Sender
	now      *following
	l        way
	every    time.Duration
	identity State
	sameRing bool           // none is sent
	ring     *seal.Contents // as it was last read
	told     *seal.Contents // as the standby has it; nil: that is not known
}

// follow serves a standby until the connection or ctx ends.
func (s *Sender) follow(ctx context.Context, now *following, l *link, h *standbyHello) error {
	self, err := s.Self(ctx)
	if err != nil {
		return err
	}
	if problem := s.mismatch(ctx, h, &self); problem != "" {
		return errors.Join(&refusedError{problem}, l.tell(kindRefused, refusal{problem}))
	}
	resumes, err := s.prepare(ctx, h)
	if err != nil {
		return err
	}
	err = l.tell(kindHello, firstHello{Protocol: protocol, State: self, Program: s.Build,
		PageSize: sqlite.PageSize, Resumes: resumes})
	if err != nil {
		return err
	}
	end := l.sayBusy()
	defer func() { l.conn.Close(); end() }()
	r := &round{Sender: s, now: now, l: l, every: every, identity: self, sameRing: h.SameRing}
	if !resumes {
		if err := r.compare(ctx, l); err != nil {
			return fmt.Errorf("compare the pages of the standby: %w", err)
		}
	}
	s.Log.Info("a standby follows this server", "standby", h.ID, "resumes", resumes, "pages_to_send", s.feed.Waiting())
	s.counts.connected.Store(true)
	defer s.counts.connected.Store(false)
	return r.run(ctx)
}

// mismatch says why a standby cannot follow this server, if it cannot. One that knows a higher term has
// followed a server that took over from this one.
func (s *Sender) mismatch(ctx context.Context, h *standbyHello, self *State) string {
	switch {
	case h.Protocol != protocol:
		return fmt.Sprintf("the standby (%s) speaks version %d of the protocol, and the server (%s) version %d: install the "+
			"same program on both", h.Program, h.Protocol, s.Build, protocol)
	case h.Installation != "" && h.Installation != self.Installation:
		return fmt.Sprintf("the standby is a copy of installation %s, and this server is %s", h.Installation,
			self.Installation)
	case h.Term > self.Term:
		err := s.fence(ctx, Claim{Installation: h.Installation, Term: h.Term, By: "a standby that followed it"})
		if err != nil {
			s.Log.Error("another server has taken over, and this one could not be stopped", "error", err)
		}
		return fmt.Sprintf("the standby has followed a server of term %d, and this one is of term %d: it is no longer the "+
			"first", h.Term, self.Term)
	}
	return ""
}

// compare marks the pages that the standby's copy does not have as they are.
func (r *round) compare(ctx context.Context, l *link) error {
	next := uint32(1)
	for {
		got, payload, err := l.receive(l.patience)
		if err != nil {
			return err
		}
		switch {
		case got == kindBusy:
			continue
		case got == kindDigested:
			return r.feed.MarkAfter(ctx, next-1)
		case got != kindDigests || len(payload) < pageHead || (len(payload)-pageHead)%sqlite.DigestSize != 0:
			return errFrame
		}
		first, digests := binary.BigEndian.Uint32(payload), payload[pageHead:]
		if first != next {
			return errFrame
		}
		n := len(digests) / sqlite.DigestSize
		next += uint32(n)
		pages, err := r.feed.Range(ctx, first, n)
		if err != nil {
			return err
		}
		var differ []uint32
		for _, p := range pages {
			at := int(p.Number-first) * sqlite.DigestSize
			if d := sqlite.Digest(p.Image); !bytes.Equal(d[:], digests[at:at+sqlite.DigestSize]) {
				differ = append(differ, p.Number)
			}
		}
		r.feed.Mark(differ)
	}
}

// run sends what is written, until ctx ends, or the server stops: then once more.
func (r *round) run(ctx context.Context) error {
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for {
		if err := r.send(ctx); err != nil {
			return err
		}
		select {
		case <-tick.C: // not before: what is written meanwhile goes along
		case <-r.now.stopping:
			err := r.send(ctx)
			r.now.finished = err == nil
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		// The tick alone would do. A look at once, for what comes after a while, saves its wait.
		if r.idle() {
			select {
			case <-r.feed.Wake():
			case <-r.woken:
			case <-tick.C:
			case <-r.now.stopping:
			case <-ctx.Done():
			}
		}
	}
}

// idle reports whether nothing is known to be sent.
func (r *round) idle() bool { return r.feed.Waiting() == 0 && !r.files.any() && r.told == r.ring }

// send sends all that was written, or that nothing was, and waits until the standby has it.
func (r *round) send(ctx context.Context) error {
	final, asOf := r.fenced.Load(), r.Clock()
	if err := r.loadRing(ctx); err != nil {
		return err
	}
	r.feed.Mark(r.l.refresh(asOf))
	same, err := r.feed.Unchanged(ctx)
	if err != nil {
		return err
	}
	if !same || !r.idle() || r.acked == 0 {
		if asOf, err = r.commit(ctx); err != nil {
			return err
		}
		if r.told != r.ring { // keys that were destroyed while the pages were read
			return r.send(ctx)
		}
		if final {
			return r.send(ctx)
		}
	} else {
		now := current{age: age{r.Clock().Sub(asOf)}, Sequence: r.acked, AsOf: asOf, Final: final}
		if err := r.l.tell(kindCurrent, now); err != nil {
			return err
		}
		if err := r.l.await(ctx, r.acked); err != nil {
			return err
		}
	}
	r.counts.current.Store(asOf.UnixMicro())
	return nil
}

// commit sends pages until none wait, and what makes them a commit. It returns until when the copy has
// everything.
func (r *round) commit(ctx context.Context) (asOf time.Time, err error) {
	var s sqlite.Snapshot
	for ok := false; !ok; {
		if err := ctx.Err(); err != nil {
			return asOf, context.Cause(ctx)
		}
		asOf = r.Clock()
		var pages []uint32
		if s, pages, ok, err = r.feed.Rest(ctx, mostAtOnce); err != nil {
			return asOf, err
		}
		if ok {
			r.taken(pages)
			break
		}
		rough, pages, err := r.feed.Some(ctx, roughStep)
		if err != nil {
			return asOf, err
		}
		r.taken(pages)
		if err := r.pages(rough); err != nil {
			return asOf, err
		}
	}
	// Files and keys come after the snapshot: what it refers to is among them.
	files := r.files.take()
	sequence := r.sending(files)
	before := r.ring
	if err := r.loadRing(ctx); err != nil {
		return asOf, err
	}
	if err := r.pages(s.Changed); err != nil {
		return asOf, err
	}
	// A key that was destroyed since the last look may still be needed for what the snapshot holds.
	keys, kept := r.ring, 0
	if !r.sameRing {
		keys, kept = r.ring.Keeping(before)
	}
	if !r.sameRing && keys != r.told {
		if err := r.l.send(kindRing, keys.Encode()); err != nil {
			return asOf, err
		}
	}
	err = r.l.tell(kindCommit, commit{
		Position: Position{Installation: r.identity.Installation, Epoch: r.identity.Epoch, Term: r.identity.Term,
			Session: r.session, Sequence: sequence, AsOf: asOf},
		Pages: s.Pages, Added: files.added, Removed: files.removed, Compare: files.lost,
		progress: progress{r.feed.Waiting()}, age: age{r.Clock().Sub(asOf)},
	})
	if err != nil {
		return asOf, err
	}
	if err := r.l.await(ctx, sequence); err != nil {
		return asOf, err
	}
	r.acknowledged()
	if r.told = r.ring; kept > 0 {
		r.told = keys
	}
	return asOf, nil
}

// loadRing reads the key ring, where it has changed.
func (r *round) loadRing(ctx context.Context) error {
	if r.sameRing {
		return nil
	}
	now, changed, err := r.Ring.Load(ctx, r.ring == nil)
	if err != nil || !changed {
		return err
	}
	if now == nil {
		return fmt.Errorf("the key ring is gone from %s", r.Ring)
	}
	r.ring = now
	return nil
}

// pages sends pages, with how many wait behind them.
func (r *round) pages(pages []sqlite.Page) error {
	for len(pages) > 0 {
		n := min(framePages, len(pages))
		parts := make([][]byte, 0, 2*n+1)
		parts = append(parts, binary.BigEndian.AppendUint32(nil, uint32(r.feed.Waiting())))
		for _, p := range pages[:n] {
			parts = append(parts, binary.BigEndian.AppendUint32(nil, p.Number), p.Image)
		}
		if err := r.l.send(kindPages, parts...); err != nil {
			return err
		}
		r.counts.pages.Add(int64(n))
		pages = pages[n:]
	}
	return r.l.flush()
}
