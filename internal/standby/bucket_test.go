package standby

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/testenv"
)

// mustBucket opens the bucket of a pair, which ends with the test.
func mustBucket(t *testing.T, location, key string) *Bucket {
	t.Helper()
	b, err := NewBucket(location, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// mustFirstAt starts a server that puts what is written into a bucket.
func mustFirstAt(t *testing.T, dir, location string, change ...func(*SenderOptions)) *first {
	t.Helper()
	b := mustBucket(t, location, testKey)
	return mustFirst(t, dir, append([]func(*SenderOptions){func(o *SenderOptions) { o.Bucket = b }}, change...)...)
}

// mustCollect starts a standby by a bucket, with the attachments of the first.
func mustCollect(t *testing.T, dir, location string, f *first) *follower {
	t.Helper()
	self, err := f.self(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return mustFollow(t, dir, location, func(o *FollowerOptions) {
		o.SameFile = true
		if err := o.Files.SetOwner(t.Context(), model.Mark{Installation: self.Installation, Epoch: self.Epoch}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestStandbyFollowsByABucket(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location("prefix=pair")
	dir := t.TempDir()
	f := mustFirstAt(t, dir, at)
	f.mustNote("before")
	s := mustCollect(t, t.TempDir(), at, f)
	s.awaitAll()
	f.mustNote("after")
	got := s.awaitAll()
	if lag := time.Since(got.AsOf); lag > 5*time.Second || got.Waiting != 0 || !got.Connected {
		t.Errorf("the standby is %v behind: %+v", lag, got)
	}
	second := mustCollect(t, t.TempDir(), at, f) // any number can follow
	second.awaitAll()
	second.stop()
	wantCopy(t, second.dir, "after")
	s.stop()
	wantCopy(t, s.dir, "after")

	f.mustNote("while it was away")
	s = mustCollect(t, s.dir, at, f)
	s.awaitAll()
	if n := s.log.Count("resumes=true"); n != 1 {
		t.Errorf("it went on %d times, want once:\n%s", n, s.log.String())
	}
	f.close()
	f = mustFirstAt(t, dir, at) // which puts a whole copy
	f.mustNote("after the start")
	s.awaitAll()
	s.stop()
	wantCopy(t, s.dir, "after the start")
}

// The bucket is away in the middle. Nobody waits for it, the server says so, and nothing lacks later.
func TestBucketThatWasAwayGetsTheRest(t *testing.T) {
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	at := bucket.Location()
	f := mustFirstAt(t, t.TempDir(), at)
	s := mustCollect(t, t.TempDir(), at, f)
	s.awaitAll()
	last := ""
	for i := range 3 {
		server.Stop(t)
		for j := range 20 {
			last = fmt.Sprint(i, "-", j)
			f.mustNote(last)
		}
		f.until("the server says that the bucket is away", func() bool {
			figures := f.sender.Figures()
			return figures.Problem != "" && !figures.Connected
		})
		s.await("the standby says so", func(s Status) bool { return !s.Connected && s.Problem != "" })
		server.Restart(t)
		s.awaitAll()
	}
	if got := f.sender.Figures(); got.Problem != "" || !got.Connected {
		t.Errorf("the bucket is there again: %+v", got)
	}
	if n := s.log.Count("resumes="); n != 1 {
		t.Errorf("the standby began %d times, want once:\n%s", n, s.log.String())
	}
	s.stop()
	wantCopy(t, s.dir, last)
}

// contentsOf opens all that is in the bucket of a pair.
func contentsOf(t *testing.T, b *Bucket) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := b.objects.List(t.Context(), "standby/", "", func(name string) error {
		content, _, err := b.get(t.Context(), name)
		if !errors.Is(err, blob.ErrNotFound) { // else it was deleted meanwhile
			all[name] = content
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mustHead reads how far the first of a term is; zero where there is none.
func mustHead(t *testing.T, b *Bucket, term uint64) head {
	t.Helper()
	h, _, err := b.head(t.Context(), term)
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		t.Fatal(err)
	}
	return h
}

func anyHas(all map[string][]byte, text string) (name string, has bool) {
	for name, content := range all {
		if bytes.Contains(content, []byte(text)) {
			return name, true
		}
	}
	return "", false
}

// A key that is destroyed goes from the bucket and from the standby.
func TestDestroyedKeyIsGoneFromTheBucket(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location()
	f := mustFirstAt(t, t.TempDir(), at)
	b := mustBucket(t, at, testKey)
	name := seal.Name{Scope: "org", Period: "2026-11-21"}
	lease, err := f.ring.Use(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	lease.Release()
	s := mustCollect(t, t.TempDir(), at, f)
	s.awaitAll()
	atStandby := func() bool {
		text, err := os.ReadFile(filepath.Join(s.dir, "keyring"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), name.Period+" org")
	}
	inBucket := func() bool { _, has := anyHas(contentsOf(t, b), name.Period+" org"); return has }
	if !atStandby() || !inBucket() {
		t.Errorf("the key is at the standby: %v, in the bucket: %v", atStandby(), inBucket())
	}
	destroyed := time.Now()
	_, err = f.ring.End(t.Context(), time.Now(), []seal.Name{name}, func(context.Context, seal.Name) (bool, error) {
		return false, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.await("the key is destroyed", func(Status) bool { return !atStandby() })
	t.Logf("it took %v", time.Since(destroyed))
	if inBucket() {
		t.Error("the key that was destroyed is still in the bucket")
	}
	s.stop()
}

// What is written for long does not pile up in the bucket, what was there once goes, and what is left makes a copy.
func TestBucketKeepsWhatACopyTakes(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location()
	old := mustFirstAt(t, t.TempDir(), at)
	b := mustBucket(t, at, testKey)
	dir := old.dir
	old.until("it has put a copy", func() bool { return old.sender.Figures().Commits > 0 })
	old.close()
	var passed atomic.Int64
	f := mustFirstAt(t, dir, at, func(o *SenderOptions) {
		o.Clock = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	})
	const secret = "a value that was deleted"
	f.mustNote(secret)
	f.until("it is in the bucket", func() bool { _, has := anyHas(contentsOf(t, b), secret); return has })
	last := ""
	for i := range 4 {
		last = fmt.Sprint("later ", i)
		f.mustNote(last)
		start := mustHead(t, b, 0).Start
		passed.Add(int64(cycleTime))
		f.until("a cycle has ended", func() bool { return mustHead(t, b, 0).Start > start })
	}
	f.until("what was deleted is gone", func() bool { _, has := anyHas(contentsOf(t, b), secret); return !has })
	f.until("objects of the process before are gone", func() bool {
		sessions := map[string]bool{}
		for name := range contentsOf(t, b) {
			if parts := strings.Split(name, "/"); len(parts) == 5 {
				sessions[parts[3]] = true
			}
		}
		return len(sessions) == 1
	})
	if n := len(contentsOf(t, b)); n > 20 {
		t.Errorf("there are %d objects in the bucket", n)
	}
	s := mustCollect(t, t.TempDir(), at, f)
	s.await("it has everything", func(s Status) bool { return s.Whole && !s.Emptied.IsZero() })
	s.stop()
	wantCopy(t, s.dir, last)
}

// Objects that are missing, cut off or in the place of others, and a standby with another secret.
func TestStandbyAppliesNothingThatWasTamperedWith(t *testing.T) {
	bucket := s3test.Shared(t).Bucket(t)
	at := bucket.Location()
	f := mustFirstAt(t, t.TempDir(), at)
	b := mustBucket(t, at, testKey)
	first := mustCollect(t, t.TempDir(), at, f)
	first.awaitAll()
	f.mustNote("before")
	from := first.awaitAll().Position
	first.stop()
	for i := range 3 {
		f.mustNote(fmt.Sprint("after ", i))
		now := time.Now()
		f.until("it is in the bucket", func() bool { return mustHead(t, b, from.Term).AsOf.After(now) })
	}
	f.close() // nothing is put there any more
	name := func(n uint64) string { return objectName(from.Term, from.Session, from.Object+n) }
	kept := map[string][]byte{}
	for n := range uint64(3) {
		sealed, _, err := b.objects.Get(t.Context(), name(n+1), mostObject)
		if err != nil {
			t.Fatal(err)
		}
		kept[name(n+1)] = sealed
	}
	for how, tamper := range map[string]func() error{
		"does not open": func() error { return b.objects.Put(t.Context(), name(1), kept[name(1)][:100]) },
		"in the place of another": func() error {
			return b.objects.Put(t.Context(), name(1), kept[name(2)])
		},
		"is missing": func() error { return b.objects.Delete(t.Context(), []string{name(1)}) },
	} {
		t.Run(how, func(t *testing.T) {
			if err := tamper(); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(first.dir)); err != nil {
				t.Fatal(err)
			}
			s := mustFollow(t, dir, at, func(o *FollowerOptions) { o.SameFile = true })
			s.await("it says so", func(s Status) bool { return strings.Contains(s.Problem, how) })
			s.stop()
			wantCopy(t, dir, "before")
			if err := b.objects.Put(t.Context(), name(1), kept[name(1)]); err != nil {
				t.Fatal(err)
			}
		})
	}
	s := mustFollow(t, first.dir, at, func(o *FollowerOptions) {
		o.SameFile = true
		o.Bucket = mustBucket(t, at, strings.Repeat("x", 32))
	})
	s.await("it says why", func(s Status) bool { return strings.Contains(s.Problem, "standby.key") })
	s.stop()
	wantCopy(t, first.dir, "before")
	s = mustFollow(t, first.dir, at, func(o *FollowerOptions) { o.SameFile = true })
	s.await("it has the rest", func(s Status) bool { return !s.Emptied.IsZero() })
	s.stop()
	wantCopy(t, first.dir, "after 2")
}

// The first writes without a pause, and ends now and then as the standby does. Whenever that is, the copy is what
// was committed at some time, and in the end it is all.
func TestStandbyByABucketIsAlwaysAtACommit(t *testing.T) {
	testenv.Long(t)
	server := s3test.Shared(t)
	link := testenv.NewLink(t, server.Addr())
	bucket := server.Bucket(t)
	at, dir, copied := bucket.Through(link.Addr()), t.TempDir(), t.TempDir()
	f := mustFirstAt(t, dir, at)
	for n := range 6 {
		s := mustCollect(t, copied, at, f)
		goal := s.Status().Commits + 1 + int64(n%3)
		for i := 0; s.Status().Commits < goal; i++ {
			f.mustNote(fmt.Sprint(n, "-", i))
			if i == 20*n { // not again and again, or nothing ever arrives
				link.Break()
			}
		}
		s.stop()
		if n%2 == 1 {
			f.close()
			f = mustFirstAt(t, dir, at)
		}
	}
	f.mustNote("the last")
	s := mustCollect(t, copied, at, f)
	s.awaitAll()
	s.stop()
	wantCopy(t, copied, "the last")
}

// A server that gave way says in the bucket when all is there.
func TestServerThatGaveWaySaysInTheBucketThatAllIsThere(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location()
	f := mustFirstAt(t, t.TempDir(), at)
	s := mustCollect(t, t.TempDir(), at, f)
	s.awaitAll()
	f.mustNote("the last")
	claim := Claim{Installation: s.Status().Position.Installation, Term: 1, By: "a test", ID: "copy"}
	if _, err := s.Bucket.Fence(t.Context(), claim); !errors.Is(err, ErrUnheard) {
		t.Fatal(err)
	}
	if err := f.sender.GiveWay(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	<-f.claims
	if err := f.kept.NoteNewestKey(t.Context(), "too late"); err == nil {
		t.Error("a server that gave way confirms something")
	}
	s.await("it has everything", func(s Status) bool { return s.Final })
	s.stop()
	wantCopy(t, s.dir, "the last")
}

func TestTermIsClaimedOnce(t *testing.T) {
	at := s3test.Shared(t).Bucket(t).Location()
	b, other := mustBucket(t, at, testKey), mustBucket(t, at, testKey)
	if s, err := b.State(t.Context()); err != nil || s.Installation != "" {
		t.Errorf("in an empty bucket there is %+v, error %v", s, err)
	}
	for term := range uint64(3) {
		one := Claim{Installation: "one", Term: term, By: "a", ID: "a"}
		for range 2 { // the same may again
			if _, err := b.Fence(t.Context(), one); !errors.Is(err, ErrUnheard) {
				t.Fatal(err)
			}
		}
		s, err := other.Fence(t.Context(), Claim{Installation: "one", Term: term, By: "b", ID: "b"})
		if !errors.Is(err, ErrOutranked) || s.By != "a" || s.Term != term {
			t.Errorf("another one claims term %d: %+v, error %v", term, s, err)
		}
		if s, err := other.Claims().State(t.Context()); err != nil || s.Term != term || s.Role != Standby {
			t.Errorf("it is read that %+v, error %v", s, err)
		}
	}
	f := mustFirstAt(t, t.TempDir(), at) // of another installation
	f.until("it says why nothing is put there", func() bool {
		return strings.Contains(f.sender.Figures().Problem, "installation one")
	})
	for name := range contentsOf(t, b) {
		if !strings.HasPrefix(name, claimsAt) {
			t.Errorf("it has put %s there", name)
		}
	}
}
