package api_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"signet/internal/model"
)

// The authorization matrix: every route with every kind of caller. What a caller
// may not know exists has to answer, to the byte, as what does not exist.

// targets are what the calls of the matrix are about, by the names of the
// router's parameters.
type targets map[string]string

// matrix is a platform on which each kind of caller is somebody.
type matrix struct {
	*server
	callers                                                     []*person
	stranger, foreign, member, insider, sender, recipient, boss *person
	org                                                         string
	standing                                                    targets
	count                                                       int
}

// callerNames are the columns, in order.
var callerNames = []string{"no credentials", "wrong secret", "revoked key", "stranger of another organization",
	"administrator of another organization",
	"member", "group member", "sender", "recipient", "organization administrator", "operator"}

func startMatrix(t *testing.T, changes ...func(*figures)) *matrix {
	t.Helper()
	m := &matrix{server: start(t, append(changes, approving, branded)...)}
	m.org = m.mustCreateOrganization("Clinic")
	m.boss = m.mustCreateAdmin(m.org, "boss")
	m.boss.delete(m.operator.path("/organization/" + m.org)).want(204) // the operator is in none of these
	elsewhere := m.mustCreateOrganization("Elsewhere")
	m.foreign = m.mustCreateAdmin(elsewhere, "foreign")
	m.stranger = m.foreign.mustCreate(elsewhere, "stranger")
	m.foreign.delete(m.operator.path("/organization/" + elsewhere)).want(204)
	m.member, m.insider = m.boss.mustCreate(m.org, "member"), m.boss.mustCreate(m.org, "insider")
	m.sender, m.recipient = m.boss.mustCreate(m.org, "sender"), m.boss.mustCreate(m.org, "recipient")

	revoked := m.member.withKey(m.member.post("/v2/user/me/key", nil).reply())
	m.member.delete("/v2/user/me/key/" + revoked.key).want(204)
	m.callers = []*person{m.anyone(), m.member.with(m.member.key, "wrong"), revoked, m.stranger, m.foreign, m.member,
		m.insider, m.sender, m.recipient, m.boss, m.operator}

	m.recipient.do("POST", "/v2/user/me/settings", parts(nil, file{"avatar", "a.png", "", picture})).want(204)
	avatar := m.recipient.get("/v2/user").reply().text("avatar")
	m.standing = targets{"user": m.recipient.token, "recipient": m.recipient.token, "entity": m.recipient.token,
		"sender":       m.sender.token,
		"organization": m.org, "key": m.recipient.key, "number": "1", "role": "reporting",
		"provider": m.org, "test": "x",
		"id": avatar[strings.LastIndexByte(avatar, '/')+1:]}
	maps.Copy(m.standing, m.newWebhook())
	maps.Copy(m.standing, m.newPasskey())
	maps.Copy(m.standing, m.newMessage())
	maps.Copy(m.standing, m.newGroup())
	return m
}

// newMessage makes a message from the sender to the recipient.
func (m *matrix) newMessage() targets {
	return targets{"message": m.sender.mustAttach(m.recipient.token, "a.txt", "text/plain", []byte("x"))}
}

// newGroup makes a private group of the sender and the group member.
func (m *matrix) newGroup() targets {
	return targets{"group": m.sender.mustCreateGroup("G", m.insider)}
}

// newGroupMessage makes a message to that group.
func (m *matrix) newGroupMessage() targets {
	return targets{"message": m.sender.mustAttach(m.standing["group"], "a.txt", "text/plain", []byte("x"))}
}

// newUser makes another account of the organization.
func (m *matrix) newUser() targets {
	m.count++
	name := "user" + number(m.count)
	return targets{"user": m.boss.mustCreate(m.org, name).token, "username": name}
}

// newKey makes another key of the recipient.
func (m *matrix) newKey() targets {
	return targets{"key": m.recipient.post("/v2/user/me/key", nil).reply().text("api_key")}
}

// nowhere is a URL at which nobody answers.
const nowhere = "http://127.0.0.1:1/"

// newOrganization makes an organization of the administrator's.
func (m *matrix) newOrganization() targets {
	return targets{"organization": m.boss.mustCreateOrganization("Doomed")}
}

// newJoinRequest makes another organization ask for the recipient.
func (m *matrix) newJoinRequest() targets {
	m.count++
	asking := m.mustCreateOrganization("Asking")
	m.mustCreateAdmin(asking, "asking"+number(m.count)).post(m.recipient.path("/organization"),
		fields{"organization": asking}).want(200)
	return targets{"organization": asking}
}

// theGroup is the standing group as an entity.
func (m *matrix) theGroup() targets {
	return targets{"entity": m.standing["group"], "recipient": m.standing["group"]}
}

// random stands for a target that does not exist.
func random(name string) string {
	switch name {
	case "organization":
		return randomOrganization()
	case "key":
		return randomToken()[:22]
	default:
		return randomToken()
	}
}

// rule is what the callers get from a route.
type rule struct {
	route  string                   // as the router's table has it
	fresh  func(m *matrix) targets  // what each call gets new, because a call ends it; nil: nothing
	sent   func(x targets) []option // body and headers; nil: none
	names  []string                 // targets that these name besides the path
	told   bool                     // to the organization that created the account, which is another one
	named  bool                     // the member's status is that of whom the target names, and no other member's
	public bool                     // no credentials are needed: want begins with the first column
	idle   bool                     // there is nothing to do, and so nothing for the audit log
	acts   model.AuditAction        // what it is in the audit log by its body; empty: what the route is
	want   string                   // statuses of the columns from the stranger on
}

// all is the statuses of a route that answers every account alike.
func all(status string) string { return strings.TrimSpace(strings.Repeat(status+" ", 8)) }

func sent(f fields) func(targets) []option {
	return func(targets) []option { return []option{jsonBody(f)} }
}

// inOrganization sends a body, and the organization in the header.
func inOrganization(f fields) func(targets) []option {
	return func(x targets) []option { return []option{jsonBody(f), in(x["organization"])} }
}

var organizationNamed = []string{"organization"}

// toRecipient sends a body that names the recipient.
func toRecipient(f fields) func(targets) []option {
	return func(x targets) []option { return []option{jsonBody(merged(f, fields{"recipient": x["recipient"]}))} }
}

// The statuses in the order of the columns: stranger, administrator elsewhere,
// member, group member, sender, recipient, administrator, operator.
const (
	seenUser      = "404 404 200 200 200 200 200 200"
	ownUser       = "404 404 403 403 403 200 200 200"
	ownUserNoBody = "404 404 403 403 403 204 204 204"
	seenGroup     = "404 404 404 200 200 404 200 200"
	changedGroup  = "404 404 404 204 204 404 204 204"
	ownMessage    = "404 404 404 404 200 200 404 404"
	administered  = "403 404 403 403 403 403 204 204"
	answeredJoin  = "403 404 403 403 403 204 204 204"
)

var rules = append([]rule{
	{route: "GET /v2/events", want: all("200")},
	{route: "DELETE /v2/events", want: all("200")},
	{route: "POST /v2/events/ack", sent: sent(fields{"events": []string{"x"}}), want: all("204")},

	{route: "GET /v2/user", want: all("200")},
	{route: "GET /v2/user/:user", want: seenUser},
	{route: "POST /v2/user/:user", fresh: (*matrix).newUser, sent: sent(fields{"emails": []string{}}),
		want: "403 404 403 403 403 403 200 200"},
	{route: "POST /v2/user/:user", fresh: (*matrix).newUser, sent: inOrganization(fields{"title": "T"}),
		names: organizationNamed, want: "403 404 403 403 403 403 200 200"},
	{route: "DELETE /v2/user/:user", fresh: (*matrix).newUser,
		sent: func(x targets) []option { return sent(fields{"username": x["username"]})(x) }, want: administered},
	{route: "POST /v2/user/:user/settings", sent: sent(fields{}), want: "404 404 403 403 403 204 403 403"},
	{route: "POST /v2/user/:user/password", sent: sent(fields{"password": "a new password"}),
		want: "404 404 403 403 403 400 204 204"},
	{route: "GET /v2/user/:user/export", want: ownUser},
	{route: "POST /v2/user/:user/disable", fresh: (*matrix).newUser, want: administered},
	{route: "POST /v2/user/:user/enable", want: administered},
	{route: "GET /v2/user/:user/organization", want: ownUser},
	{route: "GET /v2/user/:user/organization/:organization", want: ownUser},

	{route: "POST /v2/group", sent: inOrganization(fields{"name": "N"}), names: organizationNamed,
		want: "404 404 204 204 204 204 204 204"},
	{route: "GET /v2/group/:group", want: seenGroup},
	{route: "POST /v2/group/:group", sent: sent(fields{"name": "N"}), want: changedGroup},
	{route: "POST /v2/group/:group", sent: sent(fields{"replay_history": true}), fresh: (*matrix).newGroup,
		want: "404 404 404 403 204 404 204 204"},
	{route: "DELETE /v2/group/:group", fresh: (*matrix).newGroup, want: "404 404 404 403 204 404 204 204"},
	{route: "GET /v2/group/:group/members", want: seenGroup},
	{route: "POST /v2/group/:group/members", fresh: (*matrix).newGroup, sent: sent(fields{"members": "member"}),
		want: changedGroup},
	{route: "POST /v2/group/:group/members/remove", fresh: (*matrix).newGroup, sent: sent(fields{"members": "insider"}),
		want: changedGroup},
	{route: "POST /v2/role_group", sent: inOrganization(fields{"name": "N"}), names: organizationNamed, want: seenUser},

	{route: "POST /v2/message", sent: toRecipient(fields{"body": "x"}), names: []string{"recipient"},
		want: "404 404 204 204 204 204 204 404"},
	{route: "POST /v2/message", sent: toRecipient(fields{"body": "x"}), names: []string{"recipient"},
		fresh: (*matrix).theGroup, want: "404 404 404 204 204 404 404 404"},
	{route: "GET /v2/message/:message", want: ownMessage},
	{route: "GET /v2/message/:message", fresh: (*matrix).newGroupMessage, want: "404 404 404 200 200 404 404 404"},
	{route: "DELETE /v2/message/:message", fresh: (*matrix).newMessage, want: "404 404 404 404 204 403 404 404"},
	{route: "DELETE /v2/message/:message", fresh: (*matrix).newGroupMessage, want: "404 404 404 403 204 404 404 404"},
	{route: "GET /v2/message/:message/attachment/:number", want: ownMessage},
	{route: "GET /v2/message/:message/attachment/:number", fresh: (*matrix).newGroupMessage,
		want: "404 404 404 200 200 404 404 404"},
	{route: "GET /v2/message/:message/status", want: ownMessage},
	{route: "GET /v2/message/:message/status", fresh: (*matrix).newGroupMessage, want: "404 404 404 200 200 404 404 404"},
	{route: "POST /v2/message/:message/forward", sent: toRecipient(nil), names: []string{"recipient"},
		want: "404 404 404 404 204 204 404 404"},
	{route: "POST /v2/message/status",
		sent: func(x targets) []option { return sent(fields{"read": []string{x["message"]}})(x) }, want: all("204")},
	{route: "PUT /v2/message/status",
		sent: func(x targets) []option { return sent(fields{"read": []string{x["message"]}})(x) }, want: all("204")},
	{route: "POST /v2/get_bulk_message_status",
		sent: func(x targets) []option { return sent(fields{"messages": []string{x["message"]}})(x) }, want: all("200")},
	{route: "POST /v2/message/typing", sent: toRecipient(nil), names: []string{"recipient"},
		want: "404 404 204 204 204 204 204 404"},
	{route: "POST /v2/message/typing", sent: toRecipient(nil), names: []string{"recipient"}, fresh: (*matrix).theGroup,
		want: "404 404 404 204 204 404 404 404"},
	{route: "DELETE /v2/message/typing/:recipient", want: all("204")},
	{route: "DELETE /v2/message/typing/:recipient/:sender", want: all("204")},

	{route: "GET /v2/metadata/:entity", sent: inOrganization(fields{}), names: organizationNamed, want: seenUser},
	{route: "GET /v2/metadata/:entity", sent: inOrganization(fields{}), names: organizationNamed,
		fresh: (*matrix).theGroup, want: seenGroup},
	{route: "POST /v2/metadata/:entity", sent: inOrganization(fields{"a": "b"}), names: organizationNamed,
		want: ownUserNoBody},
	{route: "POST /v2/metadata/:entity", sent: inOrganization(fields{"a": "b"}), names: organizationNamed,
		fresh: (*matrix).theGroup, want: changedGroup},
	{route: "DELETE /v2/metadata/:entity", sent: inOrganization(fields{}), names: organizationNamed, want: ownUserNoBody},
	{route: "DELETE /v2/metadata/:entity", sent: inOrganization(fields{}), names: organizationNamed,
		fresh: (*matrix).theGroup, want: changedGroup},
	{route: "POST /v2/metadata_bulk", sent: func(x targets) []option {
		return inOrganization(fields{"entities": []string{x["entity"], x["group"]}})(x)
	}, want: all("200")},

	{route: "GET /v2/roster", want: all("200")},
	{route: "POST /v2/roster", sent: func(x targets) []option { return inOrganization(fields{"entity": x["entity"]})(x) },
		names: []string{"entity", "organization"},
		want:  "404 404 204 204 204 204 204 204"},
	{route: "POST /v2/roster", sent: func(x targets) []option { return inOrganization(fields{"entity": x["entity"]})(x) },
		names: []string{"entity", "organization"},
		fresh: (*matrix).theGroup, want: "404 404 404 204 204 404 404 404"},
	{route: "DELETE /v2/roster/:entity", sent: inOrganization(fields{}), names: organizationNamed,
		want: "404 404 204 204 204 204 204 204"},
	{route: "GET /v2/conversation", want: all("200")},
	{route: "GET /v2/conversation", sent: inOrganization(nil), names: organizationNamed,
		want: "404 404 200 200 200 200 200 404"},
	{route: "GET /v2/conversation/:entity/message", want: seenUser},
	{route: "GET /v2/conversation/:entity/message", fresh: (*matrix).theGroup, want: seenGroup},
	{route: "POST /v2/conversation/:entity/read", sent: sent(fields{"up_to": 1}), want: "404 404 204 204 204 204 204 204"},
	{route: "POST /v2/conversation/:entity/read", sent: sent(fields{"up_to": 1}), fresh: (*matrix).theGroup,
		want: changedGroup},
	{route: "POST /v2/conversation/search", sent: sent(fields{"text": "x"}), want: all("200")},
	{route: "POST /v2/conversation/search", sent: inOrganization(fields{"text": "x"}), names: organizationNamed,
		want: "404 404 200 200 200 200 200 404"},
	{route: "POST /v2/conversation/search", sent: func(x targets) []option {
		return sent(fields{"text": "x", "entity": x["entity"]})(x)
	}, names: []string{"entity"}, want: seenUser},
	{route: "POST /v2/conversation/search", sent: func(x targets) []option {
		return sent(fields{"text": "x", "entity": x["entity"]})(x)
	}, names: []string{"entity"}, fresh: (*matrix).theGroup, want: seenGroup},
	{route: "POST /v2/conversation/search", sent: func(x targets) []option {
		return sent(fields{"text": "x", "sender": x["entity"]})(x)
	}, names: []string{"entity"}, want: all("200")},
	{route: "POST /v2/search", sent: sent(fields{"type": "account", "any": "re"}), want: all("200")},
	{route: "POST /v2/search", sent: func(x targets) []option {
		return sent(fields{"type": "account", "directory": []string{x["organization"]}})(x)
	},
		want: "403 403 200 200 200 200 200 403"},
	{route: "GET /v2/user/:user/message/unread_count", want: ownUser},
	{route: "GET /v2/user/:user/organization/:organization/message/unread_count", want: ownUser},

	{route: "GET /v2/mute", want: all("200")},
	{route: "DELETE /v2/mute", want: all("204")},
	{route: "POST /v2/mute/p2p", sent: func(x targets) []option {
		return sent(fields{"sender_token": x["entity"], "receiver_organization": x["organization"], "duration": 5})(x)
	},
		names: []string{"entity", "organization"}, want: "404 404 204 204 204 204 204 204"},
	{route: "DELETE /v2/mute/p2p", sent: func(x targets) []option {
		return sent(fields{"sender_token": x["entity"], "receiver_organization": x["organization"]})(x)
	},
		names: []string{"entity", "organization"}, want: "404 404 204 204 204 204 204 204"},
	{route: "POST /v2/mute/group/:group", sent: sent(fields{"duration": 5}), want: changedGroup},
	{route: "DELETE /v2/mute/group/:group", want: changedGroup},
	{route: "POST /v2/mute/organization/:organization", sent: sent(fields{"duration": 5}),
		want: "404 404 204 204 204 204 204 404"},
	{route: "DELETE /v2/mute/organization/:organization", want: "404 404 204 204 204 204 204 404"},

	{route: "GET /v2/user_lookup/:user", want: "403 200 403 403 403 403 200 200"},
	{route: "POST /v2/user", fresh: func(m *matrix) targets { m.count++; return targets{"name": "new" + number(m.count)} },
		sent: func(x targets) []option { return inOrganization(fields{"username": x["name"]})(x) }, names: organizationNamed,
		want: "403 404 403 403 403 403 200 200"},
	{route: "POST /v2/user/bulk",
		fresh: func(m *matrix) targets { m.count++; return targets{"name": "new" + number(m.count)} },
		sent: func(x targets) []option {
			return inOrganization(fields{"users": []fields{{"username": x["name"]}}})(x)
		}, names: organizationNamed, want: "403 404 403 403 403 403 200 200"},
	{route: "POST /v2/user/:user/organization",
		sent:  func(x targets) []option { return sent(fields{"organization": x["organization"]})(x) },
		names: organizationNamed,
		want:  administered},
	{route: "DELETE /v2/user/:user/organization/:organization", fresh: (*matrix).newUser, want: administered},
	{route: "GET /v2/user/:user/organization/:organization/roles", want: "403 404 403 403 403 200 200 200"},
	{route: "POST /v2/user/:user/organization/:organization/roles/:role", want: administered},
	{route: "POST /v2/user/:user/organization/:organization/roles/:role",
		fresh: func(*matrix) targets { return targets{"role": "admin"} }, want: "403 404 403 403 403 200 204 204"},
	{route: "DELETE /v2/user/:user/organization/:organization/roles/:role", want: administered},
	{route: "POST /v2/organization", sent: sent(fields{"name": "N"}), want: "403 204 403 403 403 403 204 204"},
	{route: "POST /v2/organization/:organization", sent: sent(fields{"name": "Clinic"}), want: administered},
	{route: "GET /v2/organization/:organization", want: "403 404 403 403 403 403 200 200"},
	{route: "DELETE /v2/organization/:organization", fresh: (*matrix).newOrganization,
		sent: sent(fields{"name": "Doomed"}), want: administered},
	{route: "GET /v2/organization/:organization/audit", want: "403 404 403 403 403 403 200 200"},
	{route: "DELETE /v2/organization/:organization/message/:message", fresh: (*matrix).newMessage, want: administered},
	{route: "POST /v2/organization/:organization/hold", fresh: (*matrix).newOrganization,
		want: "403 404 403 403 403 403 403 204"},
	{route: "DELETE /v2/organization/:organization/hold", fresh: (*matrix).newOrganization,
		want: "403 404 403 403 403 403 403 204"},
	{route: "GET /v2/organization", want: "403 200 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/member", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/group", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/request", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/key", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/queue", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/undelivered", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/message", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/organization/:organization/history", want: "403 404 403 403 403 403 200 200"},
	{route: "GET /v2/status/history", want: "403 403 403 403 403 403 403 200"},
	{route: "GET /v2/status", want: "403 403 403 403 403 403 403 200"},
	{route: "GET /v2/settings", want: "403 403 403 403 403 403 403 200"},
	{route: "GET /v2/queue", want: "403 403 403 403 403 403 403 200"},
	{route: "GET /v2/key", want: "403 403 403 403 403 403 403 200"},
	{route: "GET /v2/audit", want: "403 403 403 403 403 403 403 200"},

	{route: "GET /v2/user/:user/key", want: ownUser},
	{route: "POST /v2/user/:user/key", sent: sent(fields{}), want: ownUser},
	{route: "POST /v2/user/:user/key", sent: sent(fields{"kind": "administrative"}),
		want: "404 404 403 403 403 403 200 200"},
	{route: "DELETE /v2/user/:user/key/:key", fresh: (*matrix).newKey, want: ownUserNoBody},
	{route: "POST /v2/user/:user/key/:key/rotate", fresh: (*matrix).newKey, sent: sent(fields{"grace": 0}), want: ownUser},
	{route: "POST /v2/user/:user/key/:key", sent: sent(fields{"requests_per_second": "default"}),
		want: "404 404 403 403 403 403 403 204"},
	{route: "POST /v2/user/:user/key/:key", fresh: (*matrix).newKey, sent: sent(fields{"label": "Ward 3"}),
		acts: model.ActionKeyLabel, want: ownUserNoBody},
	{route: "POST /v2/user/:user/key/:key", fresh: (*matrix).newKey,
		sent: sent(fields{"label": "", "messages_per_day": 5}), want: "404 404 403 403 403 403 403 204"},

	{route: "POST /v2/hook/alertmanager", sent: sent(fields{}), want: all("400")},
	{route: "POST /v2/hook/grafana", sent: sent(fields{}), want: all("400")},

	{route: "GET /v2/avatar/:id", want: seenUser},
	// it takes other credentials
	{route: "POST /v2/login", public: true, want: strings.TrimSpace(strings.Repeat("401 ", 11))},
	{route: "POST /v5/login", public: true, sent: sent(fields{"device_id": "d"}), want: "401 401 401 " + all("200")},
	{route: "POST /v2/logout", want: all("204")},
	{route: "POST /v2/session", public: true, want: "401 401 401 " + all("204")},
	// a key is no session
	{route: "GET /v2/session", public: true, want: "204 401 401 " + all("404")},
	{route: "DELETE /v2/session", want: all("404")},
	{route: "POST /v2/session/elevate", sent: sent(fields{"password": "x"}), want: all("404")},
	{route: "DELETE /v2/session/elevate", want: all("404")},
	// the last, because it makes the recipient a member elsewhere
	{route: "DELETE /v2/user/:user/organization/:organization", fresh: (*matrix).newJoinRequest, told: true,
		want: answeredJoin},
	{route: "POST /v2/user/:user/organization", fresh: (*matrix).newJoinRequest, told: true,
		sent:  func(x targets) []option { return sent(fields{"organization": x["organization"]})(x) },
		names: organizationNamed, want: answeredJoin},
	{route: "GET /v2/brand", public: true, want: strings.TrimSpace(strings.Repeat("200 ", 11))},
	{route: "GET /v2/brand/logo", public: true, want: strings.TrimSpace(strings.Repeat("200 ", 11))},
	{route: "GET /openapi.json", public: true, want: strings.TrimSpace(strings.Repeat("200 ", 11))},
	{route: "GET /openapi-3.0.json", public: true, want: strings.TrimSpace(strings.Repeat("200 ", 11))},
}, slices.Concat(pushRules, passkeyRules, webhookRules, everyoneRules, escalationRules, dutyRules, identityRules)...)

func TestAuthorizationMatrix(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	for _, r := range rules {
		want := strings.Fields(r.want)
		if !r.public {
			want = append([]string{"401", "401", "401"}, want...)
		}
		if len(want) != len(callerNames) {
			t.Fatalf("%s has %d statuses, want one for each of the %d callers", r.route, len(want), len(callerNames))
		}
		for column, status := range want {
			n, err := strconv.Atoi(status)
			if err != nil {
				t.Fatal(err)
			}
			m.check(r, column, n)
		}
	}
}

// check makes one call of the matrix.
func (m *matrix) check(r rule, column, want int) {
	m.t.Helper()
	x := maps.Clone(m.standing)
	if r.fresh != nil {
		maps.Copy(x, r.fresh(m))
	}
	caller := m.callers[column]
	got := r.call(caller, x)
	if got.StatusCode != want {
		m.t.Errorf("%s by %s: got %d %s, want %d", r.route, callerNames[column], got.StatusCode, got.content, want)
	}
	switch got.StatusCode {
	case 401:
		if caller.cookie == "" {
			got.wantHeader("WWW-Authenticate", `Basic realm="signet", charset="UTF-8"`)
		}
	case 404:
		// Whether it is there or not must make no difference, be it one of the
		// targets or all of them that are not.
		names := r.targets()
		everything := maps.Clone(x)
		for _, name := range names {
			one := maps.Clone(x)
			one[name], everything[name] = random(name), random(name)
			wantSameAnswer(got, r.call(caller, one))
		}
		aboutSession := strings.Contains(r.route, " /v2/session") || strings.Contains(r.route, " /v2/user/me/passkey/")
		if len(names) == 0 && !aboutSession {
			m.t.Errorf("%s answers 404 and names nothing", r.route)
		}
		wantSameAnswer(got, r.call(caller, everything))
	}
}

// call sends the request of a rule.
func (r rule) call(caller *person, x targets, more ...option) *answer {
	caller.t.Helper()
	method, path := r.address(x)
	return caller.do(method, path, append(r.options(x), more...)...)
}

// address returns the method of a rule and the path with these targets.
func (r rule) address(x targets) (method, path string) {
	method, pattern, _ := strings.Cut(r.route, " ")
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if name, isParam := strings.CutPrefix(segment, ":"); isParam {
			segments[i] = x[name]
		}
	}
	return method, strings.Join(segments, "/")
}

// options are the body and the headers of a rule.
func (r rule) options(x targets) []option {
	if r.sent == nil {
		return nil
	}
	return r.sent(x)
}

// targets are the names of what the call is about, whose existence may be a secret.
func (r rule) targets() []string {
	names := slices.Clone(r.names)
	for segment := range strings.SplitSeq(r.route, "/") {
		name, isParam := strings.CutPrefix(segment, ":")
		if isParam && !slices.Contains([]string{"number", "role", "sender"}, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// No route is left out of the matrix, and none is in it that is not there.
func TestAuthorizationMatrixHasEveryRoute(t *testing.T) {
	t.Parallel()
	table := start(t).api.Table()
	for _, route := range table {
		if !slices.ContainsFunc(rules, func(r rule) bool { return r.route == route }) {
			t.Errorf("%s is missing from the matrix", route)
		}
	}
	for _, r := range rules {
		if !slices.Contains(table, r.route) {
			t.Errorf("%s is in the matrix, and not in the router's table", r.route)
		}
	}
}
