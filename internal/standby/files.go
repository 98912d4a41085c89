package standby

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// fetchers is how many files are fetched at a time.
	fetchers = 4

	// compareEvery is how often a standby compares its files with what its database refers to.
	compareEvery = time.Hour

	// compareRetry is how soon it compares them again where it could not finish.
	compareRetry = 10 * time.Second

	// spared is how young a file is that nothing refers to and that stays while the first has it: the
	// transaction that refers to it may be on its way.
	spared = time.Hour
)

// compares is when the files are compared, beside the following.
type compares struct {
	mu      sync.Mutex     // guards all below
	next    time.Time      // zero: at once
	named   []model.BlobID // to be there as well as those that the database refers to
	running sync.WaitGroup
	busy    bool
}

// due has them compared at the next opportunity, with those that are named.
func (c *compares) due(named []model.BlobID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = time.Time{}
	c.named = append(c.named, named...)
}

// again reports whether they are due.
func (c *compares) again() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next.IsZero()
}

// removed has them compared again where files go while they are compared: one that is being fetched may come
// after it went.
func (c *compares) removed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		c.next = time.Time{}
	}
}

// begin reports whether they are to be compared now, and returns those that were named; then end has to follow.
func (c *compares) begin() (named []model.BlobID, now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy || time.Now().Before(c.next) {
		return nil, false
	}
	c.busy = true
	c.next = time.Now().Add(compareEvery)
	named, c.named = c.named, nil
	return named, true
}

func (c *compares) end(named []model.BlobID, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	if err != nil {
		c.named = append(c.named, named...)
	}
	if retry := time.Now().Add(compareRetry); err != nil && c.next.After(retry) {
		c.next = retry
	}
}

func (c *compares) wait() { c.running.Wait() }

// compareSoon has the files compared after the commit that is being made, with those that are named.
func (f *Follower) compareSoon(named []model.BlobID) {
	f.compares.due(named)
	f.change(func(s *Status) { s.Missing = Unknown })
}

// compareAgain compares the files with what the database refers to, beside what comes, if it is time.
// The database is read here, between two commits.
func (f *Follower) compareAgain(ctx context.Context) {
	if f.SameFile || !f.replica.Whole() {
		return
	}
	coming, now := f.compares.begin()
	if !now {
		return
	}
	named, err := f.named(ctx)
	if err != nil {
		f.compares.end(coming, err)
		f.Log.Warn("the files were not compared with the database; it is tried again", "error", err)
		return
	}
	for _, id := range coming {
		named[id] = true
	}
	f.compares.running.Go(func() {
		err := f.compareFiles(ctx, named)
		f.compares.end(coming, err)
		if err != nil && ctx.Err() == nil {
			f.Log.Warn("files were not copied; it is tried again", "error", err)
		}
	})
}

// CountMissing counts the files that the copy's database refers to and that are not there. Nothing follows
// meanwhile.
func (f *Follower) CountMissing(ctx context.Context) (int, error) {
	if f.SameFile || !f.replica.Whole() {
		return 0, nil
	}
	named, err := f.named(ctx)
	if err == nil {
		err = f.Files.List(ctx, func(id model.BlobID, _ time.Time) error {
			delete(named, id)
			return nil
		})
	}
	return len(named), err
}

// named lists the files that the copy's database refers to.
func (f *Follower) named(ctx context.Context) (_ map[model.BlobID]bool, err error) {
	reader, err := f.replica.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	named := map[model.BlobID]bool{}
	return named, store.EachBlob(ctx, reader, func(id model.BlobID) error {
		named[id] = true
		return nil
	})
}

// compareFiles fetches what is missing of those that are named, and erases what nothing refers to any more.
func (f *Follower) compareFiles(ctx context.Context, named map[model.BlobID]bool) error {
	begun := time.Now()
	var extra, young []model.BlobID
	err := f.Files.List(ctx, func(id model.BlobID, kept time.Time) error {
		switch {
		case named[id]:
			delete(named, id)
		case begun.Sub(kept) > spared:
			extra = append(extra, id)
		default:
			young = append(young, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	missing := make([]model.BlobID, 0, len(named))
	for id := range named {
		missing = append(missing, id)
	}
	f.change(func(s *Status) {
		if s.Missing = len(missing); f.compares.again() {
			s.Missing = Unknown
		}
	})
	err = f.fetchAll(ctx, missing, func() {
		f.change(func(s *Status) {
			if s.Missing > 0 {
				s.Missing--
			}
		})
	})
	for _, id := range young {
		gone, fault := f.goneFromFirst(ctx, id)
		if fault != nil {
			err = errors.Join(err, fault)
			break
		}
		if gone {
			extra = append(extra, id)
		}
	}
	for _, id := range extra {
		err = errors.Join(err, f.Files.Delete(ctx, id))
	}
	return err
}

// goneFromFirst asks whether the first does not have a file any more.
func (f *Follower) goneFromFirst(ctx context.Context, id model.BlobID) (bool, error) {
	r, err := f.Peer.request(ctx, http.MethodHead, pathFiles+id.String(), nil)
	if err != nil {
		return false, err
	}
	answer, err := f.Peer.http.Do(r)
	if err != nil {
		return false, err
	}
	answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		return false, nil
	case http.StatusNotFound:
		return true, nil
	default:
		return false, fmt.Errorf("%w: %w", errUnread, statusError(answer, ""))
	}
}

// fetchAll copies files, some at a time. One that the first does not have any more is none. done is called
// for each that is there, where it is given. It goes on after those that the first cannot read, and then
// answers an errUnread.
func (f *Follower) fetchAll(ctx context.Context, ids []model.BlobID, done func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan model.BlobID)
	unread := make(chan error, 1)
	var fetching sync.WaitGroup
	for range min(fetchers, len(ids)) {
		fetching.Go(func() {
			for id := range next {
				switch err := f.fetch(ctx, id); {
				case errors.Is(err, errUnread):
					select {
					case unread <- err:
					default: // one will do
					}
				case err != nil:
					cancel(err)
				case done != nil:
					done()
				}
			}
		})
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		next <- id
	}
	close(next)
	fetching.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	select {
	case err := <-unread:
		return err
	default:
		return nil
	}
}

// errUnread says that the first could not read a file, such as one in a bucket that is away.
var errUnread = errors.New("the first could not read a file")

// fetch copies a file. It gives up once nothing of it has come for a while.
func (f *Follower) fetch(ctx context.Context, id model.BlobID) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if there, err := f.Files.Open(ctx, id); err == nil {
		return there.Close()
	} else if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	r, err := f.Peer.request(ctx, http.MethodGet, pathFiles+id.String(), nil)
	if err != nil {
		return err
	}
	answer, err := f.Peer.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound: // it was erased meanwhile
		return nil
	default:
		text, _ := io.ReadAll(io.LimitReader(answer.Body, mostRequest)) // what there is of it
		return fmt.Errorf("%w: %w", errUnread, statusError(answer, string(text)))
	}
	late := time.AfterFunc(patience, func() { cancel(errStalled) })
	defer late.Stop()
	// net/http reports a body that is shorter than was said, and Put then keeps nothing.
	n, err := f.Files.Put(ctx, id, &lively{answer.Body, late})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err == nil && n != answer.ContentLength {
		err = errors.Join(fmt.Errorf("file %s has %d bytes, want %d", id, n, answer.ContentLength), f.Files.Delete(ctx, id))
	}
	return err
}

// errStalled says that the rest of a file does not come.
var errStalled = errors.New("nothing of a file has come for a while")

// lively puts off the end of its patience with every read that brings something.
type lively struct {
	io.Reader
	late *time.Timer
}

func (l *lively) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.late.Reset(patience)
	}
	return n, err
}
