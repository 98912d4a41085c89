package openapi

import (
	"slices"
	"strings"
	"testing"
)

// promised are the calls of the contract (sections 2 and 5, and what published
// clients call beyond it). The document has these and no others.
const promised = `
GET /v2/events
DELETE /v2/events
POST /v2/events/ack
GET /v2/user/{user}
POST /v2/group
GET /v2/group/{group}
POST /v2/group/{group}
DELETE /v2/group/{group}
POST /v2/group/{group}/members
POST /v2/group/{group}/members/remove
POST /v2/message
GET /v2/message/{message}
DELETE /v2/message/{message}
GET /v2/message/{message}/attachment/{number}
GET /v2/message/{message}/status
POST /v2/message/status
PUT /v2/message/status
POST /v2/message/typing
DELETE /v2/message/typing/{recipient}
DELETE /v2/message/typing/{recipient}/{sender}
GET /v2/metadata/{entity}
POST /v2/metadata/{entity}
GET /v2/roster
POST /v2/roster
DELETE /v2/roster/{entity}
POST /v2/search
GET /v2/user/{user}/message/unread_count
GET /v2/user/{user}/organization/{organization}/message/unread_count
GET /v2/user_lookup/{user}
POST /v2/user
POST /v2/user/{user}/organization
DELETE /v2/user/{user}/organization/{organization}
GET /v2/user/{user}/organization/{organization}/roles
POST /v2/user/{user}/organization/{organization}/roles/{role}
DELETE /v2/user/{user}/organization/{organization}/roles/{role}
POST /v2/organization
POST /v2/organization/{organization}
GET /v2/organization/{organization}

DELETE /v2/organization/{organization}
DELETE /v2/metadata/{entity}
POST /v2/user/{user}/key
GET /v2/user/{user}/key
DELETE /v2/user/{user}/key/{key}
POST /v2/user/{user}/key/{key}
POST /v2/user/{user}/key/{key}/rotate
GET /v2/avatar/{id}
GET /v2/brand
GET /v2/brand/logo

GET /v2/organization/{organization}/audit
DELETE /v2/organization/{organization}/message/{message}
POST /v2/organization/{organization}/hold
GET /v2/message/{message}/escalation
DELETE /v2/message/{message}/escalation
GET /v2/organization/{organization}/escalation
GET /v2/organization/{organization}/escalation/{name}
POST /v2/organization/{organization}/escalation/{name}
DELETE /v2/organization/{organization}/escalation/{name}
GET /v2/group/{group}/duty
GET /v2/group/{group}/duty.ics
POST /v2/group/{group}/duty
DELETE /v2/group/{group}/duty
DELETE /v2/organization/{organization}/hold
GET /v2/audit

GET /v2/conversation
GET /v2/conversation/{entity}/message
POST /v2/conversation/{entity}/read
POST /v2/conversation/search

GET /v2/organization
GET /v2/organization/{organization}/member
GET /v2/organization/{organization}/group
GET /v2/organization/{organization}/request
GET /v2/organization/{organization}/key
GET /v2/organization/{organization}/queue
GET /v2/organization/{organization}/undelivered
GET /v2/organization/{organization}/message
GET /v2/organization/{organization}/history
GET /v2/status
GET /v2/status/history
GET /v2/settings
GET /v2/queue
GET /v2/key

GET /v2/user
GET /v2/user/{user}/organization
GET /v2/user/{user}/organization/{organization}
POST /v2/user/bulk
GET /v2/user/{user}/export
DELETE /v2/user/{user}
POST /v2/user/{user}
POST /v2/user/{user}/disable
POST /v2/user/{user}/enable
POST /v2/user/{user}/settings
POST /v2/user/{user}/password
POST /v2/login
POST /v5/login
POST /v2/logout
POST /v2/session
GET /v2/session
DELETE /v2/session
POST /v2/session/elevate
DELETE /v2/session/elevate
POST /v2/metadata_bulk
GET /v2/mute
DELETE /v2/mute
POST /v2/mute/p2p
DELETE /v2/mute/p2p
POST /v2/mute/group/{group}
DELETE /v2/mute/group/{group}
POST /v2/mute/organization/{organization}
DELETE /v2/mute/organization/{organization}
GET /v2/push
POST /v2/user/me/push
GET /v2/user/me/push
DELETE /v2/user/me/push/{id}
POST /v2/message/{message}/forward
POST /v2/get_bulk_message_status
GET /v2/group/{group}/members
POST /v2/role_group
GET /v2/organization/{organization}/identity
POST /v2/organization/{organization}/identity
DELETE /v2/organization/{organization}/identity
POST /v2/organization/{organization}/identity/test
GET /v2/organization/{organization}/identity/test/{test}
GET /v2/session/providers
GET /v2/session/oidc/{provider}
GET /v2/session/oidc/{provider}/callback
POST /v2/session/oidc/{provider}/elevate
POST /v2/session/oidc/{provider}/key
POST /v2/session/oidc/{provider}/logout
POST /v2/user/me/passkey/begin
POST /v2/user/me/passkey/finish
GET /v2/user/{user}/passkey
DELETE /v2/user/{user}/passkey/{passkey}
POST /v2/user/{user}/passkey/allow
POST /v2/session/passkey/begin
POST /v2/session/passkey/finish
GET /v2/user/{user}/webhook
POST /v2/user/{user}/webhook
GET /v2/user/{user}/webhook/{webhook}
POST /v2/user/{user}/webhook/{webhook}
DELETE /v2/user/{user}/webhook/{webhook}
POST /v2/user/{user}/webhook/{webhook}/test
POST /v2/user/{user}/webhook/{webhook}/rotate
POST /v2/hook/alertmanager
POST /v2/hook/grafana

GET /healthz
GET /readyz
GET /openapi.json
GET /openapi-3.0.json
`

func TestDocumentHasTheCallsOfTheContractAndNoOthers(t *testing.T) {
	var got []string
	for _, op := range mustTree(t).operations() {
		got = append(got, op.method+" "+op.path)
	}
	var want []string
	for line := range strings.Lines(promised) {
		if line = strings.TrimSpace(line); line != "" {
			want = append(want, line)
		}
	}
	for _, call := range want {
		if !slices.Contains(got, call) {
			t.Errorf("%s is missing", call)
		}
	}
	for _, call := range got {
		if !slices.Contains(want, call) {
			t.Errorf("%s is in no contract", call)
		}
	}
}
