package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

const (
	testUser = `{"token":"u1","xmlns":"tigertext:entity:account","display_name":"Ann\tLee","username":"ann","emails":[{"address":"ann@example.com","verified":true}],
		"dnd":true,"dnd_text":"later","title":"Nurse","organization_token":"o1","created_time":"2026-11-21T08:15:30.123Z"}`
	testGroup = `{"token":"g1","xmlns":"tigertext:entity:group","name":"G","display_name":"G","members":["u1"],"num_members":1,"is_public":true,"created_time":"2026-11-21T08:15:30.123Z"}`
	testDuty  = `{"on_duty":[` + testUser + `],"shifts":[{"from":"2026-11-21T08:00:00.000Z","to":"2026-11-21T20:00:00.000Z","account":"u1","override":false},
		{"from":"2026-11-21T20:00:00.000Z","to":"2026-11-22T08:00:00.000Z","account":"u2","override":true}],"timezone":"Europe/Berlin",
		"overrides":[{"from":"2026-11-21T20:00:00Z","to":"2026-11-22T08:00:00Z","account":"u2"},{"from":"2026-11-21T20:00:00Z","to":"2026-11-22T08:00:00Z","account":""}],
		"always":[],"fallback":[],"people":[` + testUser + `]}`
	testMsg = `{"message_id":"m1","sender_token":"u1","recipient_token":"u2","body":"two\nlines","created_time":"2026-11-21T08:15:30.123Z","ttl":5,
		"status":"Read","priority":1,"dor":true,"attachments":[{"attachment_id":1,"name":"a.png","content-type":"image/png","size":9}]}`
	testOrg   = `{"token":"o1","name":"N","members":1,"settings":[{"name":"ttl","value":60}]}`
	testEvent = `{"event_id":"e1","event":{"tigertext:iq:message":` + testMsg + `}}`
)

func newStub(t *testing.T) *stub {
	t.Helper()
	sent := headers(204, "TT-X-Message-Id", "m1", "TT-X-Msg-Ttl", "5")
	s := &stub{answers: map[string]func(http.ResponseWriter){
		"POST /v2/organization":        headers(204, "TT-X-Organization-Key", "o1"),
		"GET /v2/organization/o1":      data(testOrg),
		"GET /v2/user/me/organization": data("[" + testOrg + "]"),
		"POST /v2/user":                data(`{"api_key":"k1","api_secret":"s1",` + testUser[1:]),
		"POST /v2/user/bulk": data(`{"results":[{"index":0,"status":200,"user":` + testUser +
			`},{"index":1,"status":200,"repeated":true,"user":` + testUser + `}]}`),
		"GET /v2/user/me":                     data(testUser),
		"GET /v2/user_lookup/ann@example.com": data(testUser),
		"GET /v2/user_lookup/nobody":          refused(404, "not_found", "The associated lookup was not found."),
		"POST /v2/user/me/key": data(
			`{"api_key":"k1","api_secret":"s1","kind":"regular","label":"Lab","expires_time":"2026-11-21T08:15:30.123Z","allowed_networks":["192.0.2.0/24","10.1.2.3/32"]}`),
		"POST /v2/user/dir/key": data(`{"api_key":"k3","api_secret":"s3","kind":"administrative","organization":"o1"}`),
		"GET /v2/user/me/key": data(
			`[{"api_key":"k1","kind":"regular","created_time":"2026-11-21T08:15:30.123Z"}]`),
		"POST /v2/user/me/key/k1/rotate": data(`{"api_key":"k1","api_secret":"s2"}`),
		"GET /v2/organization/o1/identity": data(`{"id":"o1","issuer":"https://login.example.com","client_id":"signet",
			"has_secret":true,"name":"N","domains":["example.com"],"confirmed_domains":[],"claims":{},"admin_groups":["a","b"],
			"provision":true,"passwords":true,"passwords_off":false,"enabled":true,"shown":false,"tried":false,
			"redirect_uri":"https://s.example.com/callback","backchannel_logout_uri":"https://s.example.com/logout"}`),
		"POST /v2/user/u1/webhook": data(`{"webhook":"w1","secret":"whsec_AA=="}`),
		"GET /v2/user/u1/webhook": data(`[{"webhook":"w1","url":"https://hooks.example.com/x","events":[],"content":"thin",
			"acknowledge":false,"signature":"v1","enabled":false,"disabled_reason":"silent",
			"created_time":"2026-11-21T08:15:30.123Z"}]`),
		"GET /v2/user/u1/webhook/w1": data(`{"webhook":"w1","url":"https://hooks.example.com/x","events":["message"],
			"content":"thin","acknowledge":false,"signature":"v1","enabled":true,"created_time":"2026-11-21T08:15:30.123Z",
			"failures":2,"failing_since":"2026-11-21T08:15:30.123Z","deliveries":[{"event_id":"e1","type":"message",
			"time":"2026-11-21T08:15:30.123Z","try":2,"outcome":"refused","response_status":503,"duration_ms":12}]}`),
		"POST /v2/user/u1/webhook/w1/rotate": data(`{"webhook":"w1","public_key":"whpk_AA=="}`),
		"POST /v2/user/u1/webhook/w1/test": data(`{"type":"webhook.test","time":"2026-11-21T08:15:30.123Z","try":1,
			"outcome":"delivered","response_status":204,"duration_ms":3}`),
		"GET /v2/user/u1/passkey": data(`[{"passkey":"p1","label":"phone","created_time":"2026-11-21T08:15:30.123Z",
			"last_used_time":"2026-11-21T09:15:30.123Z","synced":true,"relying_party":"chat.example.com","organization":"o1"},
			{"passkey":"p2","created_time":"2026-11-21T08:15:30.123Z","synced":false,"relying_party":"chat.example.com"}]`),
		"POST /v2/user/u1/passkey/allow": data(`{"expires_time":"2026-11-22T08:15:30.123Z"}`),
		"GET /v2/push":                   data(`{"public_key":"BP4z"}`),
		"GET /v2/user/me/push": data(`[{"id":"p1","host":"push.example.net","created_time":"2026-11-21T08:15:30.123Z",
			"last_success":"2026-11-21T09:15:30.123Z","device":"Chrome on Android","current":true},
			{"id":"p2","host":"push.example.org","created_time":"2026-11-21T08:15:30.123Z"}]`),
		"POST /v2/message":            sent,
		"POST /v2/message/m1/forward": sent,
		"GET /v2/message/m1":          data(testMsg),
		"GET /v2/message/m1/escalation": data(`{"until":"read","state":"exhausted","ended_time":"2026-11-21T08:25:30.123Z","steps":[{"step":1,"after":5,"to":["u2"],
			"due_time":"2026-11-21T08:20:30.123Z","done_time":"2026-11-21T08:20:30.223Z","sent":[{"token":"u2","message_id":"m2"}]}]}`),
		"GET /v2/organization/o1/escalation":       data(`[{"name":"night","until":"confirmed","steps":[{"after":5,"to":["u2"]}]}]`),
		"GET /v2/organization/o1/escalation/night": data(`{"name":"night","until":"confirmed","steps":[{"after":5,"to":["u2"]}]}`),
		"GET /v2/message/m1/status": data(
			`{"client_id":"m1","statuses":[{"account_id":"u2","status":"Read","timestamp":"2026-11-21T08:15:30.123Z"}]}`),
		"GET /v2/events":                       data("[" + testEvent + "]"),
		"GET /v2/events?after=e1&limit=1000":   data("[]"),
		"GET /v2/user/me/message/unread_count": data(`{"unread_count":3,"unread_priority_count":1}`),
		"POST /v2/group":                       data(testGroup),
		"GET /v2/group/g1":                     data(testGroup),
		"GET /v2/group/g1/members":             data("[" + testUser + "]"),
		"GET /v2/group/g1/duty":                data(testDuty),
		"GET /v2/group/g1/duty.ics": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/calendar")
			fmt.Fprint(w, "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
		},
		"GET /v2/roster": data(
			`[{"type":"tigertext:entity:account","unread_count":2,"last_message_time":"2026-11-21T08:15:30.123Z",` +
				testUser[1:] + `]`),
		"GET /v2/conversation": data(`{"results":[{"entity":` + testUser + `,"organization_id":"o1","last_message":` +
			testMsg + `,"unread_count":2,"unread_priority_count":0,"muted":false,"sort_number":7}],"metadata":{}}`),
		"GET /v2/conversation/u1/message": data(`{"results":[` + testMsg + `],"metadata":{"more":false}}`),
		"GET /v2/metadata/u1":             data(`{"b":"2","a":"1"}`),
		"POST /v2/search": data(
			`{"results":[{"type":"tigertext:entity:account","organization_id":"o1","entity":` + testUser +
				`}],"metadata":{"total_hits":1}}`),
		"GET /v2/user/u1/organization/o1/roles": data(
			`{"roles":[{"organization":{"organization_id":"o1","roles":["admin"]}}]}`),
		"POST /v2/user/me/organization/o1/roles/admin": data(`{"state":"pending"}`),
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}
