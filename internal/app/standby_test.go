package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/standby"
	"signet/internal/succession"
	"signet/internal/testenv"
)

// standbyKeyText is the secret of both servers.
const standbyKeyText = "0123456789abcdef0123456789abcdef"

// pairSettings are those of a server that a standby can follow.
func pairSettings(t *testing.T) *config.Config {
	t.Helper()
	cfg := settings(t)
	path := filepath.Join(t.TempDir(), "standby.key")
	mustWrite(t, path, standbyKeyText, 0o600)
	cfg.Standby.Key, cfg.Standby.Listen = "file:"+path, "127.0.0.1:0"
	return cfg
}

// standbySettings are those of a standby of a server, with the keys that an administrator has brought.
func standbySettings(t *testing.T, of *App) *config.Config {
	t.Helper()
	cfg := pairSettings(t)
	cfg.StandbyOf = "http://" + of.StandbyAddr().String()
	if err := os.Mkdir(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{home.MasterFile, home.AuditKeyFile, home.OperatorFile} {
		text, err := os.ReadFile(filepath.Join(of.dir, name))
		if errors.Is(err, fs.ErrNotExist) { // a setting says where it is
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, filepath.Join(cfg.Data, name), string(text), 0o600)
	}
	return cfg
}

// mustFollow starts a standby, and returns what stops it.
func mustFollow(t *testing.T, cfg *config.Config) (s *Standby, stop func()) {
	t.Helper()
	s, stop, _ = mustFollowToEnd(t, cfg)
	return s, stop
}

// mustFollowToEnd also returns what waits until the standby has ended by itself, and reports whether it was
// promoted.
func mustFollowToEnd(t *testing.T, cfg *config.Config) (s *Standby, stop func(), promoted func() bool) {
	t.Helper()
	s, err := OpenStandby(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool, 1)
	go func() {
		promoted, err := s.Run(ctx)
		if err != nil {
			t.Errorf("the standby ended: %v", err)
		}
		done <- promoted
	}()
	promoted = sync.OnceValue(func() bool { return <-done })
	stop = func() { cancel(); promoted() }
	t.Cleanup(stop)
	return s, stop, promoted
}

// awaitCopy waits until a standby has all that was confirmed before the call.
func awaitCopy(t *testing.T, s *Standby) {
	t.Helper()
	awaitCopyOf(t, s, time.Now())
}

// awaitCopyOf waits until a standby has all that was confirmed before a time, which is over by the clock of the
// server that it follows.
func awaitCopyOf(t *testing.T, s *Standby, now time.Time) {
	t.Helper()
	awaitStatus(t, s, "it has everything", func(f standby.Status) bool { return f.AsOf.After(now) && f.Missing == 0 })
}

// awaitStatus waits until a standby is so.
func awaitStatus(t *testing.T, s *Standby, what string, holds func(standby.Status) bool) {
	t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds(s.follower.Status()) {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("of the standby it was waited in vain until %s: %+v", what, s.follower.Status())
		}
	}
}

// operatorOf calls a server as its operator.
func operatorOf(t *testing.T, a *App) *client.Client {
	t.Helper()
	fields := mustReadJSON(t, filepath.Join(a.dir, home.OperatorFile))
	c, err := client.New(a.BaseURL(), fields["api_key"].(string), fields["api_secret"].(string),
		client.WithHTTPClient(caller))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// mustOrganization makes an organization.
func mustOrganization(t *testing.T, a *App, name string) {
	t.Helper()
	if _, err := operatorOf(t, a).CreateOrganization(t.Context(), name, client.OrganizationSettings{}); err != nil {
		t.Fatal(err)
	}
}

// hasOrganization reports whether a server has one of a name.
func hasOrganization(t *testing.T, a *App, name string) bool {
	t.Helper()
	all, err := operatorOf(t, a).Organizations(t.Context(), client.OrganizationFilter{}, client.Page{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(fmt.Sprintf("%+v", all), name)
}

func TestStandbyServesNobodyAndSaysHowItIs(t *testing.T) {
	a, err := Open(t.Context(), pairSettings(t), quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, a)
	cfg := standbySettings(t, a)
	s, stop, promoted := mustFollowToEnd(t, cfg)
	awaitCopy(t, s)
	at := "http://" + s.Addr().String()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/metrics": 200, "/": 503, "/v2/events": 503,
		"/console": 503, "/standby/state": 503} {
		answer, text := mustDo(t, "GET", at+path)
		wantStatus(t, answer, want)
		if want == 503 && !strings.Contains(text, "standby") {
			t.Errorf("GET %s says %q", path, text)
		}
	}
	if _, err := OpenStandby(t.Context(), cfg, quiet()); err == nil {
		t.Error("a second standby has the directory")
	}
	if stop(); promoted() {
		t.Error("it was promoted")
	}
	if err := succession.WantFirst(cfg.Data); err == nil || !strings.Contains(err.Error(), "standby") {
		t.Errorf("a command may change the directory of a standby: %v", err)
	}
	cfg.StandbyOf = ""
	if _, err := succession.RoleOf(cfg, quiet()); err == nil || !strings.Contains(err.Error(), "signet promote") {
		t.Errorf("a server starts on the directory of a standby: %v", err)
	}
}

// The first is there: it gives way, and nothing that it confirmed is lost. It does not start again, and
// becomes the standby of the other.
func TestPromotedStandbyHasEverythingAndTheServerBeforeEnds(t *testing.T) {
	first := pairSettings(t)
	a, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, _, promoted := mustFollowToEnd(t, cfg)
	awaitCopy(t, s)
	mustOrganization(t, a, "General Hospital")
	epoch := a.mustIdentity(t).Epoch
	p, running, err := offline.Promote(t.Context(), cfg, false)
	if err != nil || !running || !p.Fenced || !p.All || p.Term != 1 {
		t.Fatalf("%+v, running %v, error %v", p, running, err)
	}
	if !promoted() {
		t.Error("the standby does not go on as the server")
	}
	if err := stopFirst(); err == nil || !strings.Contains(err.Error(), "took over") {
		t.Errorf("the server before ended with %v", err)
	}
	if _, err := succession.RoleOf(first, quiet()); err == nil || !strings.Contains(err.Error(), "signet demote") {
		t.Errorf("the server before starts again: %v", err)
	}
	b, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopSecond := mustRun(t, b)
	if now := b.mustIdentity(t); now.Epoch == epoch || !hasOrganization(t, b, "General Hospital") {
		t.Errorf("the epoch is %s, before it was %s; or the organization is missing", now.Epoch, epoch)
	}
	mustOrganization(t, b, "Second Hospital")
	wantBack(t, first, b, stopSecond)
}

// wantBack makes a server that gave way the standby of the other, and the first again.
func wantBack(t *testing.T, first *config.Config, b *App, stopSecond func() error) {
	t.Helper()
	if err := offline.Demote(first, false); err != nil {
		t.Fatal(err)
	}
	first.StandbyOf = "http://" + b.StandbyAddr().String()
	again, _, promoted := mustFollowToEnd(t, first)
	awaitCopy(t, again)
	if p, _, err := offline.Promote(t.Context(), first, false); err != nil || !p.All || p.Term != 2 {
		t.Fatalf("%+v, error %v", p, err)
	}
	if !promoted() {
		t.Error("the standby does not go on as the server")
	}
	if err := stopSecond(); err == nil {
		t.Error("the second server goes on")
	}
	c, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, c)
	for _, name := range []string{"General Hospital", "Second Hospital"} {
		if !hasOrganization(t, c, name) {
			t.Errorf("%s is missing", name)
		}
	}
	wantAction(t, c.dir, "", "installation.promote ok", 2)
}

// mustIdentity is what the server's store says of itself.
func (a *App) mustIdentity(t *testing.T) (i model.Identity) {
	t.Helper()
	self, err := a.system.self(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return model.Identity{Installation: self.Installation, Epoch: self.Epoch}
}

// The first is gone when its standby is promoted, and comes back: it is told, or asks, and ends.
func TestServerThatComesBackGivesWay(t *testing.T) {
	for _, asks := range []bool{false, true} {
		t.Run(fmt.Sprintf("asks %v", asks), func(t *testing.T) {
			first := pairSettings(t)
			a, err := Open(t.Context(), first, quiet())
			if err != nil {
				t.Fatal(err)
			}
			var at atomic.Value // of the server before
			at.Store(a.StandbyAddr().String())
			link := testenv.NewLinkTo(t, func() string { return at.Load().(string) })
			stopFirst := mustRun(t, a)
			cfg := standbySettings(t, a)
			cfg.StandbyOf = "http://" + link.Addr()
			s, _, promoted := mustFollowToEnd(t, cfg)
			awaitCopy(t, s)
			if err := stopFirst(); err != nil {
				t.Fatal(err)
			}
			p, _, err := offline.Promote(t.Context(), cfg, false)
			if err != nil || p.Fenced || p.Reason == "" {
				t.Fatalf("%+v, error %v", p, err)
			}
			if !promoted() {
				t.Fatal("the standby does not go on as the server")
			}
			b, err := Open(t.Context(), cfg, quiet())
			if err != nil {
				t.Fatal(err)
			}
			mustRun(t, b)
			if asks {
				first.Standby.Peer = "http://" + b.StandbyAddr().String()
				if _, err := Open(t.Context(), first, quiet()); err == nil || !strings.Contains(err.Error(), "took over") {
					t.Errorf("the server before starts: %v", err)
				}
				return
			}
			back, err := Open(t.Context(), first, quiet())
			if err != nil {
				t.Fatal(err)
			}
			at.Store(back.StandbyAddr().String())
			if err := back.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "took over") {
				t.Errorf("the server before ended with %v", err)
			}
		})
	}
}

// A standby that does not run is promoted by the command alone, also where a promotion was interrupted.
func TestStandbyThatDoesNotRunIsPromoted(t *testing.T) {
	a, err := Open(t.Context(), pairSettings(t), quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, stop := mustFollow(t, cfg)
	mustOrganization(t, a, "General Hospital")
	awaitCopy(t, s)
	stop()
	if _, _, err := offline.Promote(t.Context(), cfg, false); err == nil || !strings.Contains(err.Error(), "serves") {
		t.Errorf("it was promoted beside a server that serves: %v", err)
	}
	wantSound(t, cfg)
	if err := stopFirst(); err != nil {
		t.Fatal(err)
	}
	master := filepath.Join(cfg.Data, home.MasterFile)
	if err := os.Rename(master, master+".away"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := offline.Promote(t.Context(), cfg, false); err == nil || !strings.Contains(err.Error(), "master key") {
		t.Errorf("it was promoted without a master key: %v", err)
	}
	if err := os.Rename(master+".away", master); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it was promoted already, and no server has started
		p, running, err := offline.Promote(t.Context(), cfg, false)
		if err != nil || running || p.Term != 1 {
			t.Fatalf("%+v, running %v, error %v", p, running, err)
		}
	}
	b, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, b)
	if !hasOrganization(t, b, "General Hospital") {
		t.Error("the organization is missing")
	}
	wantSound(t, cfg)
	if _, _, err := offline.Promote(t.Context(), cfg, false); err == nil {
		t.Error("a server was promoted")
	}
}

// A standby is promoted while it does not run, and does not start until the server before has taken over again.
func TestPromotedStandbyThatWasOvertakenDoesNotServe(t *testing.T) {
	first := pairSettings(t)
	a, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, stop := mustFollow(t, cfg)
	awaitCopy(t, s)
	stop()
	claim := standby.Claim{Installation: a.mustIdentity(t).Installation, Term: 1, By: "the standby"}
	if err := stopFirst(); err != nil {
		t.Fatal(err)
	}
	if p, _, err := offline.Promote(t.Context(), cfg, false); err != nil || p.Term != claim.Term {
		t.Fatalf("%+v, error %v", p, err)
	}
	if err := succession.NoteFenced(first.Data, claim); err != nil { // as it is told of the promotion
		t.Fatal(err)
	}
	if p, _, err := offline.Promote(t.Context(), first, true); err != nil || p.Term != claim.Term+1 {
		t.Fatalf("%+v, error %v", p, err)
	}
	b, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, b)
	cfg.Standby.Peer = "http://" + b.StandbyAddr().String()
	if s, err := Open(t.Context(), cfg, quiet()); err == nil {
		s.Close()
		t.Error("it serves")
	} else if !strings.Contains(err.Error(), "took over") {
		t.Errorf("it does not serve because of %v", err)
	}
}

// What only the server before has comes back with it, and what the other confirmed is dropped.
func TestServerTakesOverAgain(t *testing.T) {
	testenv.Long(t)
	first := pairSettings(t)
	a, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopFirst := mustRun(t, a)
	cfg := standbySettings(t, a)
	s, stop := mustFollow(t, cfg)
	awaitCopy(t, s)
	if _, _, err := offline.Promote(t.Context(), cfg, false); err != nil {
		t.Fatal(err)
	}
	stop()
	_ = stopFirst() // that it was fenced
	if _, _, err := offline.Promote(t.Context(), cfg, true); err == nil {
		t.Error("a server that nobody took over from takes over again")
	}
	b, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	stopSecond := mustRun(t, b)
	mustOrganization(t, b, "Second Hospital")
	first.Standby.Peer = "http://" + b.StandbyAddr().String()
	p, _, err := offline.Promote(t.Context(), first, true)
	if err != nil || p.Term != 2 || !p.Fenced {
		t.Fatalf("%+v, error %v", p, err)
	}
	if err := stopSecond(); err == nil {
		t.Error("the other server goes on")
	}
	c, err := Open(t.Context(), first, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, c)
	if hasOrganization(t, c, "Second Hospital") {
		t.Error("what only the other had is there")
	}
}
