package api_test

import "strings"

// newIdentity sets up the provider of the organization, at which nobody answers.
func (m *matrix) newIdentity() targets {
	m.boss.post("/v2/organization/"+m.org+"/identity", fields{"issuer": nowhere, "client_id": "x"}).want(204)
	return targets{"organization": m.org, "provider": m.org, "test": "x"}
}

// everybody is the statuses of a route that answers all callers alike, with credentials or without.
func everybody(status string) string { return strings.TrimSpace(strings.Repeat(status+" ", 11)) }

// identityRules are what the callers get of the provider of the organization, and of signing in with it.
var identityRules = []rule{
	{route: "GET /v2/organization/:organization/identity", fresh: (*matrix).newIdentity,
		want: "403 404 403 403 403 403 200 200"},
	{route: "POST /v2/organization/:organization/identity", sent: sent(fields{"issuer": nowhere, "client_id": "x"}),
		want: "403 404 403 403 403 403 204 204"},
	{route: "DELETE /v2/organization/:organization/identity", fresh: (*matrix).newIdentity,
		want: "403 404 403 403 403 403 204 204"},
	{route: "POST /v2/organization/:organization/identity/test", fresh: (*matrix).newIdentity,
		want: "403 404 403 403 403 403 503 503"},
	{route: "GET /v2/organization/:organization/identity/test/:test", fresh: (*matrix).newIdentity,
		want: "403 404 403 403 403 403 200 200"},

	{route: "GET /v2/session/providers", public: true, want: everybody("200")},
	{route: "GET /v2/session/oidc/:provider", public: true, fresh: (*matrix).newIdentity, want: everybody("503")},
	{route: "GET /v2/session/oidc/:provider/callback", public: true, fresh: (*matrix).newIdentity,
		want: everybody("403")},
	{route: "POST /v2/session/oidc/:provider/elevate", fresh: (*matrix).newIdentity, // a key is no session
		want: all("404")},
	{route: "POST /v2/session/oidc/:provider/key", public: true, fresh: (*matrix).newIdentity,
		sent: sent(fields{"code": "x", "code_verifier": "x"}), want: everybody("403")},
	{route: "POST /v2/session/oidc/:provider/logout", public: true, fresh: (*matrix).newIdentity,
		sent: sent(fields{"logout_token": "x"}), want: everybody("503")},
}
