package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestOrganizationLists: the lists are read to their end, or as far as is asked for.
func TestOrganizationLists(t *testing.T) {
	page := func(entries ...string) string {
		return `{"results":[` + strings.Join(entries, ",") + `],"metadata":{}}`
	}
	const (
		at  = "2026-11-21T08:15:30.123Z"
		key = `{"api_key":"k1","kind":"regular","created_time":"` + at + `","last_used_time":"` + at +
			`","account_id":"u1","username":"ann","label":"Ward 3","organization":"o1"}`
		idle  = `{"api_key":"k2","kind":"administrative","created_time":"` + at + `","account_id":"u2","username":""}`
		queue = `{"account_id":"u1","username":"ann","display_name":"Ann","depth":2,"oldest_event_time":"` + at + `","streams":1}`
	)
	for _, tt := range []struct{ args, path, answer, want, stdout string }{
		{"org list --administered --name n", "/v2/organization", page(`{"groups":2,"requests":1,` + testOrg[1:]),
			"?name=n&page_size=200", "o1  N  1 member  2 groups  1 request\n"},
		{"org members o1 an --role admin --without-keys --idle-days 9", "/v2/organization/o1/member",
			page(`{"roles":["admin"],"pending_roles":[],"has_keys":false,` + testUser[1:]),
			"?idle_days=9&page_size=200&q=an&role=admin&without_keys=true", "u1  Ann Lee  admin  no keys  seen never\n"},
		{"org members o1 --disabled", "/v2/organization/o1/member",
			page(`{"disabled":true,"roles":[],"pending_roles":[],"has_keys":false,` + testUser[1:]),
			"?disabled=true&page_size=200", "u1  Ann Lee  -  disabled  seen never\n"},
		{"org members o1 --no-disabled --limit 1", "/v2/organization/o1/member",
			page(`{"roles":[],"pending_roles":[],"has_keys":true,` + testUser[1:]),
			"?disabled=false&page_size=200", "u1  Ann Lee  -  keys  seen never\n"},
		{"org members o1 --csv --limit 1", "/v2/organization/o1/member", page(
			`{"roles":["admin"],"pending_roles":[],"has_keys":true,"last_seen_time":"`+at+`","display_name":"=Ann","emails":`+
				`[{"address":"a@b.c"},{"address":"d@e.f"}],"phones":[{"number":"+49301"}]}`,
			`{"disabled":true,"roles":[],"pending_roles":[],"has_keys":true,"username":"bob"}`), "?page_size=200",
			"\ufeffdisplay_name,username,emails,phones,title,department,first_name,last_name,roles,disabled,last_seen\r\n" +
				"'=Ann,,\"a@b.c, d@e.f\",'+49301,,,,,admin,no,2026-11-21T08:15:30Z\r\n,bob,,,,,,,,yes,\r\n"},
		{"org groups o1 ward", "/v2/organization/o1/group", page(testGroup), "?page_size=200&q=ward",
			"g1  G  1 member  last message never\n"},
		{"org requests o1", "/v2/organization/o1/request",
			page(`{"kind":"admin","account":` + testUser + `,"organization_id":"o1","role":"admin","created_time":"` + at + `"}`),
			"?page_size=200", "admin  u1  Ann Lee  o1  made 2026-11-21T08:15:30Z\n"},
		{"org keys o1 --kind regular --idle-days 3 --user ann --no-session --text ward", "/v2/organization/o1/key",
			page(key, idle),
			"?account=ann&idle_days=3&kind=regular&page_size=200&q=ward&session=false",
			"k1  regular         ann  Ward 3  o1  used 2026-11-21T08:15:30Z\n" +
				"k2  administrative  u2   -       -   used never\n"},
		{"org keys --limit 1 --session", "/v2/key", page(idle, key), "?page_size=200&session=true",
			"k2  administrative  u2  -  -  used never\n"},
		{"org queues o1 --older-than 15m", "/v2/organization/o1/queue", page(queue), "?older_than=15&page_size=200",
			"u1  Ann  2 events  since 2026-11-21T08:15:30Z  1 stream\n"},
		{"org queues", "/v2/queue", page(queue), "?page_size=200",
			"u1  Ann  2 events  since 2026-11-21T08:15:30Z  1 stream\n"},
		{"org undelivered o1", "/v2/organization/o1/undelivered", page(`{"message_id":"m1","sender_token":"u1",
			"recipient_token":"u2","created_time":"` + at + `","priority":1}`), "?minutes=15&page_size=200",
			"m1  from u1  to u2  2026-11-21T08:15:30Z  priority 1\n"},
		{"org messages o1 --sender ann --recipient g1 --since 2026-11-21T06:00:00Z --until 2026-11-21T07:00:00Z",
			"/v2/organization/o1/message", page(`{"message_id":"m1","sender_token":"u1","recipient_token":"g1",
			"group_token":"g1","created_time":"`+at+`","priority":1}`, `{"message_id":"m2","sender_token":"u1",
			"recipient_token":"u2","created_time":"`+at+`","priority":0,"is_recalled":true}`),
			"?page_size=200&recipient=g1&sender=ann&since=2026-11-21T06%3A00%3A00Z&until=2026-11-21T07%3A00%3A00Z",
			"m1  from u1  to g1  2026-11-21T08:15:30Z  priority 1\nm2  from u1  to u2  2026-11-21T08:15:30Z  recalled\n"},
		{"org history o1 --names sent,active_people --step day --since 2026-11-20T00:00:00Z", "/v2/organization/o1/history",
			`{"times":["2026-11-20T00:00:00.000Z","2026-11-21T00:00:00.000Z"],"series":{"sent":[12,null],
			"active_people":[0.5,1048576]}}`,
			"?names=sent%2Cactive_people&since=2026-11-20T00%3A00%3A00Z&step=86400",
			"time                  active_people  sent\n2026-11-20T00:00:00Z  0.5            12\n" +
				"2026-11-21T00:00:00Z  1048576        -\n"},
		{"org history", "/v2/status/history", `{"times":[],"series":{"sent":[]}}`, "?step=3600", "time  sent\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			s := newStub(t)
			s.answers["GET "+tt.path] = data(tt.answer)
			var stdout, stderr bytes.Buffer
			if code := Run(t.Context(), strings.Fields(tt.args), s.env(), &stdout, &stderr); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			if got := strings.Join(s.requests(), "\n"); got != "GET "+tt.path+tt.want {
				t.Errorf("requests: got %s, want GET %s%s", got, tt.path, tt.want)
			}
			if stdout.String() != tt.stdout {
				t.Errorf("output:\n got %q\nwant %q", stdout.String(), tt.stdout)
			}
		})
	}
}
