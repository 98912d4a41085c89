package api_test

import (
	"strings"
	"testing"

	"signet/internal/model"
)

func TestAPersonIsChangedByAnAdministrator(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	stranger := c.mustCreateStranger("stranger")
	colleague, far := c.bob.openStream(""), stranger.openStream("")
	colleague.wantReplay()
	far.wantReplay()
	c.alice.forgetEvents()
	changed := boss.post(c.alice.path(""), fields{"first_name": " Al ", "last_name": "Ice", "display_name": "Dr. Ice",
		"username": "al.ice", "emails": []string{"Ice@Example.com", "alice@example.com"}, "phone": "+49 30 1234567",
		"title": "Surgeon", "department": "Surgery"}).reply()
	want := fields{"token": c.alice.token, "first_name": "Al", "last_name": "Ice", "display_name": "Dr. Ice",
		"username": "al.ice", "title": "Surgeon", "department": "Surgery", "organization_token": c.org,
		"emails": []fields{{"address": "ice@example.com", "verified": false},
			{"address": "alice@example.com", "verified": false}},
		"phones": []fields{{"number": "+49301234567", "verified": false}}}
	changed.wantFields(want)
	c.bob.get("/v2/user/ice@example.com", in(c.org)).reply().wantFields(want)
	c.bob.get("/v2/user/al.ice").want(200)
	c.bob.get("/v2/user/alice").wantMissing()
	if n := c.bob.post("/v2/search", fields{"display_name": "ice", "title": "surg"}).reply().
		int("metadata", "total_hits"); n != 1 {
		t.Errorf("a search for the new name finds %d", n)
	}
	c.alice.wantEvents("account:settings", "account:settings") // of the account, and of the place in the organization
	update := colleague.wantNext("update")
	update.wantFields(fields{"token": c.alice.token, "display_name": "Dr. Ice"})
	if update.hasID {
		t.Error("the update of a user is queued")
	}
	stranger.mustSend("me", "x")
	far.wantNext("message") // and no update before it

	// What is left out stays; what is given empty is taken away.
	boss.post(c.alice.path(""), fields{"emails": []string{}, "phone": ""}).reply().
		wantFields(fields{"emails": []any{}, "phones": []any{}, "username": "al.ice", "display_name": "Dr. Ice",
			"title": "Surgeon"})
	c.bob.get("/v2/user/ice@example.com").wantMissing()
	boss.post(c.alice.path(""), fields{"username": ""}).wantError(400, "address_required").wantField("email")
	boss.do("POST", c.alice.path(""), form("username", "", "email", "a@x.org", "display_name", "")).reply().
		wantFields(fields{"username": "", "display_name": "Al Ice", "emails": []fields{{"address": "a@x.org",
			"verified": false}}})
	boss.post(c.alice.path(""), fields{}).reply().wantFields(fields{"display_name": "Al Ice"})
	boss.post(boss.path(""), fields{"display_name": "The Boss"}).reply().wantFields(fields{"display_name": "The Boss"})
	c.mustVerify()
}

func TestAPersonIsNotChangedByWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	for _, refused := range []struct {
		sent        fields
		code, field string
	}{
		{fields{"display_name": 5}, "field_invalid", "display_name"},
		{fields{"first_name": strings.Repeat("a", 257)}, "too_long", "first_name"},
		{fields{"title": strings.Repeat("a", 257)}, "too_long", "title"},
		{fields{"department": []string{"x"}}, "field_invalid", "department"},
		{fields{"username": "me"}, "username_invalid", "username"},
		{fields{"username": "BOB"}, "address_taken", "username"},
		{fields{"email": "nobody"}, "email_invalid", "email"},
		{fields{"emails": []string{"a@x.org", "b"}}, "email_invalid", "emails"},
		{fields{"emails": []int{1}}, "field_invalid", "emails"},
		{fields{"emails": []string{"a@x.org", "BOB@example.com"}}, "address_taken", "emails"},
		{fields{"phones": "12"}, "phone_invalid", "phones"},
		{fields{"display_name": "New", "email": "bob@example.com"}, "address_taken", "email"},
		{fields{"display_name": "a\x00"}, "text_invalid", "display_name"},
	} {
		boss.post(c.alice.path(""), refused.sent).wantError(400, refused.code).wantField(refused.field)
	}
	c.bob.get(c.alice.path("")).reply().wantFields(fields{"display_name": "Alice", "username": "alice"})
	c.bob.get("/v2/user/alice@example.com").want(200)
	// Its own addresses are free to it, in another writing too.
	boss.post(c.alice.path(""), fields{"username": "ALICE", "email": "Alice@Example.COM"}).reply().
		wantFields(fields{"username": "ALICE"})
}

func TestAPersonIsForThoseWhoMadeIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	other := c.mustCreateOrganization("Other")
	chief := c.mustCreateAdmin(other, "chief")
	name, title := fields{"display_name": "New"}, fields{"title": "T"}
	for _, sent := range []fields{name, title, {}} {
		unknown := chief.post("/v2/user/"+randomToken(), sent).wantMissing()
		for _, address := range []string{c.bob.token, "bob", "bob@example.com"} {
			wantSameAnswer(chief.post("/v2/user/"+address, sent), unknown)
			wantSameAnswer(chief.post("/v2/user/"+address, sent, in(other)), unknown)
			wantSameAnswer(chief.post("/v2/user/"+address, sent, in(c.org)), unknown)
		}
		c.alice.post(c.bob.path(""), sent).wantError(403, "administrative_key_required")
		c.alice.post("/v2/user/me", sent).wantError(403, "administrative_key_required")
	}
	wantSameAnswer(boss.post(c.bob.path(""), title, in(other)).wantMissing(),
		boss.post(c.bob.path(""), title, in(randomOrganization())))

	// In another organization besides, its names are its own, and an operator's; each gives its
	// titles.
	c.operator.mustJoin(other, c.bob)
	for _, p := range []*person{boss, chief} {
		p.post(c.bob.path(""), name).wantError(403, "not_allowed")
		p.post(c.bob.path(""), fields{"display_name": "New", "title": "T"}).wantError(403, "not_allowed")
	}
	boss.post(c.bob.path(""), fields{"title": "Here"}).reply().
		wantFields(fields{"title": "Here", "organization_token": c.org})
	chief.post(c.bob.path(""), fields{"title": "There"}).reply().
		wantFields(fields{"title": "There", "organization_token": other})
	boss.post(c.bob.path(""), title, in(other)).wantMissing()
	c.operator.post(c.bob.path(""), fields{"display_name": "New", "department": "D"}, in(other)).reply().
		wantFields(fields{"display_name": "New", "title": "There", "department": "D"})
	c.operator.post(c.bob.path(""), title, in(randomOrganization())).wantMissing()
	c.bob.get("/v2/user/me", in(c.org)).reply().wantFields(fields{"title": "Here", "department": ""})

	// Nobody but itself changes an operator, and nobody an account that has ended.
	c.mustCreateOperator("second")
	c.operator.post("/v2/user/second", name).wantError(403, "not_allowed")
	c.operator.post("/v2/user/me", fields{"display_name": "The Operator"}).reply().
		wantFields(fields{"display_name": "The Operator"})
	boss.post(c.operator.path(""), name).wantError(403, "not_allowed")
	c.operator.erase(c.carl).want(204)
	wantSameAnswer(boss.post(c.carl.path(""), name), boss.post("/v2/user/"+randomToken(), name))
	c.mustSweep()
	boss.post(c.carl.path(""), name).wantMissing()

	// A disabled one is changed as any other, also where it has left.
	boss.post(c.alice.path("/disable"), nil).want(204)
	boss.post(c.alice.path(""), name).reply().wantFields(fields{"display_name": "New", "disabled": true})
	boss.delete(c.alice.path("/organization/" + c.org)).want(204)
	boss.post(c.alice.path(""), fields{"display_name": "Newer"}).want(200)
	boss.post(c.alice.path(""), title).wantError(403, "not_allowed")

	old := boss.with(boss.key, boss.secret)
	boss.useKey(boss.post("/v2/user/me/key/"+boss.key+"/rotate", fields{"grace": 60}).reply())
	old.post(c.alice.path(""), name).wantError(403, "secret_replaced")
	c.mustVerify()
}

// What an organization changes of an account that another one created, that one's log has, too.
func TestATitleGivenAbroadIsToldAtHome(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	other := c.mustCreateOrganization("Other")
	chief := c.mustCreateAdmin(other, "chief")
	c.operator.mustJoin(other, c.bob)
	for i := range 2 {
		chief.post(c.bob.path(""), fields{"title": "T" + number(i)}).want(200)
		chief.post(c.bob.path(""), fields{"title": "T" + number(i)}).want(200) // which changes nothing
	}
	found := map[string]int{}
	for _, e := range c.auditLines() {
		if e.Action == model.ActionUserUpdate {
			found[string(e.Chain)]++
			if e.User.String() != c.bob.token || string(e.Organization) != other || e.Detail != "title" ||
				(string(e.Chain) == c.org) != (e.Key == "") {
				t.Errorf("a line is %+v", e.AuditEntry)
			}
		}
	}
	if found[other] != 4 || found[c.org] != 1 || len(found) != 2 {
		t.Errorf("the logs have %v lines", found)
	}
	for i := range 18 {
		chief.post(c.bob.path(""), fields{"title": "more" + number(i)}).want(200)
	}
	chief.post(c.bob.path(""), fields{"title": "too much"}).wantError(429, "growth_limit")
	chief.post(c.bob.path("/organization"), fields{"organization": other, "title": "x"}).wantError(429, "growth_limit")
	c.operator.post(c.bob.path(""), fields{"title": "by an operator"}, in(other)).want(200)
	c.mustVerify()
}
