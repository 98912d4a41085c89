package standby

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/testenv"
)

func TestStandbyGetsWhatIsCommitted(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	early := f.mustFile(1, 300_000)
	f.mustNote("before")
	s := mustFollow(t, t.TempDir(), f.url)
	s.await("it has a copy", func(s Status) bool { return s.Whole && s.Missing == 0 })
	f.mustNote("after")
	late := f.mustFile(2, 10)
	s.awaitAll()
	if !hasFile(t, s.dir, late, 10) {
		t.Error("the file that came is not there when its commit is")
	}
	s.await("the file that was there before is copied", func(Status) bool { return hasFile(t, s.dir, early, 300_000) })
	f.mustErase(late)
	s.awaitAll()
	if hasFile(t, s.dir, late, 10) {
		t.Error("the file that was erased is still there")
	}
	s.stop()
	wantCopy(t, s.dir, "after", early)
}

// A file that the first has and cannot read is missing at the standby, which says so, and gets all else.
func TestFileThatTheFirstCannotReadHoldsNothingUp(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	gate, url := mustLink(t, f.url)
	s := mustFollow(t, t.TempDir(), url)
	s.await("it has a copy", func(s Status) bool { return s.Whole && s.Missing == 0 })
	gate.Cut()
	file := f.mustFile(3, 1000)
	at, err := filepath.Glob(filepath.Join(f.dir, "blobs", "*", "*", hex.EncodeToString(file[:])))
	if err != nil || len(at) != 1 {
		t.Fatalf("the file is at %q, error %v", at, err)
	}
	if err := errors.Join(os.Remove(at[0]), os.Symlink(at[0], at[0])); err != nil {
		t.Fatal(err)
	}
	f.mustNote("after")
	gate.Mend()
	s.awaitAll()
	if s.Status().Missing == 0 {
		t.Error("the standby does not say that a file is missing")
	}
	s.stop()
	wantCopy(t, s.dir, "after", file)
}

// The keys of what is in the copy are with it, and a key that is destroyed is in no file of the standby.
func TestStandbyHasTheKeysOfTheFirst(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	name := seal.Name{Scope: "org", Period: "2026-11-21"}
	lease, err := f.ring.Use(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	lease.Release()
	s := mustFollow(t, t.TempDir(), f.url)
	s.awaitAll()
	has := func() bool {
		text, err := os.ReadFile(filepath.Join(s.dir, "keyring"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), name.Period)
	}
	if !has() {
		t.Error("the key is not there")
	}
	_, err = f.ring.End(t.Context(), time.Now(), []seal.Name{name}, func(context.Context, seal.Name) (bool, error) {
		return false, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.await("the key is destroyed", func(Status) bool { return !has() })
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if err == nil && strings.Contains(string(text), name.Period+" org") {
			t.Errorf("the key that was destroyed is in %s", e.Name())
		}
	}
}

// Connections are cut at any moment, while the first commits. Nothing is compared anew, and nothing lacks.
func TestStandbyGoesOnWhereItWasAfterACut(t *testing.T) {
	testenv.Long(t)
	f := mustFirst(t, t.TempDir())
	gate, url := mustLink(t, f.url)
	s := mustFollow(t, t.TempDir(), url)
	s.awaitAll()
	last := ""
	for i := range 12 {
		for j := range 5 {
			last = fmt.Sprint(i, "-", j)
			f.mustNote(last)
			if j == i%5 {
				gate.Break()
			}
		}
		s.await("it follows again", func(s Status) bool { return s.Connected })
	}
	file := f.mustFile(7, 100_000)
	gate.Break()
	s.awaitAll()
	if !hasFile(t, s.dir, file, 100_000) {
		t.Error("the file is not there")
	}
	if n := f.log.Count("resumes=false"); n != 1 {
		t.Errorf("the copy was compared %d times, want once:\n%s", n, f.log.String())
	}
	s.stop()
	wantCopy(t, s.dir, last, file)
}

// A standby that starts again, and one whose first has started again, gets only what differs.
func TestStandbyOfAServerThatStartedAgainGetsOnlyWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	f := mustFirst(t, dir)
	for i := range byte(50) {
		f.mustFile(i+1, 10)
	}
	s := mustFollow(t, t.TempDir(), f.url)
	whole := s.awaitAll().Bytes
	s.stop()
	f.mustNote("while it was away")
	again := mustFollow(t, s.dir, f.url)
	if got := again.awaitAll().Bytes; got > whole/3 {
		t.Errorf("%d bytes came to a standby that started again, of %d", got, whole)
	}
	if n := f.log.Count("resumes=true"); n != 1 {
		t.Errorf("it went on %d times, want once", n)
	}
	again.stop()
	f.close()
	f = mustFirst(t, dir)
	f.mustNote("after the start")
	third := mustFollow(t, s.dir, f.url)
	if got := third.awaitAll().Bytes; got > whole/3 {
		t.Errorf("%d bytes came from a server that started again, of %d", got, whole)
	}
	third.stop()
	var all []model.BlobID
	for i := range byte(50) {
		all = append(all, model.BlobID{0: 1, 15: i + 1})
	}
	wantCopy(t, s.dir, "after the start", all...)
}

func TestFencedServerSaysWhenTheStandbyHasEverything(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	s := mustFollow(t, t.TempDir(), f.url)
	s.awaitAll()
	f.mustNote("the last")
	state, err := s.Peer.Fence(t.Context(), Claim{Installation: s.Status().Position.Installation, Term: 1, By: "a test"})
	if err != nil || state.Role != First {
		t.Fatal(state, err)
	}
	if c := <-f.claims; c.Term != 1 || c.By != "a test" {
		t.Errorf("the claim is %+v", c)
	}
	if err := f.kept.NoteNewestKey(t.Context(), "too late"); err == nil {
		t.Error("a server that gave way confirms something")
	}
	s.await("it has everything", func(s Status) bool { return s.Final })
	s.stop()
	wantCopy(t, s.dir, "the last")
}

// heard is a log that calls a function with each message.
type heard struct {
	slog.Handler
	of func(message string)
}

func (h heard) Handle(ctx context.Context, r slog.Record) error {
	h.of(r.Message)
	return h.Handler.Handle(ctx, r)
}

// A server that ends may answer a standby once more when that has everything already, and say nothing any more.
func TestStandbyThatConnectsAgainStillHasEverything(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	gate, url := mustLink(t, f.url)
	var s *follower
	made, final := make(chan struct{}), make(chan bool, 10) // at the begin of each connection
	s = mustFollow(t, t.TempDir(), url, func(o *FollowerOptions) {
		o.Log = slog.New(heard{o.Log.Handler(), func(message string) {
			if message == "this standby follows" {
				<-made
				final <- s.Status().Final
			}
		}})
	})
	close(made)
	s.awaitAll()
	_, err := s.Peer.Fence(t.Context(), Claim{Installation: s.Status().Position.Installation, Term: 1, By: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	<-f.claims
	s.await("it has everything", func(s Status) bool { return s.Final })
	gate.Break()
	if before, again := <-final, <-final; before || !again {
		t.Errorf("it had everything when it connected: %v, and when it did again: %v", before, again)
	}
}

func TestServerGivesWayToAHigherTermOnly(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	f.term = 4
	self, err := f.self(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	peer, err := NewPeer(f.url, testKey, "")
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	for term, want := range map[uint64]bool{3: false, 4: false, 5: true} {
		state, err := peer.Fence(t.Context(), Claim{Installation: self.Installation, Term: term})
		if (err == nil) != want || state.Term != 4 {
			t.Errorf("term %d: %+v, error %v", term, state, err)
		}
	}
	if _, err := peer.Fence(t.Context(), Claim{Installation: "another", Term: 9}); err == nil {
		t.Error("a server of another installation was heard")
	}
	if len(f.claims) != 1 {
		t.Errorf("%d claims were taken, want 1", len(f.claims))
	}
}

// A copy whose server was of a later term tells the server from which that one took over.
func TestStandbyOfALaterTermFencesTheServerBefore(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	f.term = 2
	s := mustFollow(t, t.TempDir(), f.url)
	s.awaitAll()
	s.stop()
	f.term = 1
	again := mustFollow(t, s.dir, f.url)
	if c := <-f.claims; c.Term != 2 {
		t.Errorf("the claim is %+v", c)
	}
	again.await("it says why", func(s Status) bool { return strings.Contains(s.Problem, "no longer the first") })
}

func TestStandbyIsRefused(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	other := mustFirst(t, t.TempDir())
	s := mustFollow(t, t.TempDir(), f.url)
	s.awaitAll()
	second := mustFollow(t, t.TempDir(), f.url, func(o *FollowerOptions) { o.ID = "another" })
	second.await("it says why", func(s Status) bool { return strings.Contains(s.Problem, "another standby follows") })
	s.stop()
	foreign := mustFollow(t, s.dir, other.url)
	foreign.await("it says why", func(s Status) bool { return strings.Contains(s.Problem, "is a copy of installation") })
	keyless := mustFollow(t, t.TempDir(), f.url, func(o *FollowerOptions) { o.Peer.key = strings.Repeat("x", 32) })
	keyless.await("it says why", func(s Status) bool { return strings.Contains(s.Problem, "standby.key") })
	if f.sender.Figures().Refused == 0 {
		t.Error("the request without the key was not counted")
	}
	for _, path := range []string{pathState, pathFollow, pathFence, pathFiles + model.BlobID{1}.String(), "/"} {
		answer, err := http.Get(f.url + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("GET %s without the key answers %d", path, answer.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// The first writes without a pause, connections are cut, and both sides start anew. Whenever the standby is
// stopped, its copy is what the first had committed at that time.
func TestStandbyIsAlwaysAtACommit(t *testing.T) {
	f := mustFirst(t, t.TempDir())
	gate, url := mustLink(t, f.url)
	dir := t.TempDir()
	var over atomic.Bool
	wrote := make(chan error, 1)
	go func() {
		for i := 0; !over.Load(); i++ {
			if err := f.kept.NoteNewestKey(context.Background(), fmt.Sprint(i)); err != nil {
				wrote <- err
				return
			}
		}
		wrote <- nil
	}()
	random := rand.New(rand.NewPCG(5, 5))
	for range 8 {
		s := mustFollow(t, dir, url)
		at := s.Status().Commits + 1 + random.Int64N(3)
		s.await("it has got some", func(s Status) bool { return s.Commits >= at })
		gate.Break()
		s.await("it follows", func(s Status) bool { return s.Connected })
		s.stop()
	}
	over.Store(true)
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	s := mustFollow(t, dir, url)
	s.awaitAll()
	s.stop()
	newest, err := f.kept.NewestKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantCopy(t, dir, newest)
}
