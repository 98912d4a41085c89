package api_test

import (
	"maps"
	"strings"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/testenv"
)

// newPasskey gives the recipient another passkey, which is good at another address.
func (m *matrix) newPasskey() targets {
	m.t.Helper()
	p := model.Passkey{ID: model.PasskeyID(randomID()), Account: m.recipient.id(), Credential: []byte(randomToken()),
		PublicKey: []byte("key"), RelyingParty: "elsewhere.example.com", Scope: model.OrganizationID(m.org),
		Created: m.clock.Now()}
	err := m.store.Update(m.t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertPasskey(&p)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return targets{"passkey": p.ID.String()}
}

// passkeyRules are what the callers get of the passkeys of the recipient. A key is no session.
var passkeyRules = []rule{
	{route: "POST /v2/user/me/passkey/begin", want: all("404")},
	{route: "POST /v2/user/me/passkey/finish", sent: sent(fields{"credential": fields{}}), want: all("404")},
	{route: "GET /v2/user/:user/passkey", want: ownUser},
	{route: "DELETE /v2/user/:user/passkey/:passkey", fresh: (*matrix).newPasskey,
		want: "404 404 403 403 403 403 204 204"},
	{route: "POST /v2/user/:user/passkey/allow", want: "404 404 403 403 403 403 200 200"},
	{route: "POST /v2/session/passkey/begin", public: true, want: "200 401 401 " + all("404")},
	{route: "POST /v2/session/passkey/finish", public: true, sent: sent(fields{"credential": fields{}}),
		want: "400 401 401 " + all("404")},
}

// byOneFactor is what a session gets that came of a password alone, where more is required. Any other route
// refuses it.
var byOneFactor = map[string]int{
	"POST /v2/user/me/passkey/begin":  200,
	"POST /v2/user/me/passkey/finish": 400,
	"POST /v2/session/passkey/begin":  400, // it has none yet
	"POST /v2/session/passkey/finish": 400,
	"GET /v2/session":                 200,
	"DELETE /v2/session":              204,
	"POST /v2/logout":                 204,
	"POST /v2/login":                  401, // these take credentials, and no cookie
	"POST /v5/login":                  401,
	"POST /v2/session":                401,
	"GET /v2/brand":                   200,
	"GET /v2/brand/logo":              200,
	"GET /openapi.json":               200,
	"GET /openapi-3.0.json":           200,

	"GET /v2/session/providers":               200,
	"GET /v2/session/oidc/:provider":          503,
	"GET /v2/session/oidc/:provider/callback": 403,
	"POST /v2/session/oidc/:provider/key":     403,
	"POST /v2/session/oidc/:provider/logout":  503,
}

// TestAuthorizationMatrixByOneFactor: a session of a password alone, of a member and of an administrator, makes a
// passkey, goes on with one, or ends. Nothing else is open to it, whatever it names.
func TestAuthorizationMatrixByOneFactor(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	m.boss.post("/v2/organization/"+m.org, fields{"second_factor": "required"}).want(204)
	open := 0
	for _, who := range []*person{m.member, m.boss} {
		m.mustHavePassword(who)
		session := who.mustSignIn()
		for _, r := range rules {
			want, excepted := byOneFactor[r.route]
			x := maps.Clone(m.standing)
			if r.fresh != nil {
				maps.Copy(x, r.fresh(m))
			}
			got := r.call(session, x)
			switch {
			case !excepted:
				got.wantError(403, "second_factor_required")
			case got.StatusCode != want:
				t.Errorf("%s by %s: got %d %s, want %d", r.route, who.name, got.StatusCode, got.content, want)
			default:
				open++
			}
			if strings.Contains(r.route, "DELETE /v2/session") || r.route == "POST /v2/logout" {
				session = who.mustSignIn()
			}
		}
	}
	if open != 2*len(byOneFactor) {
		t.Errorf("%d calls were answered, want %d", open, 2*len(byOneFactor))
	}
}
