package app_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/app"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/testlog"
)

// urgent returns the lines of a log that an operator reads, from info on, but for what
// a text says.
func urgent(log string, but string) []string {
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(log), "\n"), func(line string) bool {
		return line == "" || strings.Contains(line, "level=DEBUG") || but != "" && strings.Contains(line, but)
	})
}

// refuse makes the same call until it is refused, and then some more. It returns how
// often it was.
func refuse(t *testing.T, s *apptest.Server, r apptest.Request) (times int) {
	t.Helper()
	h := s.NewHTTPClient()
	refused := func() bool {
		unavailable := s.MustSend(t, h, r).Status == http.StatusServiceUnavailable
		if unavailable {
			times++
		}
		return unavailable
	}
	eventually(t, "calls are refused", refused)
	for range 20 {
		refused()
	}
	return times
}

// as makes a request somebody's.
func as(p *apptest.Person, method, target, body string) apptest.Request {
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(p.Key+":"+p.Secret))
	return apptest.Request{Method: method, Target: target,
		Header: [][2]string{{"Authorization", basic}, {"Content-Type", "application/json"}}, Body: body}
}

// The database is away while a stream is open, probes ask and calls come: what an
// operator reads is that it went, and that it is back.
func TestDatabaseThatIsAwayIsTwoLines(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	database := postgrestest.Start(t)
	s := apptest.Start(t, func(cfg *config.Config) {
		cfg.Database = "postgres://signet@" + database.Addr() + "/postgres"
		cfg.Limits.RequestsPerSecond = 0
	})
	s.Allow("the database does not answer")
	alice := s.People().Alice
	listen := as(alice, "GET", "/v2/events", "")
	listen.Header = append(listen.Header, [2]string{"Accept", "text/event-stream"})
	if _, open := s.MustOpen(t, s.NewHTTPClient(), listen).Line(); !open {
		t.Fatal("the stream does not begin")
	}
	s.Log.Take()

	database.Stop(t, true)
	times := refuse(t, s, as(alice, "POST", "/v2/message", `{"recipient":"bob","body":"x"}`))
	if lines := urgent(s.Log.String(), ""); len(lines) != 1 || !strings.Contains(lines[0], "level=ERROR") ||
		!strings.Contains(lines[0], "the database does not answer: calls are refused with 503 until it does") {
		t.Errorf("while it is away the log is\n%s", strings.Join(lines, "\n"))
	}
	database.Restart(t)
	eventually(t, "it is told that the database is back", func() bool { return s.Log.Count("over: the database") == 1 })
	lines := urgent(s.Log.Take(), "")
	if len(lines) != 2 || !strings.Contains(lines[1], "level=INFO") || !strings.Contains(lines[1], "away=") ||
		!strings.Contains(lines[1], fmt.Sprintf("refused_calls=%d", times)) {
		t.Errorf("the log of all is\n%s", strings.Join(lines, "\n"))
	}
}

// The key ring is away: what takes a new key is refused. The server stays ready, and its
// probe says what is wrong.
func TestKeyRingThatIsAwayIsTwoLines(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	keys := postgrestest.Start(t)
	_, master := apptest.SharedKeys(t)
	s := apptest.Start(t, func(cfg *config.Config) {
		cfg.Database, cfg.Keyring, cfg.MasterKey = postgrestest.URL(t), "postgres://signet@"+keys.Addr()+"/postgres", master
		cfg.Limits.RequestsPerSecond = 0
	})
	const told = "the key ring does not answer"
	s.Allow(told)
	alice := s.People().Alice
	s.Log.Take()
	probe := func() string {
		return s.MustSend(t, s.NewHTTPClient(), apptest.Request{Method: "GET", Target: "/readyz"}).Body
	}

	keys.Stop(t, true)
	times := refuse(t, s, as(alice, "POST", "/v2/message", `{"recipient":"bob","body":"x"}`)) // the first here
	lines := urgent(s.Log.String(), "")
	if len(lines) != 1 || !strings.Contains(lines[0], "level=ERROR") || !strings.Contains(lines[0], told) {
		t.Errorf("while it is away the log is\n%s", strings.Join(lines, "\n"))
	}
	if text := probe(); !strings.HasPrefix(text, "ok\n") || !strings.Contains(text, "warning: keyring: "+told) {
		t.Errorf("/readyz says %q", text)
	}
	keys.Restart(t)
	eventually(t, "it is told that the ring is back", func() bool { return s.Log.Count("over: "+told) == 1 })
	lines = urgent(s.Log.Take(), "")
	if len(lines) != 2 || !strings.Contains(lines[1], fmt.Sprintf("refused_calls=%d", times)) {
		t.Errorf("the log of all is\n%s", strings.Join(lines, "\n"))
	}
	if text := probe(); text != "ok\n" {
		t.Errorf("/readyz says %q", text)
	}
}

// After a power cut the database may come up last: a server that was started before
// waits for it, and says so once.
func TestStartWaitsForItsDatabase(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	database := postgrestest.Start(t)
	keyring, master := apptest.SharedKeys(t)
	cfg := config.Default()
	cfg.Listen, cfg.Data, cfg.Keyring, cfg.MasterKey = "127.0.0.1:0", filepath.Join(t.TempDir(), "data"), keyring, master
	cfg.Database = "postgres://signet@" + database.Addr() + "/postgres"
	database.Stop(t, true)
	log := new(testlog.Log)
	opened := make(chan error, 1)
	go func() {
		logger, pace := slog.New(slog.NewTextHandler(log, nil)), app.Pace{Await: 50 * time.Millisecond}
		server, err := app.OpenAt(t.Context(), cfg, logger, pace)
		if err == nil {
			err = server.Close()
		}
		opened <- err
	}()
	eventually(t, "it is told that the start waits",
		func() bool { return log.Count("the database does not answer: the start waits for it") > 0 })
	database.Restart(t)
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if log.Count("the database does not answer") != 1 || log.Count("the database answers: the start goes on") != 1 {
		t.Errorf("the log is\n%s", log)
	}

	// What waiting does not mend ends the start.
	cfg.Database = "postgres://signet@" + database.Addr() + "/nowhere"
	if _, err := app.Open(t.Context(), cfg, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Errorf("with a database that is not there: %v", err)
	}
}
