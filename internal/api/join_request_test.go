package api_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/testenv"
)

// approving starts a server with organizations.join approve.
func approving(f *figures) { f.approveJoins = true }

// With organizations.join approve, an account that another organization created becomes a
// member when it agrees, or an administrator of the organization that created it.
func TestAnAccountOfAnotherOrganizationAgreesToJoin(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := start(t, approving)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	home, other := s.mustCreateAdmin(one, "home"), s.mustCreateAdmin(two, "other")
	chief, ben := s.mustCreate(one, "chief"), s.mustCreate(two, "ben")
	scoped := home.withKey(s.operator.post(home.path("/key"),
		fields{"kind": "administrative", "organization": one}).reply())
	foreign := fields{"organization": two, "title": "Nurse", "department": "Ward"}
	ask := func() {
		t.Helper()
		other.post(chief.path("/organization"), foreign).want(200).reply().wantFields(fields{"state": "pending"})
	}
	accept := func(p *person) *answer { return p.post(chief.path("/organization"), fields{"organization": two}) }
	refuse := func(p *person) *answer { return p.delete(chief.path("/organization/" + two)) }
	outside := func() {
		t.Helper()
		chief.get("/v2/user/me/organization/" + two).wantMissing()
		ben.post("/v2/message", fields{"recipient": chief.token, "body": "x"}).wantMissing()
	}
	strangers := func() {
		t.Helper()
		nowhere := randomOrganization()
		for _, p := range []*person{home, scoped} {
			wantSameAnswer(accept(p).wantMissing(), p.post(chief.path("/organization"), fields{"organization": nowhere}))
			wantSameAnswer(refuse(p).wantMissing(), p.delete(chief.path("/organization/"+nowhere)))
		}
		wantSameAnswer(accept(chief).wantError(403, "administrative_key_required"),
			chief.post(chief.path("/organization"), fields{"organization": nowhere}))
		wantSameAnswer(refuse(chief).wantMissing(), chief.delete(chief.path("/organization/"+nowhere)))
		refuse(other).wantMissing()
	}

	for _, p := range []*person{home, scoped, other, chief} {
		p.forgetEvents()
	}
	strangers()
	ask()
	ask()
	outside()
	chief.wantEvents("account:settings")
	for _, p := range []*person{home, scoped} {
		p.wantEvents("admin_request")[0].wantIs(fields{"account_id": chief.token, "organization_id": two, "state": "join"})
	}
	other.wantEvents()

	// Neither others of both organizations nor keys of other places have a say.
	accept(ben).wantError(403, "administrative_key_required")
	refuse(ben).wantError(403, "administrative_key_required")
	third := s.mustCreateOrganization("Three")
	stranger := s.mustCreateAdmin(third, "stranger")
	accept(stranger).wantMissing()
	refuse(stranger).wantMissing()
	s.operator.mustJoin(third, chief) // an operator asks nobody
	elsewhere := chief.withKey(s.operator.post(chief.path("/key"), fields{"organization": third}).reply())
	accept(elsewhere).wantError(403, "administrative_key_required")
	refuse(elsewhere).wantMissing()

	for _, p := range []*person{other, chief, home, scoped} {
		refuse(p).want(204)
		strangers()
		outside()
		ask()
	}
	for _, p := range []*person{chief, home, scoped} {
		chief.forgetEvents()
		accept(p).want(204)
		chief.wantEvents("account:settings")
		member := ben.get("/v2/user/"+chief.token, in(two)).reply()
		member.wantFields(fields{"title": "Nurse", "department": "Ward"})
		accept(other).want(204) // a repeat changes the title alone
		refuse(chief).want(204)
		strangers()
		outside()
		ask()
	}
	s.operator.mustJoin(two, chief)
	refuse(other).want(204)
	strangers() // the request ended with the membership
	ask()
	s.operator.delete(chief.path("/organization/" + two)).want(204)
	strangers()

	// An administrator of both organizations needs to ask nobody.
	s.operator.mustJoin(one, other)
	s.operator.post(other.path("/organization/"+one+"/roles/admin"), nil).want(204)
	accept(other).want(204)

	// A request ends with the organization that asks, and with the account.
	other.delete(chief.path("/organization/" + two)).want(204)
	s.operator.delete(other.path("/organization/" + one + "/roles/admin")).want(204)
	ask()
	s.operator.do("DELETE", "/v2/organization/"+two, jsonBody(fields{"name": "Two"})).want(204)
	accept(chief).wantError(403, "administrative_key_required")
	s.mustSweep()
	s.mustVerify()
}

// Where no organization created an account any more, it agrees itself.
func TestAnAccountWithoutACreatingOrganizationAgreesToJoin(t *testing.T) {
	t.Parallel()
	s := start(t, approving)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	other, chief := s.mustCreateAdmin(two, "other"), s.mustCreate(one, "chief")
	s.operator.do("DELETE", "/v2/organization/"+one, jsonBody(fields{"name": "One"})).want(204)
	for range 2 { // with what is left of One, and without
		other.post(chief.path("/organization"), fields{"organization": two}).want(200)
		chief.post(chief.path("/organization"), fields{"organization": two}).want(204)
		other.delete(chief.path("/organization/" + two)).want(204)
		s.mustSweep()
	}
	s.operator.delete(s.operator.path("/organization/" + two)).want(204)
	other.post(s.operator.path("/organization"), fields{"organization": two}).want(200)
	s.operator.get("/v2/user/me/organization/" + two).wantMissing()
}

// Whatever becomes of a request is in the logs of both organizations, and in that of the
// first one without the keys and addresses of the other.
func TestRequestsForAccountsAreAudited(t *testing.T) {
	t.Parallel()
	s := start(t, approving)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	home, other := s.mustCreateAdmin(one, "home"), s.mustCreateAdmin(two, "other")
	chief := s.mustCreate(one, "chief")
	ask := func() {
		s.clock.Advance(time.Hour) // within one all that Two does is one line
		other.post(chief.path("/organization"), fields{"organization": two}).want(200)
	}
	ask()
	ask() // changes nothing, and is a call of Two alone
	chief.delete(chief.path("/organization/" + two)).want(204)
	ask()
	s.clock.Advance(time.Hour)
	other.delete(chief.path("/organization/" + two)).want(204)
	ask()
	home.post(chief.path("/organization"), fields{"organization": two}).want(204)
	type act struct {
		action, detail string
		by             *person
	}
	pending := func(action string, by *person) act { return act{action, "pending", by} }
	oldest := []act{pending("member.add", other), pending("member.add", other), pending("member.remove", chief),
		pending("member.add", other), pending("member.remove", other), pending("member.add", other),
		{"member.add", "", home}}
	for chain, want := range map[string][]act{two: oldest, one: slices.Delete(slices.Clone(oldest), 1, 2)} {
		var lines []value
		for _, line := range s.operator.get("/v2/organization/" + chain + "/audit?limit=200").reply().list() {
			if line.at("on_account").v == chief.token && line.text("on_organization") == two {
				lines = append(lines, line)
			}
		}
		slices.Reverse(lines) // the newest come first
		if len(lines) != len(want) {
			t.Fatalf("the log of %s has %d lines, want %d: %v", chain, len(lines), len(want), lines)
		}
		for i, line := range lines {
			line.wantFields(fields{"action": want[i].action, "account": want[i].by.token})
			if got := line.at("detail").v; got != want[i].detail && (got != nil || want[i].detail != "") {
				t.Errorf("line %d of %s has the detail %v, want %q", i, chain, got, want[i].detail)
			}
			if chain == one {
				line.wantFields(nil, "key", "address")
			}
		}
	}
}
