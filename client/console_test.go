package client

import (
	"context"
	"strings"
	"testing"
	"time"
)

// listing is a page of one entry that is not the last.
func listing(entry string) string {
	return `{"results":[` + entry + `],"metadata":{"continuation":"c2"}}`
}

// with adds fields to an object.
func with(object, fields string) string { return strings.Replace(object, "{", "{"+fields+",", 1) }

var (
	listedOrganization = with(organizationJSON, `"created_time":"2026-11-21T08:15:30.123Z","groups":2,"requests":1,
		"usage":{"messages":3,"attachments":2,"attachment_bytes":1005}`)
	administeredJSON = with(organizationJSON, `"requests":2`)
	memberJSON       = with(userJSON, `"roles":["admin"],"pending_roles":[],"joined_time":"2026-11-21T08:15:30.123Z",
		"last_seen_time":"2026-11-21T08:15:00.001Z","has_keys":true`)
	listedGroup = with(groupJSON, `"last_message_time":"2026-11-21T08:15:30.123Z"`)
	listedKey   = with(keyJSON, `"account_id":"u1","username":"ann","display_name":"Ann"`)
	queueJSON   = `{"account_id":"u1","username":"ann","display_name":"Ann","depth":3,
		"oldest_event_time":"2026-11-21T08:15:30.123Z","last_seen_time":"2026-11-21T08:15:00.001Z","streams":1}`
	undeliveredJSON = `{"message_id":"m1","sender_token":"u1","recipient_token":"g1","group_token":"g1",
		"created_time":"2026-11-21T08:15:30.123Z","expires_time":"2026-11-22T08:15:30.123Z","priority":1,"waiting":2}`
	listedMessageJSON = `{"message_id":"m1","sender_token":"u1","recipient_token":"g1","group_token":"g1",
		"created_time":"2026-11-21T08:15:30.123Z","expires_time":"2026-11-22T08:15:30.123Z","priority":1,"is_recalled":true}`
	installationJSON = `{"time":"2026-11-21T08:15:30.123Z","store":"embedded","data_version":1,"nodes":[{"name":"ward (process 7)",
		"version":"v0.1.0","started_time":"2026-11-21T08:00:00.001Z","heard_time":"2026-11-21T08:15:30.123Z","alive":true,
		"answers":true}],"server":{"name":"ward (process 7)","version":"v0.1.0","commit":"abc",
		"started_time":"2026-11-21T08:00:00.001Z","uptime":930,"ready":false,"reason":"stopping","streams":3,
		"messages":{"sent":1,"copies":2,"delivered":3,"read":4,"expired":5,"recalled":6},
		"transactions":{"retried":1,"busy":2,"unavailable":3},
		"tasks":[{"name":"messages","succeeded_time":"2026-11-21T08:15:30.123Z","failures":1,"late":true}],
		"parts":[{"name":"keyring","up":false,"away_since_time":"2026-11-21T08:15:30.123Z","refused_calls":4}],
		"keys":2,"free_bytes":{"data":9},"certificate_ends_time":"2026-12-21T08:15:30.123Z",
		"warnings":[{"topic":"disk","text":"it is full"}]},"storage":{"database_bytes":4096,"log_bytes":7},
		"sweep":{"waiting":1,"oldest_time":"2026-11-21T08:15:30.123Z"},"pieces":{"waiting":0},
		"queues":{"counted_time":"2026-11-21T08:15:30.123Z","accounts":1,"events":2,"behind_by_age":3,"behind_by_length":4,
		"oldest_event_time":"2026-11-21T08:15:30.123Z"},"backup":{"succeeded_time":"2026-11-21T08:00:00.001Z","age":930,
		"bytes":5,"failed_time":"2026-11-21T08:15:30.123Z"}}`
	settingJSON = `{"key":"limits.burst","value":"7","secret":false,"source":"flag","origin":"flag --limits.burst"}`
	historyJSON = `{"times":["2026-11-21T06:00:00Z","2026-11-21T06:01:00Z"],"series":{"sent":[3,null],
		"read_within_5m":[0.5,0]}}`
	requestJSON = `{"kind":"admin","account":` + userJSON + `,"organization_id":"o1","role":"admin",
		"created_time":"2026-11-21T08:15:30.123Z"}`
)

var consoleCalls = []call{
	{name: "Organizations", request: "GET /v2/organization?continuation=c1&name=cl&page_size=7&render_usage=true",
		answer: replies(listing(listedOrganization)), want: listing(listedOrganization),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Organizations(ctx, OrganizationFilter{"cl", true}, Page{7, "c1"})
		}},
	{name: "OrganizationMembers",
		request: "GET /v2/organization/o1/member?account=bob&disabled=false&idle_days=9&q=an+am&role=admin&without_keys=true",
		answer:  replies(listing(memberJSON)), want: listing(memberJSON),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.OrganizationMembers(ctx, "o1", MemberFilter{"an am", "admin", true, 9, new(false), "bob"}, Page{})
		}},
	{name: "OrganizationGroups", request: "GET /v2/organization/o1/group?page_size=1&q=x",
		answer: replies(listing(listedGroup)), want: listing(listedGroup),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.OrganizationGroups(ctx, "o1", "x", Page{Size: 1})
		}},
	{name: "OpenRequests", request: "GET /v2/organization/o1/request", answer: replies(listing(requestJSON)),
		want: listing(requestJSON),
		do:   func(ctx context.Context, c *Client) (any, error) { return c.OpenRequests(ctx, "o1", Page{}) }},
	{name: "OrganizationKeys",
		request: "GET /v2/organization/o1/key?account=ann&idle_days=3&kind=regular&q=ward&session=false",
		answer:  replies(listing(listedKey)), want: listing(listedKey),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.OrganizationKeys(ctx, "o1", KeyFilter{"ward", RegularKey, new(false), 3, "ann"}, Page{})
		}},
	{name: "OrganizationQueues", request: "GET /v2/organization/o1/queue?older_than=2",
		answer: replies(listing(queueJSON)), want: listing(queueJSON),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.OrganizationQueues(ctx, "o1", 61*time.Second, Page{})
		}},
	{name: "InstallationStatus", request: "GET /v2/status", answer: replies(installationJSON), want: installationJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.InstallationStatus(ctx) }},
	{name: "Settings", request: "GET /v2/settings", answer: replies(`{"results":[` + settingJSON + `]}`),
		want: "[" + settingJSON + "]",
		do:   func(ctx context.Context, c *Client) (any, error) { return c.Settings(ctx) }},
	{name: "AllQueues", request: "GET /v2/queue", answer: replies(listing(queueJSON)), want: listing(queueJSON),
		do: func(ctx context.Context, c *Client) (any, error) { return c.AllQueues(ctx, 0, Page{}) }},
	{name: "Undelivered", request: "GET /v2/organization/o1/undelivered?minutes=30",
		answer: replies(listing(undeliveredJSON)), want: listing(undeliveredJSON),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Undelivered(ctx, "o1", 30*time.Minute, Page{})
		}},
	{name: "OrganizationMessages", request: "GET /v2/organization/o1/message?page_size=9&recipient=g1&sender=ann" +
		"&since=2026-11-21T06%3A00%3A00Z&until=2026-11-21T07%3A00%3A00Z",
		answer: replies(listing(listedMessageJSON)), want: listing(listedMessageJSON),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.OrganizationMessages(ctx, "o1", MessageFilter{Sender: "ann", Recipient: "g1",
				Since: time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC), Until: time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)},
				Page{Size: 9})
		}},
	{name: "OrganizationHistory",
		request: "GET /v2/organization/o1/history?names=sent%2Cactive_people&since=2026-11-21T06%3A00%3A00Z&step=60" +
			"&until=2026-11-21T06%3A02%3A00.5Z",
		answer: replies(historyJSON), want: historyJSON,
		do: func(ctx context.Context, c *Client) (any, error) {
			since := time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
			return c.OrganizationHistory(ctx, "o1", HistoryFilter{[]string{"sent", "active_people"}, since,
				since.Add(2*time.Minute + time.Second/2), time.Minute})
		}},
	{name: "InstallationHistory", request: "GET /v2/status/history", answer: replies(historyJSON), want: historyJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.InstallationHistory(ctx, HistoryFilter{}) }},
	{name: "AllKeys", request: "GET /v2/key", answer: replies(listing(listedKey)), want: listing(listedKey),
		do: func(ctx context.Context, c *Client) (any, error) { return c.AllKeys(ctx, KeyFilter{}, Page{}) }},
}

func TestPagesFollowsAListToItsEnd(t *testing.T) {
	var asked []string
	ask := func(p Page) (*Listing[int], error) {
		asked = append(asked, p.Continuation)
		page := map[string]*Listing[int]{"": {Results: []int{1, 2}}, "a": {}, "b": {Results: []int{3}}}[p.Continuation]
		page.Metadata.Continuation = map[string]string{"": "a", "a": "b"}[p.Continuation]
		return page, nil
	}
	sum := 0
	for n, err := range Pages(ask) {
		if err != nil {
			t.Fatal(err)
		}
		sum = sum*10 + n
	}
	if got := strings.Join(asked, ","); sum != 123 || got != ",a,b" {
		t.Errorf("got %d with %q", sum, got)
	}
}
