package api_test

import (
	"testing"
	"time"
)

// count has the server write what it has counted, at the end of the minute.
func (s *server) count() {
	s.t.Helper()
	s.clock.Set(s.clock.Now().Truncate(time.Minute).Add(time.Minute))
	if err := s.recorder.Tick(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func TestFiguresOverTimeAreToldToAdministrators(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.count()
	path := "/v2/organization/" + c.org + "/history"
	begun := c.clock.Now()
	urgent := c.alice.mustSend(c.bob.token, "come", "priority", 1)
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	c.alice.mustSend(group, "hello") // has two copies
	c.bob.post("/v2/message/status", fields{"read": []string{urgent}}).want(204)
	c.count()
	minute := "?step=60&since=" + wireTimeOf(begun) + "&until=" + wireTimeOf(begun.Add(2*time.Minute))
	boss.get(path + minute).reply().wantIs(fields{
		"times": []string{wireTimeOf(begun)},
		"series": fields{"sent": []any{2}, "active_people": []any{3}, "read_within_5m": []any{nil},
			"unread_over_1h": []any{nil}, "storage_bytes": []any{nil}}, // of the hour: boss called in the minute before
	})
	for range 65 {
		c.count()
	}
	series := func(query string) value { return c.operator.get(path + query).reply().at("series") }
	series(minute).wantIs(fields{"sent": []any{2, 0}, "active_people": []any{3, 3}, "read_within_5m": []any{1, nil},
		"unread_over_1h": []any{2, 0}, "storage_bytes": []any{nil, nil}})
	series(minute + "&names=sent").wantIs(fields{"sent": []any{2, 0}})
	series("?names=sent,unread_over_1h&since=" + wireTimeOf(begun)).wantIs(fields{"sent": []any{2, 0},
		"unread_over_1h": []any{nil, nil}})
	if got := series("?step=86400&names=sent").at("sent"); len(got.list()) != 31 {
		t.Errorf("the last 30 days are %v", got)
	}

	for query, field := range map[string]string{"?names=bogus": "names", "?names=streams": "names", "?step=61": "step",
		"?step=x": "step", "?since=yesterday": "since", "?until=1": "until", "?step=60&since=2026-11-01T00:00:00Z": "since",
		"?since=" + wireTimeOf(begun) + "&until=" + wireTimeOf(begun): "since"} {
		boss.get(path+query).wantError(400, "field_invalid").wantField(field)
	}
	c.alice.get(path).wantError(403, "administrative_key_required")
	elsewhere := c.mustCreateOrganization("Elsewhere")
	foreign := c.mustCreateAdmin(elsewhere, "foreign")
	wantSameAnswer(foreign.get(path), foreign.get("/v2/organization/"+randomOrganization()+"/history"))
	foreign.get("/v2/organization/" + elsewhere + "/history?names=sent&step=86400").want(200)
	boss.get("/v2/status/history").wantError(403, "not_allowed")
}

func TestFiguresOverTimeAreToldToOperators(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.service.MessagesPerDay = 2 })
	c.count()
	begun := c.clock.Now()
	c.alice.mustSend(c.bob.token, "one")
	c.alice.mustSend(c.bob.token, "two")
	c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "three"}).wantError(429, "daily_limit")
	c.count()
	path := "/v2/status/history?step=60&since=" + wireTimeOf(begun)
	told := c.operator.get(path).reply()
	told.at("times").wantIs([]string{wireTimeOf(begun)})
	series := told.at("series")
	for name, want := range map[string]any{"sent": []any{2}, "copies": []any{2}, "refused": []any{1}, "streams": []any{0},
		"queued": []any{nil}, "storage_bytes.database": []any{4096}} {
		series.at(name).wantIs(want)
	}
	if series.has("storage_bytes.blobs") || series.has("storage_bytes") {
		t.Errorf("kinds of storage are told that are not known: %v", series)
	}
	if got := series.list("send_p99"); len(got) != 1 || got[0].v == nil {
		t.Errorf("sends took %v", got)
	}
	storage := c.operator.get(path + "&names=storage_bytes").reply().at("series")
	storage.wantIs(fields{"storage_bytes.database": []any{4096}})
	if n := c.ownLines("status.read"); n != 1 {
		t.Errorf("the same hour has %d lines in the audit log, want 1", n)
	}
	c.operator.get(path+"&names=active_people").wantError(400, "field_invalid").wantField("names")
	c.alice.get(path).wantError(403, "administrative_key_required")
}
