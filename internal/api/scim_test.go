package api_test

import (
	"strings"
	"testing"
)

func TestDirectoriesMakePeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	made := d.scim("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],
		"userName":"Ann.Ames@example.com","externalId":"E-1","name":{"givenName":"Ann","familyName":"Ames"},
		"displayName":"Ann A.","title":"Nurse","emails":[{"value":"Ann.Ames@Example.com","type":"work","primary":true},
		{"value":"ann@home.example","type":"home"}],"phoneNumbers":[{"value":"+49 30 901820","type":"work"}],
		"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Cardiology"}}`).want(201)
	id := made.id()
	made.wantAt("Ann.Ames@example.com", "userName").wantAt("E-1", "externalId").wantAt(true, "active").
		wantAt("ann.ames@example.com", "emails", 0, "value").wantAt("home", "emails", 1, "type").
		wantAt("+4930901820", "phoneNumbers", 0, "value").wantAt("Ann Ames", "name", "formatted").
		wantAt("Cardiology", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User", "department").
		wantAt(s.url+"/scim/v2/Users/"+id, "meta", "location").wantAt(made.header.Get("ETag"), "meta", "version")
	if made.header.Get("Location") != s.url+"/scim/v2/Users/"+id || made.header.Get("ETag") == "" {
		t.Errorf("the headers are %v", made.header)
	}
	if again := d.scim("GET", "/Users/"+id, "").want(200); again.text != made.text {
		t.Errorf("it reads\n%s, and was made as\n%s", again.text, made.text)
	}
	listed := d.get("/v2/organization/" + org + "/member?account=" + id).want(200).reply().list("results")
	listed[0].at("directory").wantIs("Ann.Ames@example.com")
	user := s.operator.get("/v2/user/"+id, in(org)).want(200).reply()
	user.at("display_name").wantIs("Ann A.")
	user.at("username").wantIs("")
	if body := string(s.operator.get("/v2/user/" + id).content); strings.Contains(body, `"type"`) {
		t.Errorf("published clients see %s", body)
	}

	d.scim("POST", "/Users", `{"userName":"ann.ames@EXAMPLE.com"}`).wantError(409, "uniqueness")
	d.scim("POST", "/Users", `{"userName":"other","emails":[{"value":"ann@home.example"}]}`).wantError(409, "uniqueness")
	// A ward has one number.
	shared := d.scim("POST", "/Users", `{"userName":"bob","phoneNumbers":[{"value":"+4930901820"},{"value":"17"},
		{"value":"+4930901821"}]}`).want(201)
	shared.wantAt("+4930901821", "phoneNumbers", 0, "value")
	if list := shared.at("phoneNumbers").([]any); len(list) != 1 {
		t.Errorf("the numbers are %v", list)
	}
	s.operator.get("/v2/user/bob").want(200).reply().at("username").wantIs("bob")
	d.scim("POST", "/Users", `{"displayName":"nobody"}`).wantError(400, "invalidValue")
	d.scim("POST", "/Users", `{"userName":`).wantError(400, "invalidSyntax")
	d.scim("POST", "/Users", `[]`).wantError(400, "invalidSyntax")
	d.scim("POST", "/Users", `userName=x`, "Content-Type", "application/x-www-form-urlencoded").wantError(415, "")
	d.scim("POST", "/Users", `{"userName":"carl"}`, "Content-Type", "application/json").want(201)
	s.mustVerify()
}

func TestDirectoriesChangePeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	id := d.mustPerson("ann")
	path := "/Users/" + id
	first := d.scim("GET", path, "").want(200)
	d.scim("PATCH", path, `{"Operations":[{"op":"Replace","path":"emails[type eq \"work\"].value","value":"b@example.com"},
		{"op":"Replace","value":{"name.familyName":"Bell","title":"Doctor"}},{"op":"add","path":"nickName","value":"x"}]}`).
		want(200).wantAt("b@example.com", "emails", 0, "value").wantAt("Bell", "name", "familyName").wantAt("Doctor", "title")
	s.operator.get("/v2/user/b@example.com").want(200).reply().at("last_name").wantIs("Bell")
	s.operator.get("/v2/user/ann@example.com").want(404)

	// Another user name is followed by the one that people sign in with.
	d.scim("PATCH", path, `{"Operations":[{"op":"Replace","path":"userName","value":"annie"}]}`).want(200)
	s.operator.get("/v2/user/annie").want(200)
	d.scim("PATCH", path, `{"Operations":[{"op":"Replace","path":"userName","value":"annie@example.com"}]}`).want(200).
		wantAt("annie@example.com", "userName")
	s.operator.get("/v2/user/annie").want(404)

	// All or nothing.
	d.mustPerson("bob")
	d.scim("PATCH", path, `{"Operations":[{"op":"Replace","path":"title","value":"Chief"},
		{"op":"Replace","path":"emails","value":[{"value":"bob@example.com"}]}]}`).wantError(409, "uniqueness")
	d.scim("PATCH", path, `{"Operations":[{"op":"Replace","path":"userName","value":"BOB"}]}`).wantError(409, "uniqueness")
	now := d.scim("GET", path, "").want(200).wantAt("Doctor", "title")

	d.scim("PUT", path, now.text, "If-Match", first.header.Get("ETag")).wantError(412, "")
	d.scim("PUT", path, now.text, "If-Match", now.header.Get("ETag")).want(200)
	if r := d.scim("GET", path, "", "If-None-Match", now.header.Get("ETag")).want(304); r.text != "" {
		t.Errorf("a 304 has %q", r.text)
	}
	put := d.scim("PUT", path, `{"userName":"annie@example.com","displayName":"Ann"}`).want(200).wantAt("Ann", "displayName")
	if put.at("title") != nil || put.at("name") != nil {
		t.Errorf("what was left out stays: %s", put.text)
	}
	d.scim("PATCH", path, `{"Operations":[{"op":"remove"}]}`).wantError(400, "noTarget")
	d.scim("PATCH", path, `{"Operations":[{"op":"add","path":"a b","value":1}]}`).wantError(400, "invalidPath")
	d.scim("PATCH", "/Users/"+randomToken(), `{"Operations":[{"op":"add","path":"title","value":"x"}]}`).wantError(404, "")
	d.scim("GET", "/Users/nobody", "").wantError(404, "")
	d.scim("GET", "/Nothing", "").wantError(404, "")
	d.scim("DELETE", "/Users", "").wantError(405, "")
	s.mustVerify()
}

// Entra names an address by what it is for, which those of members of before do not say.
func TestADirectoryChangesAnAddressOfBefore(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	early := s.mustCreate(org, "early")
	d := s.mustDirectory(org)
	for _, address := range []string{"early@example.com", "new@example.com"} {
		got := d.scim("PATCH", "/Users/"+early.token, `{"Operations":[{"op":"Replace","path":"emails[type eq \"work\"].value",
			"value":"`+address+`"}]}`).want(200).wantAt(address, "emails", 0, "value").wantAt("work", "emails", 0, "type")
		if n := len(got.at("emails").([]any)); n != 1 {
			t.Errorf("%d addresses: %s", n, got.text)
		}
	}
	s.operator.get("/v2/user/new@example.com").want(200)
	s.operator.get("/v2/user/early@example.com").want(404)
}

// What a call wants to see is read before anything is done: a 400 leaves nothing behind.
func TestADirectoryThatIsRefusedHasChangedNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	ann := d.mustPerson("ann")
	group := d.scim("POST", "/Groups", `{"displayName":"Ward 3"}`).want(201).id()
	title := `{"Operations":[{"op":"replace","path":"title","value":"Nurse"}]}`
	name := `{"Operations":[{"op":"replace","path":"displayName","value":"Ward 4"}]}`
	for _, query := range []string{"?attributes=id&attributes=userName", "?attributes=%zz", "?excludedAttributes=%zz"} {
		for _, call := range []struct{ method, path, body string }{
			{"POST", "/Users", `{"userName":"bob"}`},
			{"PUT", "/Users/" + ann, `{"userName":"ann"}`},
			{"PATCH", "/Users/" + ann, title},
			{"POST", "/Groups", `{"displayName":"Ward 5"}`},
			{"PUT", "/Groups/" + group, `{"displayName":"Ward 4"}`},
			{"PATCH", "/Groups/" + group, name},
		} {
			d.scim(call.method, call.path+query, call.body).wantError(400, "invalidSyntax")
		}
	}
	d.wantFound("Users", `userName eq "bob"`)
	d.wantFound("Groups", "", "Ward 3")
	d.scim("GET", "/Users/"+ann, "").want(200).wantAt("ann@example.com", "emails", 0, "value").wantAt(nil, "title")
}

func TestDirectoriesFindPeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	s.mustCreate(org, "early")
	elsewhere := s.mustCreateOrganization("Elsewhere")
	s.mustCreate(elsewhere, "stranger")
	d := s.mustDirectory(org)
	ann, _ := d.mustPerson("ann"), d.mustPerson("bob")
	d.scim("PATCH", "/Users/"+ann, `{"Operations":[{"op":"replace","path":"title","value":"Nurse"}]}`).want(200)

	d.wantFound("Users", `userName eq "ANN"`, "ann")
	d.wantFound("Users", `externalId eq "x-bob"`, "bob")
	d.wantFound("Users", `externalId eq "X-bob"`)
	d.wantFound("Users", `emails[type eq "work"].value eq "Ann@Example.com"`, "ann")
	d.wantFound("Users", `emails.value eq "ann@example.com" and active eq "True"`, "ann")
	d.wantFound("Users", `id eq "`+ann+`"`, "ann")
	d.wantFound("Users", `title eq "nurse"`, "ann")
	d.wantFound("Users", `name.familyName eq "Test" and not (title pr)`, "bob")
	d.wantFound("Users", `userName sw "a" or userName sw "b"`, "ann", "bob")
	d.wantFound("Users", `userName eq "nobody"`)
	d.wantFound("Users", `userName eq "stranger"`)
	d.wantFound("Users", `emails.value eq "stranger@example.com"`)
	// Who was there before is found by each name, until the directory has written it.
	d.wantFound("Users", `userName eq "early"`, "early")
	d.wantFound("Users", `userName eq "early@example.com"`, "early")
	d.scim("GET", "/Users?filter=userName+is+1", "").wantError(400, "invalidFilter")
	for _, kind := range []string{"Users?filter=userName", "Users?filter=externalId", "Groups?filter=displayName"} {
		d.scim("GET", "/"+kind+`+eq+%22%5Cu0000%22`, "").wantError(400, "invalidFilter") // which no database finds
	}
	d.scim("GET", "/Users?count=x", "").wantError(400, "invalidValue")
	r := d.scim("POST", "/Users/.search", `{"schemas":["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
		"filter":"userName eq \"bob\"","attributes":["userName"],"startIndex":1,"count":10}`).want(200)
	if got := r.at("Resources", 0).(map[string]any); len(got) != 3 || got["userName"] != "bob" {
		t.Errorf("got %v", got)
	}
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	for _, name := range []string{"p1", "p2", "p3", "p4", "p5", "p6", "p7"} {
		d.mustPerson(name)
	}
	for _, filter := range []string{"", `userName sw "p"`} {
		all, total := d.found("Users", filter)
		var paged []string
		for first := 1; ; first += 3 {
			page, of := d.found("Users", filter, "startIndex", number(first), "count", "3")
			if of != total {
				t.Errorf("totalResults is %d at %d, and %d at first", of, first, total)
			}
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
		}
		if len(all) != total || strings.Join(all, " ") != strings.Join(paged, " ") {
			t.Errorf("%q: got %q in one page of %d, and %q in several", filter, all, total, paged)
		}
		if none, of := d.found("Users", filter, "count", "0"); len(none) != 0 || of != total {
			t.Errorf("%q: got %q of %d for a count of 0", filter, none, of)
		}
		if some, _ := d.found("Users", filter, "startIndex", "-5", "count", "2"); len(some) != 2 {
			t.Errorf("%q: got %q from before the first", filter, some)
		}
	}
}

func TestALeaverIsOut(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	ann := s.mustCreate(org, "ann")
	st := ann.openStream("features=no-offline-messages")
	d.scim("PATCH", "/Users/"+ann.token, `{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`).want(200).
		wantAt(false, "active")
	st.wantEnd()
	ann.get("/v2/user").want(401)
	d.wantFound("Users", `active eq false`, "ann")
	// Without a word about it nobody is let in again.
	d.scim("PUT", "/Users/"+ann.token, `{"userName":"ann"}`).want(200).wantAt(false, "active")
	d.scim("PATCH", "/Users/"+ann.token, `{"Operations":[{"op":"replace","value":{"active":true}}]}`).want(200).
		wantAt(true, "active")
	ann.get("/v2/user").want(401) // its keys are gone
	ann.useKey(s.operator.post(ann.path("/key"), nil).reply())
	ann.get("/v2/user").want(200)
	for act, want := range map[string]float64{"disabled": 1, "enabled": 1, "created": 0} {
		if got := s.mustCounter("signet_scim_people_total", act); got != want {
			t.Errorf("%v are counted as %s, want %v", got, act, want)
		}
	}

	d.scim("DELETE", "/Users/"+ann.token, "").want(204)
	d.scim("DELETE", "/Users/"+ann.token, "").wantError(404, "")
	d.scim("GET", "/Users/"+ann.token, "").wantError(404, "")
	d.wantFound("Users", `userName eq "ann"`)
	if rows := s.countRows("scim_people"); rows != 0 {
		t.Errorf("%d rows are left of who is no member", rows)
	}

	// Nobody's directory ends itself, nor takes the last administrator.
	d.scim("PATCH", "/Users/"+d.token, `{"Operations":[{"op":"replace","path":"active","value":false}]}`).wantError(403, "")
	d.scim("DELETE", "/Users/"+d.token, "").wantError(403, "")
	s.mustVerify()
}

func TestWhoComesBackHasNothingOfBefore(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	id := d.mustPerson("ann")
	ann := &person{s: s, t: t, name: "ann", token: id}
	ann.useKey(s.operator.post(ann.path("/key"), nil).reply())
	s.operator.post(ann.path("/password"), fields{"password": "a long one indeed"}).want(204)
	d.scim("DELETE", "/Users/"+id, "").want(204)
	ann.get("/v2/user").want(200) // it sees nothing of any organization

	back := d.scim("POST", "/Users", `{"userName":"ann","externalId":"new","emails":[{"value":"ann2@example.com"}],
		"title":"Doctor","displayName":"Other Ann"}`).want(201)
	back.wantAt(id, "id").wantAt("Other Ann", "displayName").wantAt("Doctor", "title").wantAt(true, "active").
		wantAt("new", "externalId").wantAt("ann2@example.com", "emails", 0, "value")
	ann.get("/v2/user").want(401)
	s.signIn("ann", "a long one indeed", "d").want(401)
	s.operator.get("/v2/user/" + id).want(200)
	if got := s.mustCounter("signet_scim_people_total", "brought_back"); got != 1 {
		t.Errorf("%v are counted as brought back", got)
	}
	// One who is a member is not taken again.
	d.scim("POST", "/Users", `{"userName":"ann"}`).wantError(409, "uniqueness")

	// Nor one of another organization, be it anywhere or not.
	elsewhere := s.mustCreateOrganization("Elsewhere")
	eve := s.mustCreate(elsewhere, "eve")
	s.operator.delete(eve.path("/organization/" + elsewhere)).want(204)
	d.scim("POST", "/Users", `{"userName":"eve"}`).wantError(409, "uniqueness")
	s.mustVerify()
}

func TestADirectoryDecidesAboutItsOwn(t *testing.T) {
	t.Parallel()
	s := start(t)
	home, org := s.mustCreateOrganization("Home"), s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	guest, stay := s.mustCreate(home, "guest"), s.mustCreate(home, "stay")
	for _, p := range []*person{guest, stay} {
		s.operator.mustJoin(org, p)
	}
	path := "/Users/" + guest.token
	d.scim("PATCH", path, `{"Operations":[{"op":"replace","path":"title","value":"Locum"}]}`).want(200).wantAt("Locum", "title")
	d.scim("PATCH", path, `{"Operations":[{"op":"replace","path":"externalId","value":"G-1"}]}`).want(200)
	d.scim("PATCH", path, `{"Operations":[{"op":"replace","path":"displayName","value":"Somebody"}]}`).wantError(403, "")
	d.scim("PATCH", path, `{"Operations":[{"op":"add","path":"emails","value":[{"value":"g@example.com"}]}]}`).
		wantError(403, "")
	// What an address is for, which directories say of all, is no reason to refuse the rest.
	whole := d.scim("GET", path, "").want(200).wantAt("guest@example.com", "emails", 0, "value").text
	whole = strings.Replace(whole, `"value":"guest@example.com"`, `"value":"guest@example.com","type":"work"`, 1)
	d.scim("PUT", path, strings.Replace(whole, `"Locum"`, `"Doctor"`, 1)).want(200).wantAt("Doctor", "title")

	// It leaves this organization, and nothing else is taken from it.
	inHome, inOrg := guest.openStream("features=no-offline-messages"), guest.withKey(s.operator.post(guest.path("/key"),
		fields{"organization": org}).reply())
	st := inOrg.openStream("features=no-offline-messages")
	d.scim("PATCH", path, `{"Operations":[{"op":"replace","path":"active","value":false},
		{"op":"replace","path":"displayName","value":"Gone"}]}`).want(200).wantAt(false, "active")
	st.drain()
	d.scim("GET", path, "").wantError(404, "")
	guest.get("/v2/user").want(200).reply().at("display_name").wantIs("Guest")
	inHome.nextOf("account:settings")
	d.scim("GET", "/Users/"+stay.token, "").want(200)
	s.mustVerify()
}

func TestWhoIsKeptGivesItselfNoName(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	id := d.mustPerson("ann")
	ann := &person{s: s, t: t, name: "ann", token: id}
	ann.useKey(s.operator.post(ann.path("/key"), nil).reply())
	ann.post("/v2/user/me/settings", fields{"display_name": "Boss"}).wantError(403, "name_fixed")
	ann.post("/v2/user/me/settings", fields{"status": "away"}).want(204)
	d.post(ann.path(""), fields{"display_name": "Ann T."}).want(200)
	d.scim("GET", "/Users/"+id, "").want(200).wantAt("Ann T.", "displayName")
}

// TestAPersonCostsFewStatements is what 10,000 people in a minute stand on: each is one call.
func TestAPersonCostsFewStatements(t *testing.T) {
	t.Parallel()
	s := start(t, func(f *figures) { f.counted = true })
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	d.mustPerson("first")
	var counts []int64
	for _, call := range []func(){
		func() { d.mustPerson("second") },
		func() { d.wantFound("Users", `userName eq "second"`, "second") },
	} {
		before := s.counted.statements.Load()
		call()
		counts = append(counts, s.counted.statements.Load()-before)
	}
	for i, most := range []int64{40, 12} {
		if counts[i] > most {
			t.Errorf("call %d runs %d statements, want %d at most", i, counts[i], most)
		}
	}
}

func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	d := s.mustDirectory(org)
	boss := s.mustCreateAdmin(org, "boss")
	d.delete(s.operator.path("/organization/" + org)).want(204)
	// The key of one who administers is used by a directory that another one's account belongs to.
	other := d.as(boss.withKey(s.operator.post(boss.path("/key"), fields{"kind": "administrative", "organization": org}).
		reply()))
	d.scim("PATCH", "/Users/"+boss.token, `{"Operations":[{"op":"replace","path":"active","value":false}]}`).want(200)
	other.scim("GET", "/Users", "").wantError(401, "")
	d.scim("PATCH", "/Users/"+boss.token, `{"Operations":[{"op":"replace","path":"active","value":true}]}`).want(200)
	other = d.as(boss.withKey(s.operator.post(boss.path("/key"), fields{"kind": "administrative", "organization": org}).
		reply()))
	s.operator.delete(boss.path("/organization/" + org + "/roles/admin")).want(204)
	other.scim("GET", "/Users", "").wantError(403, "")
	d.scim("DELETE", "/Users/"+d.token, "").wantError(403, "")
}
