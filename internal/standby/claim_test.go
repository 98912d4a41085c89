package standby

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"signet/internal/blob/s3test"
)

// servesAs makes a first that of a term, by a claim and in an epoch.
func servesAs(term uint64, claim, epoch string) func(*SenderOptions) {
	return func(o *SenderOptions) {
		self := o.Self
		o.Self = func(ctx context.Context) (State, error) {
			s, err := self(ctx)
			s.Term, s.Claim, s.Epoch = term, claim, epoch
			return s, err
		}
	}
}

// Two copies were promoted in the same term while neither could claim it. One has it in the bucket, with its pages,
// and the other one says so.
func TestTermOfABucketIsThatOfOneServer(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location()
	f := mustFirst(t, t.TempDir())
	dir, other := f.dir, t.TempDir()
	f.close()
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	one := mustFirstAt(t, dir, at, servesAs(1, "a", "epoch of one"))
	one.until("it has put a copy", func() bool { return one.sender.Figures().Commits > 0 })
	two := mustFirstAt(t, other, at, servesAs(1, "b", "epoch of two"))
	two.until("it says who is the first", func() bool {
		return strings.Contains(two.sender.Figures().Problem, "is the first of term 1")
	})
	two.mustNote("of two")
	one.mustNote("of one")
	s := mustCollect(t, t.TempDir(), at, one)
	s.awaitAll()
	two.close()
	one.close()
	one = mustFirstAt(t, dir, at, servesAs(1, "a", "epoch of one"))
	one.until("it goes on after its start", func() bool { return one.sender.Figures().Commits > 0 })
	s.stop()
	wantCopy(t, s.dir, "of one")
}

// A server that was promoted by a claim has made no epoch by then.
func TestServerHasTheTermThatItsCopyClaimed(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location()
	f := mustFirst(t, t.TempDir())
	self, err := f.self(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := f.dir
	f.close()
	b := mustBucket(t, at, testKey)
	claim := Claim{Installation: self.Installation, Term: 1, By: "a test", ID: "a"}
	if _, err := b.Fence(t.Context(), claim); !errors.Is(err, ErrUnheard) {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"a": true, "b": false, "": false} {
		f := mustFirstAt(t, dir, at, servesAs(1, id, "epoch "+id))
		f.until("it is told", func() bool {
			figures := f.sender.Figures()
			return figures.Commits > 0 || strings.Contains(figures.Problem, "is the first of term 1")
		})
		if got := f.sender.Figures().Commits > 0; got != want {
			t.Errorf("the server of copy %q has the term: %v, want %v", id, got, want)
		}
		f.close()
	}
}

// A claim that does not open may be that of another standby.
func TestTermIsNotClaimedWhereAClaimCannotBeRead(t *testing.T) {
	b := mustBucket(t, s3test.Shared(t).Bucket(t).Location(), testKey)
	if err := b.objects.Put(t.Context(), claimName(1), []byte("cut off")); err != nil {
		t.Fatal(err)
	}
	if s, err := b.Fence(t.Context(), Claim{Installation: "one", Term: 1, ID: "a"}); !errors.Is(err, ErrNotClaimed) {
		t.Errorf("it is claimed: %+v, error %v", s, err)
	}
	if s, err := b.State(t.Context()); !errors.Is(err, ErrNotClaimed) {
		t.Errorf("it is read that %+v, error %v", s, err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if s, err := b.State(late); err == nil || errors.Is(err, ErrNotClaimed) {
		t.Errorf("without an answer it is read that %+v, error %v", s, err)
	}
}
