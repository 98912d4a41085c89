package api_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/api"
)

func mustMakeLink(t *testing.T, s *server) string {
	t.Helper()
	secret, err := s.link.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func (s *server) useLink(secret string, options ...option) *answer {
	return s.anyone().post("/v2/session", fields{"first_start": secret}, options...)
}

// TestTheLinkOfAFirstStart signs the operator in, who can set everything up at once.
func TestTheLinkOfAFirstStart(t *testing.T) {
	t.Parallel()
	s := start(t)
	secret := mustMakeLink(t, s)
	if len(secret) < 26 {
		t.Fatalf("the secret is %q, want 128 bits", secret)
	}
	s.useLink(secret[1:]).wantError(401, "credentials_invalid")
	s.useLink(secret, site("cross-site")).wantError(403, "origin_refused")

	page := s.operator.byCookie(s.useLink(secret).want(204))
	session := page.get("/v2/session").reply()
	until := s.clock.Now().Add(15 * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z")
	session.wantFields(fields{"operator": true, "elevated_until": until, "has_password": false})
	s.useLink(secret).wantError(401, "credentials_invalid")
	page.post("/v2/organization", fields{"name": "General Hospital"}).want(204)

	page.post("/v2/user/me/password", fields{"password": password}).want(204)
	page.post("/v2/user/me/password", fields{"password": "another horse"}).wantError(400, "old_password_required")
	page.get("/v2/session").reply().wantFields(fields{"has_password": true})
	s.anyone().post("/v2/session", fields{"username": "operator", "password": password}).want(204)

	if again := mustMakeLink(t, s); again != "" {
		t.Error("a server that is set up has a link for its first start")
	}
	if log := s.operator.get("/v2/audit").want(200); !strings.Contains(string(log.content), `"detail":"session, first start"`) {
		t.Errorf("the audit log has %s", log.content)
	}
}

// TestTheLinkOfAFirstStartOpensOnce: of many who come with it, one.
func TestTheLinkOfAFirstStartOpensOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	secret := mustMakeLink(t, s)
	var opened atomic.Int32
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if s.useLink(secret).StatusCode == 204 {
				opened.Add(1)
			}
		})
	}
	calls.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("it opened %d times", n)
	}
}

func TestTheLinkOfAFirstStartIsGoodForAnHour(t *testing.T) {
	t.Parallel()
	s := start(t)
	early, late := mustMakeLink(t, s), mustMakeLink(t, s)
	s.useLink(early).wantError(401, "credentials_invalid") // the later one took its place
	s.clock.Advance(time.Hour)
	s.useLink(late).wantError(401, "credentials_invalid")
	last := mustMakeLink(t, s)
	s.clock.Advance(time.Hour - time.Millisecond)
	s.useLink(last).want(204)
}

// TestTheLinkOfAFirstStartIsForThisMachine: from elsewhere it opens nothing, and is not used
// up; guesses are counted as those of passwords are.
func TestTheLinkOfAFirstStartIsForThisMachine(t *testing.T) {
	t.Parallel()
	var way atomic.Int32
	s := start(t, func(f *figures) {
		f.way = func(*http.Request) api.Way { return api.Way(way.Load()) }
		f.api.FailedLoginsPerMinute = 3
	})
	secret := mustMakeLink(t, s)
	way.Store(int32(api.HTTPS))
	for range 5 {
		s.useLink(secret).wantError(401, "credentials_invalid")
	}
	way.Store(int32(api.Plain))
	s.useLink(secret).wantError(403, "https_required")
	way.Store(int32(api.Loopback))
	for range 3 {
		s.useLink("guess").wantError(401, "credentials_invalid")
	}
	s.useLink(secret).wantError(429, "too_many_failures")
	s.clock.Advance(time.Minute)
	s.useLink(secret).want(204)
}

// TestAnOperatorSetsItsFirstPassword with an administrative key, and with nothing less.
func TestAnOperatorSetsItsFirstPassword(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := fields{"password": password}
	issued := s.operator.post("/v2/user/me/key", fields{"kind": "regular"}).reply()
	regular := s.operator.with(issued.text("api_key"), issued.text("api_secret"))
	regular.post("/v2/user/me/password", first).wantError(400, "old_password_required")
	boss := s.mustCreateAdmin(s.mustCreateOrganization("General Hospital"), "boss")
	boss.post("/v2/user/me/password", first).wantError(400, "old_password_required")
	s.operator.post("/v2/user/me/password", first).want(204)
	s.operator.post("/v2/user/me/password", first).wantError(400, "old_password_required")
	s.operator.post("/v2/user/me/password", fields{"password": "another horse", "old_password": password}).want(204)
}
