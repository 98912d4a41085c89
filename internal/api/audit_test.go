package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/testenv"
)

const auditRetention = 6 * 365 * 24 * time.Hour

func mustAuditKey(t *testing.T) *audit.Key {
	t.Helper()
	text, err := audit.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// auditLines returns the whole audit log, without the beginnings of chains, which
// are no acts.
func (s *server) auditLines() []auditlog.Row {
	s.t.Helper()
	return s.auditLinesAfter(map[model.OrganizationID]int64{})
}

// auditLinesAfter returns what each chain has after the number of its last line that was read,
// and notes what is the last one now.
func (s *server) auditLinesAfter(read map[model.OrganizationID]int64) (out []auditlog.Row) {
	s.t.Helper()
	err := s.store.View(s.t.Context(), func(tx *store.Tx) error {
		out = nil
		chains, err := auditlog.Chains(tx)
		if err != nil {
			return err
		}
		for _, chain := range chains {
			rows, err := auditlog.Entries(tx, auditlog.Query{Chain: chain, After: read[chain]}, 100_000)
			if err != nil {
				return err
			}
			if len(rows) > 0 {
				read[chain] = rows[len(rows)-1].Number
			}
			out = append(out, slices.DeleteFunc(rows,
				func(e auditlog.Row) bool { return e.Action == model.ActionAuditBegin })...)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// mustVerify checks the audit log, and returns how many lines it has.
func (s *server) mustVerify(elsewhere ...audit.Checkpoint) int64 {
	s.t.Helper()
	n, err := audit.Verify(s.t.Context(), s.store, s.audit, elsewhere)
	if err != nil {
		s.t.Fatalf("the audit log is not as it was written: %v", err)
	}
	return n
}

// Each call of an administrative route, by whomever, leaves exactly one line, with
// who, what, from where and how it ended; and one more for the organization that created
// the account where the call is about another one. The routes are those of the router, so
// that a new one without a line fails.
func TestAuditMatrix(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	audited := m.api.Audited()
	for _, route := range m.api.Administrative() {
		if audited[route] == "" {
			t.Errorf("%s is for administrators, and leaves no line in the audit log", route)
		}
	}
	tried, seen := map[string]bool{}, map[model.AuditAction]bool{}
	read := map[model.OrganizationID]int64{}
	for i, r := range rules {
		action := audited[r.route]
		if action == "" {
			continue
		}
		tried[r.route] = true
		if seen[action] {
			m.clock.Advance(time.Hour) // so that who has read by another route has a line of this one
		}
		seen[action] = true
		for column, caller := range m.callers {
			x := maps.Clone(m.standing)
			if r.fresh != nil {
				maps.Copy(x, r.fresh(m))
			}
			m.clock.Advance(6 * time.Second) // so that each refusal has a line of its own
			m.auditLinesAfter(read)
			id := fmt.Sprintf("audit-%d-%d", i, column)
			got := r.call(caller, x, requestID(id))
			lines := m.auditLinesAfter(read)
			mine := slices.DeleteFunc(slices.Clone(lines), func(e auditlog.Row) bool { return e.RequestID != id })
			what := r.route + " by " + callerNames[column]
			want := 1
			if r.told && got.StatusCode < 400 { // the other one says neither with which key nor from where
				want = 2
				slices.SortFunc(mine, func(a, b auditlog.Row) int { return strings.Compare(b.Key, a.Key) })
			}
			if len(mine) != want || len(lines) != want {
				t.Errorf("%s answered %d and left %d lines, %d of its own, want %d", what, got.StatusCode, len(lines), len(mine),
					want)
				continue
			}
			acts := action
			if column >= firstAccount { // before that the body is not read
				acts = cmp.Or(r.acts, action)
			}
			m.wantLine(what, mine[0], got, acts, caller, column)
		}
	}
	for route := range audited {
		if !tried[route] {
			t.Errorf("%s is not in the matrix", route)
		}
	}
	m.mustSweep()
	m.mustVerify()
	m.wantNobodysNames()
}

func (m *matrix) wantLine(what string, e auditlog.Row, got *answer, action model.AuditAction, caller *person,
	column int) {
	m.t.Helper()
	outcome := model.AuditOK
	if got.StatusCode >= 400 {
		outcome = got.value().text("error", "code")
	}
	if e.Action != action || e.Outcome != outcome || e.Address != "127.0.0.1" || e.Times != 1 ||
		!e.Time.Equal(m.clock.Now().Truncate(time.Millisecond)) {
		m.t.Errorf("%s: got the line %+v, want %s, %s, from 127.0.0.1 at %v", what, e.AuditEntry, action, outcome,
			m.clock.Now())
	}
	login := action == model.ActionLogin
	switch {
	case column < 3: // nobody was recognised
		if !e.Account.IsZero() || e.Key != "" {
			m.t.Errorf("%s: the line says that it was account %v with key %q", what, e.Account, e.Key)
		}
	case !login && (e.Account.String() != caller.token || e.Key != caller.key):
		m.t.Errorf("%s: the line says that it was account %v with key %q, want %s with %q", what, e.Account, e.Key,
			caller.token, caller.key)
	}
	if e.Outcome == model.AuditOK && e.User.IsZero() && e.Organization == "" && action != model.ActionAuditRead {
		m.t.Errorf("%s: the line does not say on whom: %+v", what, e.AuditEntry)
	}
}

// wantNobodysNames looks for what the audit log must not hold.
func (m *matrix) wantNobodysNames() {
	m.t.Helper()
	for _, e := range m.auditLines() {
		text := string(audit.Canonical(&e.AuditEntry))
		for _, canary := range []string{"@", "example", "Clinic", "Doomed", "boss", "stranger", "sgk_", "operator-secret",
			"a new password"} {
			if strings.Contains(text, canary) {
				m.t.Errorf("the audit log holds %q: %s", canary, text)
			}
		}
	}
}

// What an administrator may do to others' groups and metadata, or read of them, and a
// member may not, leaves a line as well. These calls are those of the matrix, so that a new one of the
// kind without a line fails; what a member does with its own leaves none.
func TestAuditHasWhatTakesAnAdministratorWhereverItIsDone(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	audited := m.api.Audited()
	own := []string{"POST /v2/message", "POST /v2/message/typing", // which a group of everybody takes from administrators
		"POST /v2/mute/group/:group", "DELETE /v2/mute/group/:group", // what the caller itself hears of
		"GET /v2/conversation/:entity/message", "POST /v2/conversation/:entity/read", // and its own messages alone
		"POST /v2/conversation/search",
		"POST /v2/metadata_bulk"} // which shows several: TestAuditHasEachReadOncePerHour
	seen, read := map[model.AuditAction]bool{}, map[model.OrganizationID]int64{}
	for i, r := range rules {
		want := strings.Fields(r.want)
		if audited[r.route] != "" || r.public || slices.Contains(own, r.route) {
			continue
		}
		m.clock.Advance(time.Hour) // so that each read has a line
		for column, caller := range m.callers {
			if column < 3 || want[column-3][0] != '2' {
				continue
			}
			x := maps.Clone(m.standing)
			if r.fresh != nil {
				maps.Copy(x, r.fresh(m))
			}
			id := fmt.Sprintf("group-%d-%d", i, column)
			if got := r.call(caller, x, requestID(id)); got.StatusCode >= 300 {
				t.Fatalf("%s by %s answered %d %s", r.route, callerNames[column], got.StatusCode, got.content)
			}
			mine := slices.DeleteFunc(m.auditLinesAfter(read), func(e auditlog.Row) bool { return e.RequestID != id })
			foreign := takesAdministrator(r.route, want, column) && !r.idle
			switch {
			case !foreign && len(mine) != 0:
				t.Errorf("%s by %s left %+v, want nothing", r.route, callerNames[column], mine)
			case foreign && len(mine) != 1:
				t.Errorf("%s by %s left %d lines, want one", r.route, callerNames[column], len(mine))
			case foreign:
				if e := &mine[0].AuditEntry; !m.isActOf(e, caller) {
					t.Errorf("%s by %s left %+v", r.route, callerNames[column], e)
				}
				seen[mine[0].Action] = true
			}
		}
	}
	for _, action := range []model.AuditAction{model.ActionGroupCreate, model.ActionGroupUpdate, model.ActionGroupDelete,
		model.ActionGroupMemberAdd,
		model.ActionGroupMemberRemove, model.ActionMetadataSet, model.ActionMetadataDelete, model.ActionUserRead,
		model.ActionUnreadRead, model.ActionGroupRead, model.ActionMetadataRead, model.ActionOrganizationRead} {
		if !seen[action] {
			t.Errorf("no call of the matrix left %s", action)
		}
	}
	m.mustSweep()
	m.mustVerify()
	m.wantNobodysNames()
}

// takesAdministrator reports whether the caller of a column may make a call of the matrix, which
// is answered so, only because it administers.
func takesAdministrator(route string, want []string, column int) bool {
	const member, boss, operator = 5, 9, 10
	foreignToOperators := []string{"POST /v2/group", "POST /v2/role_group", "GET /v2/user/:user",
		"GET /v2/metadata/:entity", "GET /v2/group/:group", "GET /v2/group/:group/members"}
	switch {
	case route == "DELETE /v2/group/:group", route == "POST /v2/group/:group/duty",
		route == "DELETE /v2/group/:group/duty":
		return true // whoever does it
	case strings.HasPrefix(route, "GET /v2/group/:group/duty"): // its members read it, too
		return column == boss || column == operator
	case column == operator && slices.Contains(foreignToOperators, route):
		return true
	}
	return (column == boss || column == operator) && want[member-3][0] == '4'
}

// isActOf reports whether a line is about an act of a caller in the organization, to an account or a
// group.
func (m *matrix) isActOf(e *model.AuditEntry, caller *person) bool {
	return e.Account.String() == caller.token && e.Key == caller.key && string(e.Chain) == m.org &&
		(e.Organization == e.Chain || e.Organization == "") &&
		e.Outcome == model.AuditOK && e.Address == "127.0.0.1" && e.User.IsZero() != e.Group.IsZero()
}

func TestAuditHoldsNoNamesThatCallsUse(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	for _, p := range []*person{m.boss, m.member, m.operator, m.foreign} {
		p.get("/v2/user_lookup/recipient%40example.com")
		p.post("/v2/user/recipient%40example.com/key", nil)
		p.delete("/v2/user/recipient/key/recipient%40example.com")
		p.get("/v2/organization/boss%40example.com")
		p.post("/v2/organization/"+m.org, fields{"name": "Clinic", "Clinic of boss": "stranger", "max_ttl": 60})
	}
	m.signIn("recipient@example.com", "a new password", "boss's phone").want(401)
	m.member.with("recipient@example.com", "a new password").get("/v2/user").want(401)
	m.wantNobodysNames()
	m.mustVerify()
}

func TestAuditIsReadByAdministratorsAndOperators(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	path := "/v2/organization/" + m.org + "/audit"
	m.boss.post("/v2/organization/"+m.org, fields{"max_ttl": 600, "forward": false}).want(204)
	newest := m.boss.get(path + "?action=organization.update").reply().at(0)
	newest.wantFields(fields{"account": m.boss.token, "key": m.boss.key, "on_organization": m.org,
		"detail": "forward=false max_ttl=600", "outcome": "ok"})
	for i := range 5 {
		m.boss.post(m.member.path("/organization/"+m.org+"/roles/role"+number(i)), nil).want(204)
	}

	all := m.boss.get(path + "?after=0&limit=1000").reply().list()
	for i, e := range all {
		if n := e.int("number"); n != int64(i+1) {
			t.Errorf("entry %d has number %d", i, n)
		}
	}
	// Backwards in pages it is the same; each reading added a line in front.
	var back []value
	for before := int64(len(all) + 1); before > 1; before = back[len(back)-1].int("number") {
		page := m.operator.get(fmt.Sprintf("%s?limit=3&before=%d", path, before)).reply().list()
		if len(page) == 0 || len(page) > 3 {
			t.Fatalf("a page has %d entries", len(page))
		}
		back = append(back, page...)
	}
	slices.Reverse(back)
	if fmt.Sprint(back) != fmt.Sprint(all) {
		t.Errorf("backwards the log is %v, forwards %v", back, all)
	}

	now := m.clock.Now()
	m.clock.Advance(time.Hour)
	m.boss.get("/v2/organization/" + m.org).want(200)
	later := now.Add(time.Minute).Format(time.RFC3339)
	if got := m.boss.get(path + "?since=" + later).reply().list(); len(got) != 1 ||
		got[0].text("action") != "organization.read" {
		t.Errorf("since a minute later there is %v", got)
	}
	if got := m.boss.get(path + "?limit=1000&until=" + later).reply().list(); len(got) < len(all) {
		t.Errorf("until then there are %d entries, want at least %d", len(got), len(all))
	}
	for _, query := range []string{"limit=0", "limit=1001", "before=x", "after=1&before=2", "since=yesterday"} {
		m.boss.get(path + "?" + query).want(400)
	}
	platform := m.operator.get("/v2/audit?after=0").reply().list()
	if len(platform) == 0 || platform[0].text("action") != "operator.create" {
		t.Errorf("the platform's log begins with %v", platform)
	}

	// What a deleted organization's log holds stays for operators.
	m.operator.do("DELETE", "/v2/organization/"+m.org, jsonBody(fields{"name": "Clinic"})).want(204)
	m.mustSweep()
	m.boss.get(path).want(403) // no administrator of anything any more
	if got := m.operator.get(path + "?action=organization.delete").reply().list(); len(got) != 1 {
		t.Errorf("the log of a deleted organization has %v", got)
	}
	m.mustVerify()
}

func TestAuditPutsAFloodOfRefusalsTogether(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	alice := s.mustCreate(org, "alice")
	before := len(s.auditLines())
	const tries = 260
	for range tries {
		alice.with(alice.key, "wrong").get("/v2/user").want(401)
	}
	written := len(s.auditLines()) - before
	if written > 200 {
		t.Errorf("%d refusals left %d lines", tries, written)
	}
	s.clock.Advance(time.Minute)
	s.mustSweep()
	lines := s.auditLines()
	refused := int64(0)
	for _, e := range lines {
		if e.Outcome == "credentials_invalid" {
			refused += e.Times
		}
	}
	if refused != tries || len(lines)-before > 201 {
		t.Errorf("%d refusals are %d in %d lines", tries, refused, len(lines)-before)
	}
	// Those that have a line of their own say whose key was tried, where that is read.
	got := s.operator.get("/v2/organization/" + org + "/audit?action=access&limit=1").reply()
	got.at(0).wantFields(fields{"on_account": alice.token, "on_key": alice.key, "outcome": "credentials_invalid"},
		"account", "key")
	s.mustVerify()
}

func TestAuditIsTrimmedAfterItsRetention(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	s.mustCreateAll(org, "alice", "bob", "carol")
	s.mustSweep()
	whole := s.mustVerify()
	s.clock.Advance(auditRetention / 2)
	s.mustCreate(org, "dora")
	s.clock.Advance(auditRetention/2 + time.Hour)
	s.mustKeepHouse()
	s.mustCreate(org, "erin")
	s.mustSweep()
	left := s.mustVerify()
	if left >= whole || left == 0 {
		t.Errorf("of %d lines %d are left", whole, left)
	}
	first := s.operator.get("/v2/organization/" + org + "/audit?after=0&limit=1").reply().at(0)
	if first.int("number") == 1 {
		t.Errorf("the oldest line that is left is %v", first)
	}
}

func TestAuditLineOfACallThatFailsIsNotWritten(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	ok := func() (n int) {
		for _, e := range s.auditLines() {
			if e.Outcome == model.AuditOK {
				n++
			}
		}
		return n
	}
	before := ok()
	s.operator.delete(s.operator.path("/organization/"+org)).wantError(400, "last_administrator")
	if got := ok(); got != before {
		t.Errorf("what was refused left %d lines that say it was done", got-before)
	}
}

func TestAuditEntryIsOneLineOfJSON(t *testing.T) {
	t.Parallel()
	e := model.AuditEntry{Chain: "Bd0Kh8oOOL8dKLzdocJ2isAj", Number: 1,
		Time: model.AuditTime{Time: time.UnixMilli(1).UTC()}, Action: model.ActionLogin,
		Outcome: model.AuditOK, Times: 1}
	var back model.AuditEntry
	text := audit.Canonical(&e)
	if err := json.Unmarshal(text, &back); err != nil || back != e || strings.ContainsRune(string(text), '\n') {
		t.Errorf("%s is read as %+v, %v", text, back, err)
	}
}

// The log says to administrators why credentials opened nothing, which the answer does not.
func TestAuditSaysWhyCredentialsOpenNothing(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	refuse := func(a *answer) { t.Helper(); a.wantError(401, "credentials_invalid") }
	reasons := func(of string) (out []string) {
		for _, e := range boss.get("/v2/organization/" + c.org + "/audit?outcome=refused&account=" + of).reply().list() {
			out = append(out, e.text("action")+": "+e.text("detail"))
		}
		slices.Reverse(out) // the oldest first
		return out
	}
	refuse(c.signIn("alice", "a guess", "d"))
	c.mustHavePassword(c.alice)
	refuse(c.signIn("alice", "a guess", "d"))
	refuse(c.alice.with(c.alice.key, "wrong").get("/v2/user"))
	away := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{"allowed_networks": []string{"192.0.2.0/24"}}).reply())
	refuse(away.get("/v2/user"))
	short := c.alice.withKey(c.alice.post("/v2/user/me/key", fields{"expires_in": 60}).reply())
	c.clock.Advance(2 * time.Minute)
	refuse(short.get("/v2/user"))
	boss.post(c.alice.path("/disable"), nil).want(204)
	refuse(c.signIn("alice", password, "d"))
	refuse(c.alice.get("/v2/user"))
	wantTexts(t, "of alice", reasons("alice"), "login: no password", "login: wrong password", "access: wrong secret",
		"access: address not allowed", "access: key expired", "login: account disabled", "access: account disabled")
	refuse(c.signIn("nobody", password, "d"))
	got := c.operator.get("/v2/audit?outcome=refused&action=login&limit=1").reply().list()
	got[0].wantFields(fields{"detail": "unknown name"}, "on_account")
	c.mustVerify()
}
