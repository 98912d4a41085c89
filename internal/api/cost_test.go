package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/testenv"
)

// TestCostlyCallsTakeMoreOfTheRate: what a key has left after each, of 1,000.
func TestCostlyCallsTakeMoreOfTheRate(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 100, 1000 })
	extra := c.mustFillOrganization(c.org, 200)
	group := c.alice.post("/v2/group?render_entity=true",
		fields{"name": "Large", "members": extra[:199]}).reply().text("token")
	unknown, criteria := make([]string, 100), make([]fields, 64)
	for i := range unknown {
		unknown[i] = randomToken()
	}
	for i := range criteria {
		criteria[i] = fields{"any": "nobody"}
	}
	steps := make([]fields, 10)
	for i := range steps {
		steps[i] = fields{"after": i + 1, "to": slices.Repeat([]string{c.bob.token, c.carl.token}, 5)}
	}
	boss := c.mustCreateAdmin(c.org, "boss")
	for range 3 {
		c.bob.mustSendLarge(c.alice.token, 1)
	}
	for _, call := range []struct {
		what, method, path string
		sent               fields
		cost               int
	}{
		{"oneself", "GET", "/v2/user", nil, 1},
		{"a small search", "POST", "/v2/search", fields{"any": "bob"}, 2},
		{"a search with many criteria", "POST", "/v2/search", fields{"bool": fields{"must": criteria}}, 14},
		{"the members of a group of 200", "GET", "/v2/group/" + group + "/members", nil, 5},
		{"metadata of 100", "POST", "/v2/metadata_bulk", fields{"entities": unknown}, 6},
		{"statuses of 100", "POST", "/v2/get_bulk_message_status", fields{"messages": unknown}, 6},
		{"100 that were read", "POST", "/v2/message/status", fields{"read": unknown}, 6},
		{"100 acknowledgements", "POST", "/v2/events/ack", fields{"events": unknown}, 6},
		{"a message with 100 addresses in steps", "POST", "/v2/message",
			fields{"recipient": "bob", "body": "help", "escalate": steps}, 6},
		{"a poll of 750 KB", "GET", "/v2/events", nil, 2},
	} {
		c.clock.Advance(time.Minute)
		var got *answer
		if call.sent == nil {
			got = c.alice.get(call.path)
		} else {
			got = c.alice.post(call.path, call.sent)
		}
		if got.StatusCode >= 300 {
			t.Errorf("%s: %d %s", call.what, got.StatusCode, got.content)
		}
		got.wantHeader("RateLimit-Remaining", number(1000-call.cost))
	}
	c.clock.Advance(time.Minute)
	boss.post("/v2/organization/"+c.org+"/escalation/night", fields{"steps": steps}).want(204).
		wantHeader("RateLimit-Remaining", "994")
	// Who has paid for too much waits.
	c.clock.Advance(time.Minute)
	served := 0
	for c.alice.post("/v2/search", fields{"bool": fields{"must": criteria}}).StatusCode == 200 {
		served++
	}
	if served != 72 {
		t.Errorf("%d searches of 14 tokens were served of 1,000", served)
	}
}
