package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// The answers below are written as the contract has them, and what the client
// makes of them is compared as JSON: a field that gets lost shows.
const (
	userJSON = `{"token":"u1","xmlns":"tigertext:entity:account","display_name":"Ann","first_name":"Ann","last_name":"B","username":"ann",
		"avatar":"","status":"busy","dnd":true,"dnd_text":"x","emails":[{"address":"ann@example.com","verified":true}],
		"phones":[{"number":"+4915112345678","verified":false}],"created_time":"2026-11-21T08:15:30.123Z",
		"title":"Nurse","department":"Ward 3","organization_key":"o1","organization_token":"o1"}`
	groupJSON = `{"token":"g1","xmlns":"tigertext:entity:group","name":"G","display_name":"G","description":"d","avatar":"","organization_key":"o1",
		"members":["u1","u2"],"num_members":2,"created_by":"u1","created_time":"2026-11-21T08:15:30.123Z","replay_history":true,"is_public":false}`
	messageJSON = `{"message_id":"m1","client_id":"m1","sender_token":"u1","sender_organization":"o1","recipient_token":"g1","group_token":"g1",
		"recipient_organization":"o1","body":"hi <b>","created_time":"2026-11-21T08:15:30.123Z","expires_time":"2026-11-22T08:15:30.123Z","ttl":1440,
		"dor":true,"status":"Delivered","priority":1,"sort_number":7,"attachments":[{"attachment_id":1,"name":"a.png","content-type":"image/png","size":9}],
		"attachment_name":"a.png","data":[{"mimetype":"application/json","namespace":"ns","payload":"{\"k\":1}"}],
		"is_forwarded":true,"original_sender":"u9","original_timestamp":"2026-11-20T08:15:30.123Z"}`
	refusalJSON = `{"status":400,"code":"address_taken","message":"Taken.","field":"username","request_id":"r1"}`
	refusedJSON = `{"index":1,"status":400,"error":` + refusalJSON + `,"errors":[` + refusalJSON + `],"same_as":0,
		"existing":{"user":` + userJSON + `,"member":true,"differs":["title"]}}`
	organizationJSON = `{"token":"o1","name":"N","members":3,"ttl":43200,"dor":false,"pending":false,"paid":true,"settings":[{"name":"ttl","value":43200},{"name":"color","value":"red"}]}`
	keyJSON          = `{"api_key":"k1","kind":"regular","created_time":"2026-11-21T08:15:30.123Z","last_used_time":"2026-11-21T09:15:30.123Z","last_used_address":"192.0.2.7","expires_time":"2026-11-22T08:15:30.123Z","issued_by":"u2","allowed_networks":["192.0.2.0/24"],"label":"Ward 3","device":"Firefox on Linux","session":true}`
	statusJSON       = `{"client_id":"m1","is_recalled":false,"statuses":[{"account_id":"u2","status":"Read","timestamp":"2026-11-21T08:15:30.123Z"}]}`
	eventsJSON       = `[{"event_id":"e1","event":{"tigertext:iq:message":{"message_id":"m1"}}}]`
	issuedJSON       = `{"api_key":"k1","api_secret":"s1","kind":"administrative","created_time":"2026-11-21T08:15:30.123Z","expires_time":"2026-11-22T08:15:30.123Z","label":"Lab","allowed_networks":["192.0.2.0/24"]}`
	muteJSON         = `{"sender_type":"account","sender_token":"u2","organization_id":"o1","caller_organization":"o1","mute_duration":60,"mute_start":1795248930}`
	rolesJSON        = `[{"organization_id":"o1","roles":[],"pending_roles":["admin"]}]`
	pageJSON         = `{"results":[{"type":"tigertext:entity:account","organization_id":"o1","entity":` + userJSON + `},
		{"type":"tigertext:entity:group","organization_id":"o1","entity":` + groupJSON +
		`}],"metadata":{"total_hits":2,"first_hit":0,"continuation":"c1"}}`
)

var rosterJSON = `[` + strings.Replace(userJSON, `{`,
	`{"type":"tigertext:entity:account","organization_id":"o1","last_message_time":"2026-11-21T08:15:30.123Z","unread_count":4,"muted":true,"metadata":{"a":"1"},`, 1) + `]`

// call is a method of the client, what it must send, and what it is answered.
type call struct {
	name    string
	do      func(context.Context, *Client) (any, error)
	request string   // method, path and query
	headers []string // "Name: value"
	body    string   // JSON; empty: none
	answer  http.HandlerFunc
	want    string // of what do returned, as JSON; empty: not compared
}

// nothing makes a method without result fit a call.
func nothing(f func(context.Context, *Client) error) func(context.Context, *Client) (any, error) {
	return func(ctx context.Context, c *Client) (any, error) { return nil, f(ctx, c) }
}

func replies(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { success(w, text) }
}

var noContent = answer(http.StatusNoContent)

var calls = []call{
	{name: "Self", request: "GET /v2/user", answer: replies(userJSON), want: userJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Self(ctx) }},
	{name: "User", request: "GET /v2/user/a%2Fb+c@d%3F", answer: replies(userJSON), want: userJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.User(ctx, "a/b+c@d?") }},
	{name: "UserWithMetadata", request: "GET /v2/user/u1?render_metadata=true", answer: replies(userJSON), want: userJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.UserWithMetadata(ctx, "u1") }},
	{name: "LookupUser", request: "GET /v2/user_lookup/ann@example.com", answer: replies(userJSON), want: userJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.LookupUser(ctx, "ann@example.com") }},
	{name: "CreateUser", request: "POST /v2/user", headers: []string{"TT-X-Organization-Key: o1"},
		body:   `{"first_name":"Ann","emails":["ann@example.com"],"issue_key":true}`,
		answer: replies(strings.Replace(userJSON, "{", `{"api_key":"k","api_secret":"s",`, 1)),
		want:   strings.Replace(userJSON, "{", `{"api_key":"k","api_secret":"s",`, 1),
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateUser(ctx, "o1", NewUser{FirstName: "Ann", Emails: []string{"ann@example.com"}, IssueKey: true})
		}},
	{name: "UpdateProfile", request: "POST /v2/user/me/settings", body: `{"status":"","dnd":true}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error {
			return c.UpdateProfile(ctx, Profile{Status: new(""), DND: new(true)})
		})},
	{name: "SetPassword", request: "POST /v2/user/u1/password", body: `{"old_password":"a","password":"b"}`,
		answer: noContent,
		do:     nothing(func(ctx context.Context, c *Client) error { return c.SetPassword(ctx, "u1", "a", "b") })},

	{name: "CreateGroup", request: "POST /v2/group?exclude_creator=true&render_entity=true",
		body: `{"name":"G","members":["u1"],"metadata":{"a":"1"}}`, answer: replies(groupJSON), want: groupJSON,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateGroup(ctx,
				NewGroup{Name: "G", Members: []string{"u1"}, Metadata: Metadata{"a": "1"}, ExcludeCreator: true})
		}},
	{name: "Group", request: "GET /v2/group/g1", answer: replies(groupJSON), want: groupJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Group(ctx, "g1") }},
	{name: "UpdateGroup", request: "POST /v2/group/g1", body: `{"name":"H","members":[]}`,
		answer: answer(204, "TT-X-Group-Avatar: http://a"), want: `"http://a"`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.UpdateGroup(ctx, "g1", GroupUpdate{Name: new("H"), Members: &[]string{}})
		}},
	{name: "DeleteGroup", request: "DELETE /v2/group/g1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.DeleteGroup(ctx, "g1") })},
	{name: "Members", request: "GET /v2/group/g1/members", answer: replies(`[` + userJSON + `]`),
		want: `[` + userJSON + `]`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.Members(ctx, "g1") }},
	{name: "AddMembers", request: "POST /v2/group/g1/members", body: `{"members":["u1","u2"]}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.AddMembers(ctx, "g1", "u1", "u2") })},
	{name: "RemoveMembers", request: "POST /v2/group/g1/members/remove", body: `{"members":["u1"]}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RemoveMembers(ctx, "g1", "u1") })},
	{name: "CreateRoleGroup", request: "POST /v2/role_group",
		body:   `{"name":"R","created_by":"u1","members":["u2"],"replay_history":true}`,
		answer: replies(`{"token":"g2"}`), want: `"g2"`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateRoleGroup(ctx, NewRoleGroup{Name: "R", CreatedBy: "u1", Members: []string{"u2"}, ReplayHistory: true})
		}},

	{name: "Send", request: "POST /v2/message", headers: []string{"Request-ID: r1"},
		body: `{"recipient":"bob@example.com","body":"a <b> & ü","data":[{"mimetype":"m","namespace":"n","payload":"p"}],"ttl":-1,"dor":false,"priority":1,
			"sender_organization":"o1","recipient_organization":"o1"}`,
		answer: answer(204, "TT-X-Message-Id: m1", "TT-X-Msg-Ttl: -1"),
		want:   `{"message_id":"m1","ttl":-1,"request_id":"r1","repeated":false}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Send(ctx, Outgoing{Recipient: "bob@example.com", Body: "a <b> & ü", Data: []DataItem{{"m", "n", "p"}},
				TTL: Forever, DOR: new(false), Priority: PriorityHigh, Organization: "o1", RequestID: "r1"})
		}},
	{name: "Send in full", request: "POST /v2/message?response_format=message", headers: []string{"Request-ID: r1"},
		body: `{"recipient":"bob","body":"x"}`,
		answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("TT-X-Message-Id", "m1")
			w.Header().Set("TT-X-Msg-Ttl", "1440")
			success(w, messageJSON)
		},
		want: `{"message_id":"m1","ttl":1440,"request_id":"r1","repeated":false,"message":` + messageJSON + `}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Send(ctx, Outgoing{Recipient: "bob", Body: "x", RequestID: "r1", Full: true})
		}},
	{name: "Send again", request: "POST /v2/message?response_format=message", headers: []string{"Request-ID: r1"},
		body: `{"recipient":"bob","body":"x"}`, answer: answer(304, "TT-X-Message-Id: m1", "TT-X-Msg-Ttl: 5"),
		want: `{"message_id":"m1","ttl":5,"request_id":"r1","repeated":true}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Send(ctx, Outgoing{Recipient: "bob", Body: "x", RequestID: "r1", Full: true})
		}},
	{name: "Forward", request: "POST /v2/message/m1/forward", headers: []string{"Request-ID: r2"},
		body: `{"recipient":"u2","priority":1}`, answer: answer(204, "TT-X-Message-Id: m2", "TT-X-Msg-Ttl: 5"),
		want: `{"message_id":"m2","ttl":5,"request_id":"r2","repeated":false}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Forward(ctx, "m1", Forwarding{Recipient: "u2", Priority: PriorityHigh, RequestID: "r2"})
		}},
	{name: "Message", request: "GET /v2/message/m1", answer: replies(messageJSON), want: messageJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Message(ctx, "m1") }},
	{name: "Recall", request: "DELETE /v2/message/m1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.Recall(ctx, "m1") })},
	{name: "RecallFor", request: "DELETE /v2/organization/o1/message/m1", body: `{"reason":"wrong ward"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RecallFor(ctx, "o1", "m1", "wrong ward") })},
	{name: "StartTyping", request: "POST /v2/message/typing", body: `{"recipient":"u2"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.StartTyping(ctx, "u2") })},
	{name: "StopTyping", request: "DELETE /v2/message/typing/u2", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.StopTyping(ctx, "u2") })},
	{name: "MessageStatus", request: "GET /v2/message/m1/status", answer: replies(statusJSON), want: statusJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.MessageStatus(ctx, "m1") }},
	{name: "BulkMessageStatus", request: "POST /v2/get_bulk_message_status", body: `{"messages":["m1"]}`,
		answer: replies(`{"bulk_message_statuses":[` + statusJSON + `]}`), want: `[` + statusJSON + `]`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.BulkMessageStatus(ctx, "m1") }},
	{name: "MarkDelivered", request: "POST /v2/message/status", body: `{"delivered":["m1"]}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.MarkDelivered(ctx, "m1") })},
	{name: "MarkRead", request: "POST /v2/message/status", body: `{"read":["m1","m2"]}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.MarkRead(ctx, "m1", "m2") })},

	{name: "Poll", request: "GET /v2/events?after=e0&auto_ack=true&limit=5&wait=60", answer: replies(eventsJSON),
		want: eventsJSON,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Poll(ctx, PollOptions{Limit: 5, After: "e0", Wait: time.Minute, AutoAck: true})
		}},
	{name: "Poll plainly", request: "GET /v2/events", answer: replies(eventsJSON), want: eventsJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Poll(ctx, PollOptions{}) }},
	{name: "Ack", request: "POST /v2/events/ack", body: `{"events":["e1","e2"]}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.Ack(ctx, "e1", "e2") })},
	{name: "DeleteEvents", request: "DELETE /v2/events", answer: replies(`{"count":2,"deleted":9}`),
		want: `{"count":2,"deleted":9}`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.DeleteEvents(ctx, false) }},
	{name: "DeleteEvents, connections only", request: "DELETE /v2/events?connections_only=true",
		answer: replies(`{"count":2,"deleted":0}`),
		want:   `{"count":2,"deleted":0}`,
		do:     func(ctx context.Context, c *Client) (any, error) { return c.DeleteEvents(ctx, true) }},

	{name: "CreateOrganization", request: "POST /v2/organization",
		body:   `{"name":"N","max_ttl":60,"forward":false,"color":"red"}`,
		answer: answer(204, "TT-X-Organization-Key: o1"), want: `"o1"`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateOrganization(ctx, "N",
				OrganizationSettings{MaxTTL: new(60), Forward: new(false), Other: map[string]any{"color": "red"}})
		}},
	{name: "UpdateOrganization", request: "POST /v2/organization/o1", body: `{"dor":true}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error {
			return c.UpdateOrganization(ctx, "o1", OrganizationSettings{DOR: new(true)})
		})},
	{name: "Organization", request: "GET /v2/organization/o1", answer: replies(administeredJSON), want: administeredJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Organization(ctx, "o1") }},
	{name: "DeleteOrganization", request: "DELETE /v2/organization/o1", body: `{"name":"N"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.DeleteOrganization(ctx, "o1", "N") })},
	{name: "UserOrganizations", request: "GET /v2/user/u1/organization", answer: replies(`[` + organizationJSON + `]`),
		want: `[` + organizationJSON + `]`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.UserOrganizations(ctx, "u1") }},
	{name: "UserOrganization", request: "GET /v2/user/u1/organization/o1", answer: replies(organizationJSON),
		want: organizationJSON,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.UserOrganization(ctx, "u1", "o1") }},
	{name: "AddToOrganization", request: "POST /v2/user/u1/organization", body: `{"organization":"o1","title":"T"}`,
		answer: replies(`{"state":"pending"}`), want: `true`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.AddToOrganization(ctx, "u1", "o1", Membership{Title: "T"})
		}},
	{name: "RemoveFromOrganization", request: "DELETE /v2/user/u1/organization/o1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RemoveFromOrganization(ctx, "u1", "o1") })},
	{name: "Roles", request: "GET /v2/user/u1/organization/o1/roles",
		answer: replies(`{"roles":[{"organization":{"organization_id":"o1","roles":[],"pending_roles":["admin"]}}]}`),
		want:   rolesJSON,
		do:     func(ctx context.Context, c *Client) (any, error) { return c.Roles(ctx, "u1", "o1") }},
	{name: "GrantRole", request: "POST /v2/user/u1/organization/o1/roles/help_desk", answer: noContent, want: `false`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.GrantRole(ctx, "u1", "o1", "help_desk") }},
	{name: "GrantRole to oneself", request: "POST /v2/user/me/organization/o1/roles/admin",
		answer: replies(`{"state":"pending"}`), want: `true`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.GrantRole(ctx, "me", "o1", RoleAdmin) }},
	{name: "RevokeRole", request: "DELETE /v2/user/u1/organization/o1/roles/admin", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RevokeRole(ctx, "u1", "o1", RoleAdmin) })},

	{name: "EraseUser", request: "DELETE /v2/user/u1", body: `{"username":"ann"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.EraseUser(ctx, "u1", "ann") })},
	{name: "CreateUsers", request: "POST /v2/user/bulk",
		body:   `{"users":[{"username":"bob"},{"username":"bob","issue_key":true}],"dry_run":true}`,
		answer: replies(`{"results":[{"index":0,"status":200,"repeated":true},` + refusedJSON + `]}`),
		want:   `[{"index":0,"status":200,"repeated":true},` + refusedJSON + `]`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateUsers(ctx, "o1", NewUsers{Users: []NewUser{{Username: "bob"}, {Username: "bob", IssueKey: true}},
				DryRun: true, RequestID: "r1"})
		}},
	{name: "ExportUser", request: "GET /v2/user/u1/export", want: `"PK: the archive"`,
		answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "PK: the archive") },
		do: func(ctx context.Context, c *Client) (any, error) {
			var b strings.Builder
			size, err := c.ExportUser(ctx, "u1", &b)
			if size != int64(b.Len()) {
				return size, err
			}
			return b.String(), err
		}},
	{name: "DisableUser", request: "POST /v2/user/u1/disable", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.DisableUser(ctx, "u1") })},
	{name: "EnableUser", request: "POST /v2/user/u1/enable", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.EnableUser(ctx, "u1") })},
	{name: "CreateKey", request: "POST /v2/user/u1/key",
		body:   `{"kind":"administrative","label":"Lab","expires_in":91,"password":"p","messages_per_day":0,"allowed_networks":["192.0.2.0/24"]}`,
		answer: replies(issuedJSON), want: issuedJSON,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateKey(ctx, "u1",
				NewKey{Kind: AdministrativeKey, Label: "Lab", ExpiresIn: 90*time.Second + 1, Password: "p", MessagesPerDay: new(0),
					AllowedNetworks: []string{"192.0.2.0/24"}})
		}},
	{name: "Keys", request: "GET /v2/user/u1/key", answer: replies(`[` + keyJSON + `]`), want: `[` + keyJSON + `]`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Keys(ctx, "u1") }},
	{name: "RevokeKey", request: "DELETE /v2/user/u1/key/k1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.RevokeKey(ctx, "u1", "k1") })},
	{name: "RotateKey", request: "POST /v2/user/u1/key/k1/rotate", body: `{"grace":0}`,
		answer: replies(`{"api_key":"k1","api_secret":"s2"}`), want: `{"api_key":"k1","api_secret":"s2"}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.RotateKey(ctx, "u1", "k1", Rotation{Grace: new(time.Duration(0))})
		}},

	{name: "LabelKey", request: "POST /v2/user/u1/key/k1", body: `{"label":""}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.LabelKey(ctx, "u1", "k1", "") })},
	{name: "LimitKey", request: "POST /v2/user/u1/key/k1", body: `{"messages_per_day":"5000","requests_per_second":"default"}`,
		answer: noContent, do: nothing(func(ctx context.Context, c *Client) error {
			return c.LimitKey(ctx, "u1", "k1", KeyLimits{MessagesPerDay: "5000", RequestsPerSecond: DefaultLimit})
		})},

	{name: "Brand", request: "GET /v2/brand", answer: replies(`{"name":"St. Elsewhere","logo":true}`),
		want: `{"name":"St. Elsewhere","logo":true}`,
		do:   func(ctx context.Context, c *Client) (any, error) { return c.Brand(ctx) }},
	{name: "Metadata", request: "GET /v2/metadata/u1", answer: replies(`{"a":"1"}`), want: `{"a":"1"}`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Metadata(ctx, "u1") }},
	{name: "SetMetadata", request: "POST /v2/metadata/u1", body: `{}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.SetMetadata(ctx, "u1", nil) })},
	{name: "DeleteMetadata", request: "DELETE /v2/metadata/u1", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.DeleteMetadata(ctx, "u1") })},
	{name: "MetadataOf", request: "POST /v2/metadata_bulk", body: `{"entities":["u1","g1"]}`,
		answer: replies(`[{"a":"1"},{}]`), want: `[{"a":"1"},{}]`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.MetadataOf(ctx, "u1", "g1") }},

	{name: "Roster", request: "GET /v2/roster", answer: replies(rosterJSON), want: rosterJSON,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Roster(ctx) }},
	{name: "RosterWithMetadata", request: "GET /v2/roster?render_metadata=true", answer: replies(`[]`), want: `[]`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.RosterWithMetadata(ctx) }},
	{name: "AddToRoster", request: "POST /v2/roster", body: `{"entity":"u2","type":"tigertext:entity:account"}`,
		answer: noContent,
		do:     nothing(func(ctx context.Context, c *Client) error { return c.AddToRoster(ctx, "u2", KindAccount) })},
	{name: "RemoveFromRoster", request: "DELETE /v2/roster/g1", headers: []string{"TT-X-Type: tigertext:entity:group"},
		answer: noContent,
		do:     nothing(func(ctx context.Context, c *Client) error { return c.RemoveFromRoster(ctx, "g1", KindGroup) })},

	{name: "Search", request: "POST /v2/search", answer: replies(pageJSON), want: pageJSON,
		body: `{"type":["account"],"directory":["o1"],"bool":{"must":[{"display_name":"bo"}],"must_not":[{"any":"x"}]},"sort":["-display_name"],
			"page_size":10,"continuation":"c0","results_format":"entities","return_fields":["token"],"render_metadata":true,"include_disabled":true,"include_total":true}`,
		do: func(ctx context.Context, c *Client) (any, error) {
			return c.Search(ctx, Search{Types: []EntityKind{KindAccount}, Directory: []string{"o1"},
				Must:    []Criterion{{"display_name", "bo"}},
				MustNot: []Criterion{{"any", "x"}}, Sort: []string{"-display_name"}, PageSize: 10, Continuation: "c0",
				ReturnFields:   []string{"token"},
				RenderMetadata: true, IncludeDisabled: true, IncludeTotal: true})
		}},
	{name: "SearchTokens", request: "POST /v2/search",
		body:   `{"type":["account","group"],"bool":{},"results_format":"tokens","include_disabled":false}`,
		answer: replies(`{"results":["u1"],"metadata":{"total_hits":1,"first_hit":0}}`),
		want:   `{"results":["u1"],"metadata":{"total_hits":1,"first_hit":0}}`,
		do:     func(ctx context.Context, c *Client) (any, error) { return c.SearchTokens(ctx, Search{}) }},
	{name: "Unread", request: "GET /v2/user/me/message/unread_count",
		answer: replies(`{"unread_count":3,"unread_priority_count":1}`),
		want:   `{"unread_count":3,"unread_priority_count":1}`,
		do:     func(ctx context.Context, c *Client) (any, error) { return c.Unread(ctx, "me") }},
	{name: "UnreadIn", request: "GET /v2/user/me/organization/o1/message/unread_count",
		answer: replies(`{"unread_count":3,"unread_priority_count":1}`),
		want:   `{"unread_count":3,"unread_priority_count":1}`,
		do:     func(ctx context.Context, c *Client) (any, error) { return c.UnreadIn(ctx, "me", "o1") }},

	{name: "Mutes", request: "GET /v2/mute", answer: replies(`[` + muteJSON + `]`), want: `[` + muteJSON + `]`,
		do: func(ctx context.Context, c *Client) (any, error) { return c.Mutes(ctx) }},
	{name: "MuteUser", request: "POST /v2/mute/p2p", answer: noContent,
		body: `{"sender_token":"u2","sender_organization":"o1","receiver_organization":"o1","duration":"60"}`,
		do: nothing(func(ctx context.Context, c *Client) error {
			return c.MuteUser(ctx, "u2", "o1", 59*time.Minute+time.Second)
		})},
	{name: "UnmuteUser", request: "DELETE /v2/mute/p2p",
		body: `{"sender_token":"u2","sender_organization":"o1","receiver_organization":"o1"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.UnmuteUser(ctx, "u2", "o1") })},
	{name: "MuteGroup", request: "POST /v2/mute/group/g1", body: `{"receiver_organization":"o1","duration":"1"}`,
		answer: noContent,
		do:     nothing(func(ctx context.Context, c *Client) error { return c.MuteGroup(ctx, "g1", "o1", time.Minute) })},
	{name: "UnmuteGroup", request: "DELETE /v2/mute/group/g1", body: `{"receiver_organization":"o1"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.UnmuteGroup(ctx, "g1", "o1") })},
	{name: "MuteOrganization", request: "POST /v2/mute/organization/o1",
		body: `{"receiver_organization":"o1","duration":"1440"}`, answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.MuteOrganization(ctx, "o1", 24*time.Hour) })},
	{name: "UnmuteOrganization", request: "DELETE /v2/mute/organization/o1", body: `{"receiver_organization":"o1"}`,
		answer: noContent,
		do:     nothing(func(ctx context.Context, c *Client) error { return c.UnmuteOrganization(ctx, "o1") })},
	{name: "UnmuteAll", request: "DELETE /v2/mute", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.UnmuteAll(ctx) })},

	{name: "SignOut", request: "POST /v2/logout", answer: noContent,
		do: nothing(func(ctx context.Context, c *Client) error { return c.SignOut(ctx) })},
	{name: "Ready", request: "GET /readyz", answer: answer(http.StatusOK),
		do: nothing(func(ctx context.Context, c *Client) error { return c.Ready(ctx) })},
}

func TestCalls(t *testing.T) {
	for _, tt := range slices.Concat(calls, consoleCalls, pushCalls, webhookCalls, passkeyCalls,
		escalationCalls, identityCalls) {
		t.Run(tt.name, func(t *testing.T) {
			var got *http.Request
			var body []byte
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				tt.answer(w, r)
			}, WithRetry(NoRetry()))
			result, err := tt.do(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if line := got.Method + " " + got.RequestURI; line != tt.request {
				t.Errorf("request: got %s, want %s", line, tt.request)
			}
			for _, h := range tt.headers {
				name, value, _ := strings.Cut(h, ": ")
				if got.Header.Get(name) != value {
					t.Errorf("header %s: got %q, want %q", name, got.Header.Get(name), value)
				}
			}
			if tt.body == "" {
				if len(body) > 0 || got.Header.Get("Content-Type") != "" {
					t.Errorf("body: got %q of %q, want none", body, got.Header.Get("Content-Type"))
				}
			} else {
				wantJSON(t, "body", string(body), tt.body)
				if got.Header.Get("Content-Type") != "application/json" {
					t.Errorf("content type: got %q", got.Header.Get("Content-Type"))
				}
			}
			if tt.want != "" {
				text, err := json.Marshal(result)
				if err != nil {
					t.Fatal(err)
				}
				wantJSON(t, "result", string(text), tt.want)
			}
		})
	}
}

func TestManyIDs_go_in_several_calls(t *testing.T) {
	ids := make([]string, 1001)
	for i := range ids {
		ids[i] = "m"
	}
	s := newScript(t, noContent)
	c := serve(t, s.ServeHTTP)
	if err := c.MarkRead(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	s.wantCalls(3)
	if err := c.Ack(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wantCalls(3)
}

func TestSearchAll_reads_page_after_page(t *testing.T) {
	hit := `{"type":"tigertext:entity:account","organization_id":"o1","entity":{"token":"u"}}`
	s := newScript(t,
		replies(`{"results":[`+hit+`,`+hit+`],"metadata":{"total_hits":3,"first_hit":0,"continuation":"c1"}}`),
		func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), `"continuation":"c1"`) {
				t.Errorf("second page: got %s", body)
			}
			success(w, `{"results":[`+hit+`],"metadata":{"total_hits":3,"first_hit":2}}`)
		})
	c := serve(t, s.ServeHTTP)
	n := 0
	for h, err := range c.SearchAll(t.Context(), Search{}) {
		if err != nil || h.Entity.Token() != "u" || h.Entity.Kind != KindAccount {
			t.Fatalf("hit: got %+v, %v", h, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("got %d hits, want 3", n)
	}
	s.wantCalls(2)
}

func TestSignIn(t *testing.T) {
	const session = `{"user":` + userJSON + `,"auth":{"key":"k","secret":"s","resource":"r"}}`
	for _, tt := range []struct {
		name, product, path, authorization string
	}{
		{"at the root", "", "/v5/login", basic("ann@example.com", "p:w")},
		{"with a product key", "prod", "/v2/login", "XMPP-Simple cHJvZDphbm5AZXhhbXBsZS5jb206cDp3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case tt.path:
					if got := r.Header.Get("Authorization"); got != tt.authorization {
						t.Errorf("authorization: got %q, want %q", got, tt.authorization)
					}
					success(w, session)
				case "/v2/user":
					if r.Header.Get("Authorization") != basic("k", "s") {
						t.Errorf("authorization of the session: got %q", r.Header.Get("Authorization"))
					}
					success(w, userJSON)
				default:
					t.Errorf("path: got %s", r.URL.Path)
				}
			})
			in, got, err := SignIn(t.Context(), c.BaseURL(),
				Login{User: "ann@example.com", Password: "p:w", DeviceID: "d", ProductKey: tt.product})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if got.User.Token != "u1" || got.Auth.Resource != "r" {
				t.Errorf("session: got %+v", got)
			}
			if _, err := in.Self(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMute_until(t *testing.T) {
	m := Mute{MuteStart: 1_795_248_930, MuteDuration: 60}
	if want := time.Unix(1_795_252_530, 0); !m.Until().Equal(want) {
		t.Errorf("got %v, want %v", m.Until(), want)
	}
}

func TestStatus_order(t *testing.T) {
	if !StatusRead.Reached(StatusDelivered) || !StatusNew.Reached(StatusNew) || StatusNew.Reached(StatusDelivered) ||
		StatusRead.Reached(StatusConfirmed) {
		t.Error("want New < Delivered < Read < Confirmed")
	}
}
