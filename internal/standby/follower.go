package standby

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"signet/internal/blob"
	"signet/internal/seal"
	"signet/internal/store/sqlite"
)

const (
	// firstRetry and lastRetry are how long a standby waits before it connects again.
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second

	// quiet is how long the first may say nothing: it says at least that it is at work.
	quiet = 10 * time.Second

	// digestsAtOnce is how many digests go into a frame.
	digestsAtOnce = 256
)

// FollowerOptions are what a Follower works on.
type FollowerOptions struct {
	Peer   *Peer   // the first; nil: it is followed by a bucket
	Bucket *Bucket // which is this

	Copy  string // path of the sqlite.Replica
	ID    string // of the copy
	Build string // version of the program

	Ring     seal.Storage // where the key ring goes, or that of the first itself
	SameRing bool         // it is that of the first itself
	Files    blob.Store   // where the files go, or those of the first themselves
	SameFile bool         // they are

	// RingCame is called when the key ring has changed.
	RingCame func(context.Context)

	Log *slog.Logger
}

// Follow has a Follower follow a server.
func (o *FollowerOptions) Follow(first Other) {
	o.Peer, _ = first.(*Peer)
	o.Bucket, _ = first.(*Bucket)
}

// Follower is the side of the standby.
type Follower struct {
	FollowerOptions
	compares compares

	replica *sqlite.Replica // nil: it has to be opened
	ring    *seal.Contents  // that came, for the next commit; nil: as it is
	told    bool            // to compare the files, since the start

	mu     sync.Mutex // guards all below
	status Status
}

// Status is how a standby is.
type Status struct {
	Connected bool
	Whole     bool      // it has a database as it was after a commit
	Position  Position  // of that database
	AsOf      time.Time // it has all that was confirmed until then, by the first's clock
	Current   time.Time // the same, by its own clock; zero: not since the start
	Waiting   int64     // bytes that it lacked then, about
	Final     bool      // the first confirms nothing any more, and it has everything
	Problem   string    // why it does not follow; empty: it does, or begins to
	Missing   int       // files that were not copied yet; Unknown while they are compared
	Bytes     int64     // of pages that came
	Commits   int64     // since the start
	Emptied   time.Time // of a bucket: when it was last found to hold nothing more
}

// Unknown is how many files are missing while nobody knows.
const Unknown = -1

// NewFollower opens the copy, as far as there is one.
func NewFollower(o FollowerOptions) (*Follower, error) {
	f := &Follower{FollowerOptions: o}
	if !o.SameFile {
		f.status.Missing = Unknown
	}
	return f, f.open()
}

// open opens the copy, and reads what was noted with its last commit.
func (f *Follower) open() (err error) {
	if f.replica != nil {
		return nil
	}
	f.ring = nil
	if f.replica, err = sqlite.OpenReplica(f.Copy); err != nil {
		return err
	}
	var p Position
	if f.replica.Whole() {
		if err := json.Unmarshal(f.replica.State().Note, &p); err != nil {
			return errors.Join(fmt.Errorf("read what was noted of the copy: %w", err), f.Close())
		}
	}
	f.change(func(s *Status) {
		s.Whole, s.Position = f.replica.Whole(), p
		if p.AsOf.After(s.AsOf) {
			s.AsOf = p.AsOf
		}
	})
	return nil
}

// Close closes the copy: what came since its last commit is dropped. Run does it itself.
func (f *Follower) Close() error {
	if f.replica == nil {
		return nil
	}
	err := f.replica.Close()
	f.replica = nil
	return err
}

func (f *Follower) change(fn func(*Status)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn(&f.status)
}

// Status returns how the standby is.
func (f *Follower) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// first is the server that is followed.
func (f *Follower) first() Other {
	if f.Bucket != nil {
		return f.Bucket
	}
	return f.Peer
}

// Self is what the standby is to the other server.
func (f *Follower) Self(context.Context) (State, error) {
	s := f.Status()
	p := s.Position
	return State{Installation: p.Installation, Epoch: p.Epoch, Term: p.Term, Role: Standby, AsOf: s.AsOf}, nil
}

// Handler answers the other server of a pair.
func (f *Follower) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathState, func(w http.ResponseWriter, r *http.Request) { answerState(w, r, f.Self) })
	mux.HandleFunc("POST "+pathFence, func(w http.ResponseWriter, r *http.Request) { answerClaim(w, r, f.Self, nil) })
	return guarded(mux, f.Peer.key, func(r *http.Request) {
		f.Log.Warn("a request without the key of standby.key was refused", "client", r.RemoteAddr)
	})
}

// Run follows until ctx ends, connecting again and again, and closes the copy.
func (f *Follower) Run(ctx context.Context) error {
	retry := firstRetry
	said := ""
	for ctx.Err() == nil {
		begun := time.Now()
		err := f.open()
		switch {
		case err != nil:
		case f.Bucket != nil:
			err = f.collect(ctx, func() bool { return false })
		default:
			err = f.follow(ctx)
		}
		f.change(func(s *Status) { s.Connected = false })
		if ctx.Err() != nil {
			break
		}
		f.change(func(s *Status) { s.Problem = err.Error() })
		if text := err.Error(); text != said {
			said = text
			f.Log.Warn("this standby does not follow; it connects again and again", "first", f.first().String(), "error", err)
		}
		// The connection ended in the middle of a commit, or by a fault of the copy.
		if err := f.Close(); err != nil {
			f.Log.Error("the copy could not be closed", "error", err)
		}
		if f.Status().Current.After(begun) { // it followed
			retry, said = firstRetry, ""
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
		retry = min(2*retry, lastRetry)
	}
	f.compares.wait()
	return f.Close()
}

// follow follows on one connection.
func (f *Follower) follow(ctx context.Context) (err error) {
	conn, in, err := f.Peer.upgrade(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	l := newLink(conn, in)
	first, err := f.greet(ctx, l)
	if err != nil {
		return err
	}
	end := l.sayBusy()
	defer func() { conn.Close(); end() }()
	if !first.Resumes {
		if err := f.tellDigests(l); err != nil {
			return fmt.Errorf("send the digests of the copy: %w", err)
		}
	}
	// Of one term it stays true: a first that gave way may answer once more while it ends.
	f.change(func(s *Status) {
		s.Connected, s.Problem, s.Final = true, "", s.Final && s.Position.Term == first.Term
	})
	f.Log.Info("this standby follows", "first", f.Peer.String(), "term", first.Term, "resumes", first.Resumes)
	for {
		got, payload, err := l.receive(quiet)
		if err != nil {
			return err
		}
		if err := f.frame(ctx, l, got, payload); err != nil {
			return err
		}
	}
}

// greet tells the first what the standby has, and learns what the first is.
func (f *Follower) greet(ctx context.Context, l *link) (first firstHello, err error) {
	s := f.Status()
	err = l.tell(kindHello, standbyHello{Protocol: protocol, Program: f.Build, ID: f.ID, Position: s.Position,
		Whole: s.Whole, SameRing: f.SameRing, Compare: !f.told && !f.SameFile})
	if err != nil {
		return first, err
	}
	if err := l.want(kindHello, &first, patience); err != nil {
		return first, err
	}
	switch {
	case first.Protocol != protocol || first.PageSize != sqlite.PageSize:
		return first, fmt.Errorf("the first (%s) has another form of data than this program: install the same on both",
			first.Program)
	case s.Whole && first.Installation != s.Position.Installation:
		return first, fmt.Errorf("this is a copy of installation %s, and the first is %s", s.Position.Installation,
			first.Installation)
	}
	return first, f.wantSame(ctx, first.Installation)
}

// wantSame refuses a key ring, or a place of files, that is said to be the first's and is not.
func (f *Follower) wantSame(ctx context.Context, installation string) error {
	if f.SameRing {
		mark, err := f.Ring.Owner(ctx)
		if err == nil && mark.Installation != installation {
			err = fmt.Errorf("the key ring at %s is not that of the first: name the same (setting keyring), or a file, for a "+
				"copy", f.Ring)
		}
		if err != nil {
			return err
		}
	}
	if f.SameFile {
		mark, err := f.Files.Owner(ctx)
		if err == nil && mark.Installation != installation {
			err = fmt.Errorf("the files at %s are not those of the first: name the same (setting blobs), or a directory, for "+
				"a copy", f.Files)
		}
		return err
	}
	return nil
}

// tellDigests tells the first what is on the pages of the copy.
func (f *Follower) tellDigests(l *link) error {
	err := f.replica.Digests(digestsAtOnce, func(first uint32, digests []byte) error {
		return l.send(kindDigests, binary.BigEndian.AppendUint32(nil, first), digests)
	})
	if err == nil {
		err = l.send(kindDigested)
	}
	if err == nil {
		err = l.flush()
	}
	return err
}

// frame does what a frame says.
func (f *Follower) frame(ctx context.Context, l *link, got kind, payload []byte) error {
	switch got {
	case kindPages:
		return f.pages(payload)
	case kindRing:
		ring, err := seal.ParseContents(payload)
		f.ring = ring
		return err
	case kindCommit:
		var c commit
		if err := decode(got, kindCommit, payload, &c); err != nil {
			return err
		}
		if err := f.commit(ctx, &c); err != nil {
			return err
		}
		return l.tell(kindAck, ack{c.Sequence})
	case kindBusy:
		return nil
	default:
		var c current
		if err := decode(got, kindCurrent, payload, &c); err != nil {
			return err
		}
		f.change(func(s *Status) {
			s.AsOf, s.Current, s.Waiting, s.Final = c.AsOf, time.Now().Add(-c.Age), 0, c.Final
		})
		f.compareAgain(ctx)
		return l.tell(kindAck, ack{c.Sequence})
	}
}

// pages takes pages of the next commit.
func (f *Follower) pages(payload []byte) error {
	if len(payload) < 4 || (len(payload)-4)%pageInFrame != 0 {
		return errFrame
	}
	waiting := int64(binary.BigEndian.Uint32(payload)) * sqlite.PageSize
	payload = payload[4:]
	f.change(func(s *Status) {
		s.Waiting = waiting
		s.Bytes += int64(len(payload) / pageInFrame * sqlite.PageSize)
	})
	for ; len(payload) > 0; payload = payload[pageInFrame:] {
		p := sqlite.Page{Number: binary.BigEndian.Uint32(payload), Image: payload[pageHead:pageInFrame]}
		if err := f.replica.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// commit brings what came to the disk: first the files and the keys that it refers to.
func (f *Follower) commit(ctx context.Context, c *commit) error {
	if !f.SameFile && !c.Compare {
		err := f.fetchAll(ctx, c.Added, nil)
		switch {
		case errors.Is(err, errUnread): // the rest of the commit is not to wait for what may be away for hours
			f.Log.Warn("a file could not be copied; it is tried again", "error", err)
			f.compareSoon(c.Added)
		case err != nil:
			return fmt.Errorf("copy files: %w", err)
		}
	}
	if err := f.mirror(ctx); err != nil {
		return err
	}
	note, err := json.Marshal(c.Position)
	if err != nil {
		return err
	}
	if err := f.replica.Commit(c.Pages, note); err != nil {
		return err
	}
	f.change(func(s *Status) {
		s.Whole, s.Position, s.AsOf, s.Current = true, c.Position, c.AsOf, time.Now().Add(-c.Age)
		s.Waiting = int64(c.Waiting) * sqlite.PageSize
		s.Commits++
	})
	if f.SameFile {
		return nil
	}
	if len(c.Removed) > 0 {
		f.compares.removed()
	}
	for _, id := range c.Removed {
		if err := f.Files.Delete(ctx, id); err != nil {
			f.Log.Warn("a file that the first has erased could not be erased; it is tried again", "error", err)
			f.compares.due(nil)
		}
	}
	if c.Compare {
		f.told = true
		f.compareSoon(c.Added)
	}
	f.compareAgain(ctx)
	return nil
}

// mirror makes the key ring what came.
func (f *Follower) mirror(ctx context.Context) error {
	if f.ring == nil || f.SameRing {
		return nil
	}
	if err := seal.Mirror(ctx, f.Ring, f.ring); err != nil {
		return fmt.Errorf("copy the key ring: %w", err)
	}
	f.ring = nil
	f.RingCame(ctx)
	return nil
}

// upgrade opens a connection of frames to the server.
func (p *Peer) upgrade(ctx context.Context) (net.Conn, *bufio.Reader, error) {
	at, err := url.Parse(p.url)
	if err != nil {
		return nil, nil, err
	}
	dialer := &net.Dialer{Timeout: patience}
	host := at.Host
	if at.Port() == "" {
		host = net.JoinHostPort(at.Hostname(), map[string]string{"http": "80", "https": "443"}[at.Scheme])
	}
	var conn net.Conn
	if at.Scheme == "https" {
		settings := p.tls.Clone()
		settings.NextProtos = []string{"http/1.1"}
		conn, err = (&tls.Dialer{NetDialer: dialer, Config: settings}).DialContext(ctx, "tcp", host)
	} else {
		conn, err = dialer.DialContext(ctx, "tcp", host)
	}
	if err != nil {
		return nil, nil, err
	}
	in, err := p.ask(ctx, conn)
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return conn, in, nil
}

// ask asks the server to take the connection over.
func (p *Peer) ask(ctx context.Context, conn net.Conn) (*bufio.Reader, error) {
	r, err := p.request(ctx, http.MethodPost, pathFollow, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", upgrade)
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if err := r.Write(conn); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(conn, 64<<10)
	answer, err := http.ReadResponse(in, r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, statusError(answer, "it is no server that can be followed")
	}
	return in, conn.SetDeadline(time.Time{})
}
