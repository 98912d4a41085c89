package standby

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"signet/internal/blob"
	"signet/internal/seal"
	"signet/internal/store/sqlite"
)

const (
	// every is how often the standby gets what was written, at most. What is written more often than
	// that goes once. Half of the second that a standby may be behind is left for the way, and for
	// its disk.
	every = 250 * time.Millisecond

	// mostAtOnce is how many pages are read in one piece: they are held in memory, 16 MiB of them, and
	// while they are read the log of the store cannot start again. More are sent in rough steps first.
	mostAtOnce = 4096

	// roughStep is how many pages a rough step has.
	roughStep = 1024

	// lastRound is how long a server that stops goes on for the standby to have everything. One that
	// another server took over from has nothing else to do, and what it has is nowhere else. For one whose
	// data another program goes on with, clients wait.
	lastRound         = 3 * time.Second
	lastFencedRound   = 30 * time.Second
	lastHandOverRound = 100 * time.Millisecond
)

// SenderOptions are what a Sender works on.
type SenderOptions struct {
	Engine *sqlite.Engine
	Ring   seal.Storage // opened beside the server's own; the Sender closes it
	Files  blob.Store   // where standbys follow over the network
	Key    string
	Build  string // version of the program

	// Bucket is where standbys read what is written; nil: they follow over the network.
	Bucket   *Bucket
	SameRing bool   // of a bucket: the key ring is in a database, and none is put there
	Machine  string // of a bucket: what this one is called, for people

	// Self says what this server is.
	Self func(context.Context) (State, error)

	// Fence has this server confirm nothing from now on, and not start again as the first, since
	// another one has taken over. Once that is certain it calls fenced, before it has the server end, and returns
	// nil.
	Fence func(_ context.Context, _ Claim, fenced func()) error

	Clock func() time.Time
	Log   *slog.Logger
}

// Sender is the side of the server that is followed. It costs the server's callers nothing that they
// wait for: it reads what was written, beside them.
type Sender struct {
	SenderOptions
	patience  time.Duration // with a standby that reads nothing, or says nothing
	session   string        // since a standby's copy was last compared: what is known of it holds in this one only
	files     fileNotes
	counts    senderCounts
	fenced    atomic.Bool
	handsOver atomic.Bool   // another program goes on with the data
	woken     chan struct{} // receives when there is something to tell besides what was written
	arrived   chan struct{} // receives when a standby has connected

	mu      sync.Mutex // guards all below
	closed  bool
	current *following // nil: nobody follows

	// What is known of the one who followed last; of the one who follows now, its own.
	feed    *sqlite.Feed // nil before the first
	id      string
	acked   uint64   // sequence
	sent    uint64   // sequence: acked, or the next one
	pending []uint32 // pages of sent, or of the one that was being sent
	unacked noted    // files of sent
}

// following is a connection of a standby.
type following struct {
	id       string
	stopping chan struct{}           // closed once the server stops: what there is, is sent once more
	stop     func()                  // closes it
	end      context.CancelCauseFunc // ends the connection at once
	ended    chan struct{}           // closed once it has
	finished bool                    // it has got everything since stopping; to be read once ended is closed
}

// senderCounts is what metrics tell.
type senderCounts struct {
	connected atomic.Bool
	current   atomic.Int64 // when the standby last had everything, in microseconds; 0: never
	pages     atomic.Int64 // sent
	commits   atomic.Int64 // acknowledged
	files     atomic.Int64
	refused   atomic.Int64 // requests without the key
	problem   atomic.Value // string: why a bucket does not get what is written; empty: it does
}

// SenderFigures are those of a Sender at a moment.
type SenderFigures struct {
	Connected bool
	Current   time.Time // when the standby last acknowledged that it has everything; zero: never
	Waiting   int64     // bytes that it lacks
	Sent      int64     // bytes of pages
	Commits   int64     // that it acknowledged
	Files     int64     // that it fetched
	Refused   int64     // requests without the key
	Problem   string    // why a bucket does not get what is written; empty: it does
}

// NewSender returns a sender that nobody follows yet.
func NewSender(o SenderOptions) *Sender {
	return &Sender{SenderOptions: o, patience: patience, woken: make(chan struct{}, 1), arrived: make(chan struct{}, 1)}
}

// Figures returns what metrics tell.
func (s *Sender) Figures() SenderFigures {
	f := SenderFigures{Connected: s.counts.connected.Load(), Sent: s.counts.pages.Load() * sqlite.PageSize,
		Commits: s.counts.commits.Load(), Files: s.counts.files.Load(), Refused: s.counts.refused.Load()}
	f.Problem, _ = s.counts.problem.Load().(string)
	if us := s.counts.current.Load(); us != 0 {
		f.Current = time.UnixMicro(us)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed != nil && !s.closed {
		f.Waiting = int64(s.feed.Waiting()+len(s.pending)) * sqlite.PageSize
	}
	return f
}

// HandOver says, before the ctx of Run ends, that another program goes on with the data: the standby gets from
// that one what it does not get soon.
func (s *Sender) HandOver() { s.handsOver.Store(true) }

// Run waits until ctx ends, and then until the standby has everything: for lastRound at most, or for
// lastFencedRound, or lastHandOverRound. It waits no longer than lastRound for a standby that is not there. The
// address on which it is answered has to be there meanwhile: the standby fetches files.
func (s *Sender) Run(ctx context.Context) {
	<-ctx.Done()
	fenced, limit := s.fenced.Load(), lastRound
	switch {
	case fenced:
		limit = lastFencedRound
	case s.handsOver.Load():
		limit = lastHandOverRound
	}
	late := time.After(limit)
	for absent := time.After(lastRound); ; absent = time.After(lastRound) {
		s.mu.Lock()
		now := s.current
		s.mu.Unlock()
		switch {
		case now != nil:
			now.stop()
			select {
			case <-now.ended:
			case <-late:
				return
			}
			if now.finished {
				return
			}
		case !fenced: // whoever is not there comes back when the server does
			return
		default:
			select {
			case <-s.arrived:
			case <-absent:
				return
			case <-late:
				return
			}
		}
	}
}

// Close ends what follows. It comes before the engine's end.
func (s *Sender) Close() error {
	s.mu.Lock()
	s.closed = true
	now := s.current
	s.mu.Unlock()
	if now != nil {
		now.end(errClosed)
		<-now.ended
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.Ring.Close()
	if s.feed != nil {
		err = errors.Join(err, s.feed.Close())
	}
	return err
}

var (
	errClosed   = errors.New("the server has stopped")
	errReplaced = errors.New("the standby has connected anew")
)

// enter makes a connection the one that follows. One of the same standby ends for it: its other end is
// gone, and nobody has noticed. leave gives the place back.
func (s *Sender) enter(ctx context.Context, id string) (_ context.Context, now *following, leave func(), err error) {
	for {
		s.mu.Lock()
		before := s.current
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, nil, nil, errClosed
		case before == nil:
			ctx, end := context.WithCancelCause(ctx)
			stopping := make(chan struct{})
			now := &following{id: id, stopping: stopping, stop: sync.OnceFunc(func() { close(stopping) }), end: end,
				ended: make(chan struct{})}
			s.current = now
			s.mu.Unlock()
			select {
			case s.arrived <- struct{}{}:
			default:
			}
			return ctx, now, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.current = nil
				end(nil)
				close(now.ended)
			}, nil
		case before.id != id:
			s.mu.Unlock()
			return nil, nil, nil, errors.New("another standby follows this server already; one can")
		}
		s.mu.Unlock()
		before.end(errReplaced)
		select {
		case <-before.ended:
		case <-ctx.Done():
			return nil, nil, nil, ctx.Err()
		}
	}
}

// prepare opens the feed for the first standby, and finds out whether this one goes on where it was.
func (s *Sender) prepare(ctx context.Context, h *standbyHello) (resumes bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed == nil {
		if s.feed, err = s.Engine.OpenFeed(ctx); err != nil {
			return false, err
		}
		s.files.begin()
	}
	pending, unacked := s.pending, s.unacked
	s.pending, s.unacked = nil, noted{}
	if h.Whole && h.ID == s.id && h.Session == s.session {
		switch {
		case h.Sequence == s.sent && s.sent > s.acked: // only its answer was lost
			s.acked, resumes = s.sent, true
		case h.Sequence == s.acked:
			s.sent, resumes = s.acked, true
			s.feed.Mark(pending)
			s.files.putBack(unacked)
		}
	}
	if resumes {
		if h.Compare { // it lacks what it was still to fetch when it ended
			s.files.begin()
		}
		return true, nil
	}
	// Commits are counted anew, so they need another name: a copy may come back as it was before it was
	// compared, from a snapshot of its machine.
	s.session, s.id, s.sent, s.acked = newSession(), h.ID, 0, 0
	s.files.begin()
	return false, nil
}

func newSession() string { return rand.Text() }

// taken notes what is on its way, so that it is not lost with the connection.
func (s *Sender) taken(pages []uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, pages...)
}

// sending notes that a commit goes out.
func (s *Sender) sending(files noted) (sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = s.acked + 1
	s.unacked = files
	return s.sent
}

// acknowledged notes that the standby has all of it.
func (s *Sender) acknowledged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked, s.pending, s.unacked = s.sent, nil, noted{}
	s.counts.commits.Add(1)
}

// GiveWay ends this server's time as the first: another one has taken over.
func (s *Sender) GiveWay(ctx context.Context, c Claim) error { return s.fence(ctx, c) }

// fence ends this server's time as the first.
func (s *Sender) fence(ctx context.Context, c Claim) error {
	err := s.Fence(ctx, c, func() {
		s.fenced.Store(true)
		select {
		case s.woken <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return fmt.Errorf("fence this server: %w", err)
	}
	return nil
}
