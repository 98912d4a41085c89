package pgbus

import (
	"context"
	"encoding/base64"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"signet/internal/live"
)

// session is a connection that hears and one that says, for as long as both work.
type session struct {
	*Bus
	hear, say *pgconn.PgConn

	awaited  atomic.Uint64 // the number of the heartbeat that was said last
	returned chan struct{} // receives when it has come back
	met      chan struct{} // receives when another node is heard that is to be answered
	carried  bool          // one has, so that notices are carried
}

func newSession(b *Bus) *session {
	return &session{Bus: b, returned: make(chan struct{}, 1), met: make(chan struct{}, 1)}
}

// run carries notices until a connection fails, heartbeats do not come back, or the bus is
// closed. It reports whether any would have been carried.
func (s *session) run() (carried bool, err error) {
	if s.hear, err = s.dialHearing(s.take); err != nil {
		return false, err
	}
	defer hangUp(s.hear)
	if s.say, err = s.dialSaying(); err != nil {
		return false, err
	}
	defer hangUp(s.say)

	s.others.meet(s.pace.patience) // until they answer
	// It goes on until speak has said what waits, also at the end of the bus.
	listening, stop := context.WithCancel(context.WithoutCancel(s.life))
	lost := make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() { lost <- s.listen(listening) })
	err = s.speak(lost)
	stop()
	running.Wait()
	if !s.carried {
		unlisten(s.hear)
	}
	return s.carried, err
}

// listen takes in what is said until ctx ends, or the connection.
func (s *session) listen(ctx context.Context) error {
	for {
		if err := s.hear.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}

// speak says what there is to say, and heartbeats.
func (s *session) speak(lost <-chan error) error {
	due, late := time.NewTimer(0), time.NewTimer(s.pace.patience)
	defer due.Stop()
	defer late.Stop()
	var said time.Time
	var out <-chan live.Notice // nil: nothing is said until heartbeats come back, or the gap is over
	var gap <-chan time.Time
	for {
		var err error
		select {
		case <-due.C:
			text := beat
			if said.IsZero() {
				text = hello
			}
			said = time.Now()
			late.Reset(s.pace.patience)
			err = s.sayBeat(text)
		case <-s.returned:
			late.Stop()
			due.Reset(s.pace.beat)
			s.latency.Since(said)
			if !s.carried {
				s.arrive()
				out = s.out
			}
		case <-s.met:
			due.Reset(0)
		case <-late.C:
			if len(s.returned) == 0 { // else it came while something else was said
				return errUnheard
			}
		case n := <-out:
			err = s.send(s.gather(n))
			out, gap = nil, time.After(s.pace.gap)
		case <-gap:
			out = s.out
		case err = <-lost:
			return err
		case <-s.life.Done():
			return s.sendRest()
		}
		if err != nil {
			return err
		}
	}
}

// sayBeat says a heartbeat, which may be a hello. Its number tells it from those before.
func (s *session) sayBeat(text []byte) error {
	sealed := s.envelope.Seal(s.channel, text)
	number, _ := s.envelope.Own(sealed)
	s.awaited.Store(number)
	return s.notify(s.say, []string{base64.RawStdEncoding.EncodeToString(sealed)})
}

// arrive is called when the first heartbeat is back. From then on notices are carried, and what
// was said before is to be looked for.
func (s *session) arrive() {
	s.carried = true
	s.forgetOld()
	s.link.Restore(s.hear.Conn().RemoteAddr().String())
	s.hub.Miss()
}

// forgetOld drops what waits since the session before: who typed then may not do it now.
func (s *session) forgetOld() {
	for {
		select {
		case n := <-s.out:
			n.Sent(true)
			s.link.Dropped.Add(1)
		default:
			return
		}
	}
}

// gather adds to a notice those that wait behind it: one transaction says them all.
func (b *Bus) gather(first live.Notice) []live.Notice {
	out := []live.Notice{first}
	for accounts := len(first.Accounts); accounts < gathered; {
		select {
		case next := <-b.out:
			accounts += len(next.Accounts)
			out = append(out, next)
		default:
			return merge(out)
		}
	}
	return merge(out)
}

// send says notices, in their order.
func (s *session) send(notices []live.Notice) (err error) {
	defer func() {
		for _, n := range notices {
			n.Sent(err != nil)
		}
	}()
	var sealed []string
	for _, n := range notices {
		letters, err := write(n)
		if err != nil {
			s.link.Dropped.Add(1)
			s.link.Complain("a notice for other nodes cannot be written", err)
			continue
		}
		for _, letter := range letters {
			sealed = append(sealed, base64.RawStdEncoding.EncodeToString(s.envelope.Seal(s.channel, letter)))
		}
	}
	s.link.Published.Add(uint64(len(sealed))) // before another node can have received them
	said := 0
	for some := range slices.Chunk(sealed, together) {
		if err := s.notify(s.say, some); err != nil {
			s.link.Dropped.Add(uint64(len(sealed) - said))
			return err
		}
		said += len(some)
	}
	return nil
}

// sendRest says what waits when the bus is closed.
func (s *session) sendRest() error {
	if !s.carried {
		return nil
	}
	for {
		select {
		case n := <-s.out:
			if err := s.send(s.gather(n)); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// take takes in what came over the channel: this node's own words, of which only the
// heartbeat counts, and those of others.
func (s *session) take(heard *pgconn.Notification) {
	if heard.Channel != s.channel || heard.Payload == "" {
		return // nothing is said: somebody has connected
	}
	sealed, err := base64.RawStdEncoding.DecodeString(heard.Payload)
	if number, own := s.envelope.Own(sealed); err == nil && own {
		if number == s.awaited.Load() {
			select {
			case s.returned <- struct{}{}:
			default: // somebody repeats what they heard
			}
		}
		return
	}
	var n live.Notice
	if err == nil {
		n, err = s.open(sealed)
	}
	if err == nil {
		s.meet(n.Kind == helloKind)
	}
	switch {
	case err != nil:
		s.link.Dropped.Add(1)
		s.link.Complain("a message on the bus is none of this installation's nodes", err)
	case n.Kind != beatKind && n.Kind != helloKind: // those of other nodes are for them
		s.link.Received.Add(1)
		s.hub.Hear(n)
	}
}

// meet notes that another node is there. One that has just connected is answered, so that it need
// not wait for the next heartbeat to know.
func (s *session) meet(hello bool) {
	first := s.others.meet(s.pace.alone)
	if first {
		s.hub.Miss() // what the other one kept for itself
	}
	if first || hello {
		select {
		case s.met <- struct{}{}:
		default:
		}
	}
}

func (s *session) open(sealed []byte) (n live.Notice, err error) {
	letter, err := s.envelope.Open(s.channel, sealed)
	if err != nil {
		return n, err
	}
	return read(letter)
}
