package api_test

import (
	"strings"
	"testing"
)

// labels are those of the keys that somebody sees of an account, by key.
func labels(p *person, path string) map[string]string {
	p.t.Helper()
	out := map[string]string{}
	for _, k := range p.get(path).reply().list() {
		if k.has("label") {
			out[k.text("api_key")] = k.text("label")
		}
	}
	return out
}

func TestKeyHasALabelThatARotationKeeps(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	issued := c.alice.post("/v2/user/me/key", fields{"label": " \u200bWall display, ward 3\n"}).reply()
	issued.wantFields(fields{"label": "Wall display, ward 3"})
	display := c.alice.withKey(issued)
	c.alice.post("/v2/user/me/key", fields{"label": " "}).reply().wantFields(fields{}, "label")
	want := func(label string) {
		t.Helper()
		got := labels(c.alice, "/v2/user/me/key")
		if got[display.key] != label || label == "" && len(got) != 0 || label != "" && len(got) != 1 {
			t.Errorf("the labels are %q, want %q", got, label)
		}
	}
	want("Wall display, ward 3")
	display = display.withKey(display.post("/v2/user/me/key/"+display.key+"/rotate", fields{"grace": 0}).reply())
	want("Wall display, ward 3")
	// With any key of the account, also the one that it is about.
	path := "/v2/user/me/key/" + display.key
	display.post(path, fields{"label": "Anzeige für Station 3"}).want(204)
	want("Anzeige für Station 3")
	c.alice.do("POST", path, form("label", "Display 3")).want(204)
	want("Display 3")
	// A call without it changes limits, if anything.
	c.alice.post(path, fields{"label": nil}).wantError(403, "administrative_key_required")
	want("Display 3")
	c.alice.post(path, fields{"label": ""}).want(204)
	want("")
	c.alice.wantEvents() // what one does oneself one is not told

	long := strings.Repeat("ü", 100)
	c.alice.post(path, fields{"label": long}).want(204)
	want(long)
	for _, bad := range []string{long + "ü", "two\nlines", "a\u007fb"} {
		c.alice.post(path, fields{"label": bad}).wantError(400, "label_invalid").wantField("label")
		c.alice.post("/v2/user/me/key", fields{"label": bad}).wantError(400, "label_invalid").wantField("label")
	}
	for _, bad := range []any{7, []string{"x"}, fields{}} {
		c.alice.post(path, fields{"label": bad}).want(400).wantField("label")
	}
	want(long)
	c.alice.post("/v2/user/me/key/"+c.bob.key, fields{"label": "x"}).wantMissing()
}

// A label is changed by whoever may revoke the key, and its account is told.
func TestLabelOfAKeyIsChangedByWhoManagesIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	path := c.alice.path("/key/" + c.alice.key)
	c.bob.post(path, fields{"label": "x"}).wantError(403, "administrative_key_required")
	admin.post(path, fields{"label": "Alice's phone"}).want(204)
	c.alice.wantEvents("account:settings")
	if got := labels(c.alice, "/v2/user/me/key"); got[c.alice.key] != "Alice's phone" {
		t.Errorf("the labels are %q", got)
	}
	c.operator.get("/v2/organization/"+c.org+"/key?account=alice").reply().at("results", 0).
		wantFields(fields{"api_key": c.alice.key, "label": "Alice's phone"})

	// With limits it is one change, which takes an operator.
	both := fields{"label": "Relay", "messages_per_day": 5}
	admin.post(path, both).wantError(403, "operator_required")
	if got := labels(c.alice, "/v2/user/me/key"); got[c.alice.key] != "Alice's phone" {
		t.Errorf("after a refusal the labels are %q", got)
	}
	c.operator.post(path, both).want(204)
	c.alice.get("/v2/user/me/key").reply().at(0).wantFields(fields{"label": "Relay", "messages_per_day": 5})

	lines := c.operator.get("/v2/organization/" + c.org + "/audit?action=key.label,key.limit").reply().list()
	for i, want := range []fields{
		{"action": "key.limit", "outcome": "ok", "detail": "messages_per_day=5 requests_per_second=default label=set"},
		{"action": "key.limit", "outcome": "operator_required"},
		{"action": "key.label", "outcome": "ok", "detail": "label=set", "account": admin.token, "on_account": c.alice.token,
			"on_key": c.alice.key},
		{"action": "key.label", "outcome": "administrative_key_required", "account": c.bob.token},
	} {
		lines[i].wantFields(want)
	}
	// A secret that was replaced changes none.
	old := c.alice
	c.alice.post("/v2/user/me/key/"+c.alice.key+"/rotate", nil).reply()
	old.post("/v2/user/me/key/"+old.key, fields{"label": "Mine"}).wantError(403, "secret_replaced")
}
