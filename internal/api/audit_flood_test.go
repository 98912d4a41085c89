package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/quota"
	"signet/internal/testenv"
)

// linesOf returns the lines of an account's doings.
func (s *server) linesOf(p *person) []auditlog.Row {
	return slices.DeleteFunc(s.auditLines(), func(e auditlog.Row) bool { return e.Account.String() != p.token })
}

func TestAuditOfAnInsiderIsNotHiddenByStrangers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	insider, victim := s.mustCreate(org, "insider"), s.mustCreate(org, "victim")
	for i := range 300 { // without credentials, on routes enough for all kinds that are told apart
		for _, path := range []string{"/v2/user", "/v2/roster", "/v2/user/me/key", "/v2/audit", "/v2/organization/" + org} {
			s.anyone().get(path).want(401)
		}
		s.anyone().with("nobody"+number(i), insider.secret).get("/v2/user")
	}
	for range 15 {
		insider.get("/v2/audit").want(403)
		insider.with(victim.key, insider.secret).get("/v2/user").want(401)
	}
	refused := s.linesOf(insider)
	if len(refused) != 15 {
		t.Errorf("15 refusals of an insider after a flood left %d lines of their own", len(refused))
	}
	tried := slices.DeleteFunc(s.auditLines(),
		func(e auditlog.Row) bool { return e.OnKey != victim.key || e.Outcome == model.AuditOK })
	if len(tried) != 15 {
		t.Errorf("15 wrong secrets of a key left %d lines that name it", len(tried))
	}

	// Past its own allowance an account is still named, whatever strangers do meanwhile.
	for range 100 {
		insider.get("/v2/audit").want(403)
		s.anyone().get("/v2/user").want(401)
	}
	s.clock.Advance(10 * time.Minute)
	s.mustSweep()
	var times int64
	for _, e := range s.linesOf(insider) {
		times += e.Times
	}
	if lines := len(s.linesOf(insider)); times != 115 || lines > 30 {
		t.Errorf("115 refusals of an insider are %d in %d lines", times, lines)
	}
	s.mustVerify()
}

func TestAuditIsNotFilledByARegularKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	alice := s.mustCreate(org, "alice")
	for range 50 {
		alice.get("/v2/user/me/key").want(200)
		alice.get("/v2/user/me/organization/" + org + "/roles").want(200)
	}
	if got := len(s.linesOf(alice)); got != 2 {
		t.Errorf("100 readings of one's own keys and roles left %d lines, want 2 of this hour", got)
	}

	// What it does beyond 1,000 a day is told as one number.
	var counter string
	err := s.store.Update(t.Context(), func(tx *store.Tx) error {
		key, _, err := tx.Key(alice.key)
		counter = quota.Counter(key.Account, "audit", key.Counter)
		for range 990 {
			if _, err := quota.CountMessage(tx, counter, quota.DayOf(s.clock.Now())); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // 8 have a line: with the readings and what was counted, they are 1,000
		issued := alice.post("/v2/user/me/key", nil).reply()
		alice.with(issued.text("api_key"), issued.text("api_secret")).post("/v2/logout", nil).want(204)
	}
	if got := len(s.linesOf(alice)); got != 10 {
		t.Errorf("a key that was used up left %d lines, want 10", got)
	}
	s.operator.post(alice.path("/key"), nil).want(200) // an administrative key's acts always have theirs
	if e := s.auditLines(); !slices.ContainsFunc(e, func(e auditlog.Row) bool {
		return e.Action == model.ActionKeyIssue && e.Account.String() == s.operator.token
	}) {
		t.Error("an administrative key's act has no line")
	}
	s.clock.Advance(24 * time.Hour)
	s.mustKeepHouse()
	s.mustKeepHouse()
	more := slices.DeleteFunc(s.linesOf(alice), func(e auditlog.Row) bool { return e.Action != model.ActionMore })
	if len(more) != 1 || more[0].Times != 12 || more[0].Key != alice.key || string(more[0].Chain) != org {
		t.Errorf("the rest of the day is %+v, want one line of 12", more)
	}
	alice.post("/v2/user/me/key", nil).want(200)
	if got := len(s.linesOf(alice)); got != 12 {
		t.Errorf("on the next day there are %d lines, want 12", got)
	}
	s.mustVerify()
}

func TestAuditHasEachReadOncePerHour(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	entities := fields{"entities": []string{m.standing["entity"], m.standing["group"]}}
	reads := func() (n int) {
		for _, e := range m.linesOf(m.operator) {
			if slices.Contains([]model.AuditAction{model.ActionUserRead, model.ActionMetadataRead}, e.Action) {
				n++
			}
		}
		return n
	}
	for hour := range 2 {
		for i := range 5 {
			m.operator.get("/v2/user/" + m.standing["entity"]).want(200)
			m.operator.post("/v2/metadata_bulk", entities, in(m.org)).want(200)
			if got, want := reads(), 3*(hour+1); got != want {
				t.Errorf("in hour %d, round %d, the reads left %d lines, want %d", hour, i, got, want)
			}
		}
		m.clock.Advance(time.Hour)
	}
}
