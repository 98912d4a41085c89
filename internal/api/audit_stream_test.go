package api_test

import (
	"strconv"
	"testing"
	"time"

	"signet/internal/testenv"
)

// accepting is the header by which a stream is asked for.
var accepting = header("Accept", "text/event-stream")

// wantEntries reads entries of the audit log off a stream: from a number on, one after the
// other, up to and with the first of an action.
func (st *stream) wantEntries(from int64, until string) (next int64) {
	st.t.Helper()
	for {
		l := st.wantNext("audit")
		number := l.int("number")
		if number != from || !l.hasID || l.idLine != strconv.FormatInt(number, 10) {
			st.t.Fatalf("entry %d has the id %q, want %d", number, l.idLine, from)
		}
		if from++; l.text("action") == until {
			return from
		}
	}
}

func TestTheAuditLogIsFollowed(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	path := "/v2/organization/" + m.org + "/audit"
	change := func() { m.boss.post("/v2/organization/"+m.org, fields{"max_ttl": 600}).want(204) }
	change()
	all := m.boss.get(path + "?after=0&limit=1000").reply().list()
	end := int64(len(all)) + 1 // with the entry about this very read

	// From the beginning, from the middle, and from now on: the same entries.
	whole := m.boss.openStreamAt(path + "?after=0")
	whole.wantEntries(1, all[0].text("action"))
	for i, e := range all[1:] {
		if l := whole.wantNext("audit"); l.value.String() != e.String() {
			t.Errorf("entry %d is %s on the stream, %s in the list", i+2, l.value, e)
		}
	}
	whole.wantEntries(end, "audit.read")
	end += 2 // its own
	middle := m.operator.openStreamAt(path+"?after=0", header("Last-Event-ID", number(int(end-2))))
	now := m.boss.openStreamAt(path, header("TT-X-Features", "heartbeat_1"))
	change()
	whole.wantEntries(end-1, "organization.update")
	middle.wantEntries(end-1, "organization.update")
	for l := now.next(); l.kind != "audit" || l.text("action") != "organization.update"; l = now.next() {
		if l.kind == "audit" && l.int("number") < end+1 {
			t.Errorf("a stream from now on begins with %s", l.value)
		}
	}
	now.nextOf("sse:heartbeat")
	now.nextOf("sse:heartbeat")

	// Streams write no entries but the one of their opening.
	before := m.boss.get(path + "?limit=1").reply().at(0).int("number")
	now.nextOf("sse:heartbeat")
	if after := m.boss.get(path + "?limit=1").reply().at(0).int("number"); after != before+1 {
		t.Errorf("while streams were open the log grew from %d to %d by one reading", before, after)
	}

	// The platform's part is the operators'.
	platform := m.operator.openStreamAt("/v2/audit?after=0")
	platform.wantEntries(1, "operator.create")
}

func TestAStreamOfTheAuditLogIsRefused(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	path := "/v2/organization/" + m.org + "/audit"
	for _, query := range []string{"limit=1", "before=2", "since=2026-11-21T00:00:00Z", "until=2026-11-21T00:00:00Z",
		"action=login", "after=-1", "after=x", "after=1000000", "lastEventId=x"} {
		m.boss.get(path+"?"+query, accepting).wantError(400, "field_invalid")
	}
	m.boss.get(path, accepting, header("Last-Event-ID", "1k2x9f.17952")).wantError(400, "field_invalid")
	m.boss.get("/v2/audit", accepting).wantError(403, "not_allowed")
	m.member.get(path, accepting).wantError(403, "administrative_key_required")
	wantSameAnswer(m.boss.get("/v2/organization/"+randomOrganization()+"/audit", accepting),
		m.boss.get("/v2/organization/"+randomOrganization()+"/audit"))
	m.boss.get(path, accepting, origin("https://evil.example")).wantError(403, "origin_refused")
}

func TestAStreamOfTheAuditLogEndsWithTheRightToIt(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	path := "/v2/organization/" + m.org + "/audit"
	for name, end := range map[string]func(p *person){
		"a revoked key": func(p *person) { m.operator.delete(p.path("/key/" + p.key)).want(204) },
		"a lost role": func(p *person) {
			m.operator.delete(p.path("/organization/" + m.org + "/roles/admin")).want(204)
		},
		"a lost membership": func(p *person) { m.operator.delete(p.path("/organization/" + m.org)).want(204) },
		"being disabled":    func(p *person) { m.operator.post(p.path("/disable"), nil).want(204) },
	} {
		p := m.mustCreateAdmin(m.org, "admin"+strconv.Itoa(len(name)))
		st := p.openStreamAt(path)
		st.wantNext("audit") // of its opening
		end(p)
		began := time.Now()
		for range st.lines { // until the end; what came before the right ended may be on it
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: the stream ended after %v", name, took)
		}
	}

	// An elevated session reads it for as long as it is elevated.
	boss := m.mustCreateAdmin(m.org, "browsing")
	m.mustHavePassword(boss)
	session := boss.mustSignIn()
	session.get(path, accepting).want(403)
	session = boss.byCookie(session.post("/v2/session/elevate", fields{"password": password}).want(204))
	st := session.openStreamAt(path)
	st.wantNext("audit")
	session.delete("/v2/session/elevate").want(204)
	for range st.lines {
	}
}

func TestStreamsOfTheAuditLogAreLimited(t *testing.T) {
	t.Parallel()
	m := startMatrix(t, func(f *figures) { f.streams = 2 })
	path := "/v2/organization/" + m.org + "/audit"
	events := m.boss.openStream("")
	first := m.boss.openStreamAt(path)
	second, third := m.boss.openStreamAt(path), m.boss.openStreamAt(path)
	first.wantCrowdedOut(true)
	m.boss.post("/v2/organization/"+m.org, fields{"max_ttl": 600}).want(204)
	for _, st := range []*stream{second, third} {
		for l := st.nextOf("audit"); l.text("action") != "organization.update"; {
			l = st.nextOf("audit")
		}
	}
	m.sender.mustSend(m.boss.token, "x")
	events.nextOf("message") // it is not one of them

	// A server that stops says so.
	m.hub.Close()
	for _, st := range []*stream{second, third} {
		if l := st.nextOf("reconnect"); l.hasID {
			t.Error("the word of the end has a place in the log")
		}
		st.wantEnd()
	}
}
