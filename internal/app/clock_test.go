package app

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/custody"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

// wrongBy is by how much the clocks of these tests are wrong: by more than a message
// lives.
const wrongBy = 31 * 24 * time.Hour

// timed is a server whose clock the test puts wrong, while time passes as it does.
type timed struct {
	*ward
	ahead *atomic.Int64
	log   *testlog.Log
}

func mustOpenTimed(t *testing.T, cfg *config.Config, ahead time.Duration) *timed {
	t.Helper()
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	cfg.Expiry.Sweep = 100 * time.Millisecond
	s := &timed{ward: &ward{t: t, http: caller}, ahead: new(atomic.Int64), log: new(testlog.Log)}
	s.ahead.Store(int64(ahead))
	a, err := open(t.Context(), cfg, slog.New(slog.NewTextHandler(s.log, nil)), Pace{},
		func(ctx context.Context, in surroundings) (*system, error) {
			in.clock = func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
			return assemble(ctx, in)
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	s.app, s.stop = a, mustRun(t, a)
	return s
}

// ready returns what /readyz answers.
func (s *timed) ready() (int, string) {
	s.t.Helper()
	answer, text := mustDo(s.t, "GET", s.app.BaseURL()+"/readyz")
	return answer.StatusCode, text
}

// wantReady waits until /readyz answers with a status and a text.
func (s *timed) wantReady(status int, part string) {
	s.t.Helper()
	wantIn(s.t, fmt.Sprintf("/readyz answers %d %q", status, part), func() bool {
		got, text := s.ready()
		return got == status && strings.Contains(text, part)
	})
}

// line returns a line of the metrics.
func (s *timed) line(name string) string {
	s.t.Helper()
	_, text := mustDo(s.t, "GET", s.app.BaseURL()+"/metrics")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name+" ") {
			return strings.TrimSpace(strings.TrimPrefix(line, name))
		}
	}
	s.t.Fatalf("there is no %s in the metrics", name)
	return ""
}

// mustSweep waits until the server has swept from beginning to end.
func (s *timed) mustSweep() {
	s.t.Helper()
	const last = `signet_task_last_success_timestamp_seconds{task="key_uses"}`
	for range 2 {
		before := s.line(last)
		wantIn(s.t, "it sweeps", func() bool { return s.line(last) != before })
	}
}

// mustSendSome sends messages to bob, each second one with an attachment.
func (s *timed) mustSendSome(n int) {
	s.t.Helper()
	for i := range n {
		m := client.Outgoing{Recipient: "bob", Body: fmt.Sprint("text ", i)}
		if i%2 == 1 {
			m.Attachment = &client.Upload{Name: "a.txt", Content: strings.NewReader(m.Body)}
		}
		if _, err := s.alice.Send(s.t.Context(), m); err != nil {
			s.t.Fatal(err)
		}
	}
}

// wantAll checks that bob has these messages, with their attachments.
func (s *timed) wantAll(n int) {
	s.t.Helper()
	events, err := s.bob.Poll(s.t.Context(), client.PollOptions{Limit: 1000})
	if err != nil {
		s.t.Fatal(err)
	}
	found := 0
	for _, e := range events {
		if e.Kind != client.EventMessage {
			continue
		}
		m, err := e.Message()
		if err != nil || !strings.HasPrefix(m.Body, "text ") {
			s.t.Fatalf("bob is shown %+v, %v", e, err)
		}
		found++
		if len(m.Attachments) == 0 {
			continue
		}
		status, text := s.get(s.bob, "/message/"+m.MessageID+"/attachment/1")
		if status != http.StatusOK || !bytes.Equal(text, []byte(m.Body)) {
			s.t.Errorf("the attachment of %q is answered %d %s", m.Body, status, text)
		}
	}
	if found != n {
		s.t.Errorf("bob has %d messages, want %d", found, n)
	}
}

// One of two servers has a clock that is 31 days ahead of the database's: it erases
// nothing, says so, and is not ready, while the other goes on.
func TestServerWhoseClockIsNotTheDatabasesErasesNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	cfg.Database, cfg.Blobs = postgrestest.URL(t), filepath.Join(t.TempDir(), "blobs")
	master, err := offline.NewMasterKey()
	path := filepath.Join(t.TempDir(), "master.json")
	if err == nil {
		err = os.WriteFile(path, master, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg.Keyring, cfg.MasterKey = postgrestest.URL(t), "file:"+path
	right := mustOpenTimed(t, cfg, 0)
	right.mustAdmit()
	right.mustSendSome(10)

	other := *cfg
	other.Data = filepath.Join(t.TempDir(), "data")
	wrong := mustOpenTimed(t, &other, wrongBy)
	wrong.wantReady(http.StatusServiceUnavailable, "this server's clock is wrong: it is 744h0m0s ahead of the database's")
	wrong.mustSweep()
	if got := wrong.line("signet_clock_in_doubt"); got != "1" {
		t.Errorf("its signet_clock_in_doubt is %s", got)
	}
	if got := wrong.line("signet_clock_offset_seconds"); !strings.HasPrefix(got, "-2.678") {
		t.Errorf("its signet_clock_offset_seconds is %s, want -2.6784e+06", got)
	}
	if n := wrong.log.Count("level=ERROR"); n != 1 || wrong.log.Count("clock is wrong") == 0 {
		t.Errorf("it logged %d errors, want one about the clock:\n%s", n, wrong.log)
	}
	right.mustSweep()
	if status, text := right.ready(); status != http.StatusOK || strings.Contains(text, "clock") ||
		right.line("signet_clock_in_doubt") != "0" {
		t.Errorf("the other server answers %d %q", status, text)
	}
	right.wantAll(10)

	wrong.ahead.Store(0)
	wrong.wantReady(http.StatusOK, "ok")
	wantIn(t, "it is over", func() bool { return wrong.line("signet_clock_in_doubt") == "0" })
	wrong.mustSweep()
	right.wantAll(10)
}

// The clock of a server on the embedded store jumps ahead while it runs: it erases
// nothing, says so, and goes on when the clock is right, or is accepted.
func TestServerWhoseClockJumpsErasesNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	s := mustOpenTimed(t, cfg, 0)
	s.mustAdmit()
	s.mustSendSome(10)
	s.mustSweep()

	s.ahead.Store(int64(wrongBy))
	s.wantReady(http.StatusOK, "warning: clock: the clock is in doubt: it says ")
	s.mustSweep()
	if _, text := s.ready(); !strings.HasPrefix(text, "ok\n") ||
		!strings.Contains(text, "31 days after the time that was known") || !strings.Contains(text, "signet clock accept") {
		t.Errorf("/readyz answers %q", text)
	}
	if got := s.line("signet_clock_in_doubt"); got != "1" {
		t.Errorf("signet_clock_in_doubt is %s", got)
	}
	if n := s.log.Count("level=ERROR"); n != 1 {
		t.Errorf("it logged %d errors, want one about the clock:\n%s", n, s.log)
	}
	s.ahead.Store(0)
	wantIn(t, "it is over", func() bool { return s.line("signet_clock_in_doubt") == "0" })
	s.mustSweep()
	s.wantAll(10)

	s.ahead.Store(int64(wrongBy))
	s.wantReady(http.StatusOK, "warning: clock: ")
	accept := func(kept *store.Store) error {
		_, err := custody.AcceptClock(t.Context(), kept, time.Now().Add(wrongBy))
		return err
	}
	if err := offline.Change(t.Context(), cfg.Data, "", accept); err != nil {
		t.Fatal(err)
	}
	wantIn(t, "it is accepted", func() bool { return s.line("signet_clock_in_doubt") == "0" })
	s.mustSweep()
	s.ahead.Store(0) // what was erased is gone for good
	s.wantAll(0)
}

// A server that is started more than a week after the last known time does not know
// whether it was off, or its clock is wrong.
func TestStartLongAfterTheLastKnownTimeErasesNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	s := mustOpenTimed(t, cfg, 0)
	s.mustAdmit()
	s.mustSendSome(10)
	s.mustSweep()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	again := mustOpenTimed(t, cfg, wrongBy)
	again.wantReady(http.StatusOK, "warning: clock: the clock is in doubt: it says ")
	again.mustSweep()
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	right := mustOpenTimed(t, cfg, 0)
	right.mustSweep()
	if _, text := right.ready(); strings.Contains(text, "clock") {
		t.Errorf("with the right clock /readyz answers %q", text)
	}
	right.bob, right.alice = person{right.client(s.bob.key, s.bob.secret), "bob", s.bob.key, s.bob.secret}, s.alice
	right.wantAll(10)
}
