package api_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestUserHasEveryField(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	sent := fields{
		"first_name": "Dora", "last_name": "Müller", "display_name": "Dr. Müller", "username": "dora.m",
		"emails": []string{"Dora@Example.com", "d@example.org"},
		"email":  "first@example.com", "phone": "415-555-2671", "phones": "+49 30 1234567", "title": "Surgeon",
		"department": "Surgery",
	}
	dora := c.operator.post("/v2/user", sent, in(c.org)).reply()
	want := fields{
		"token": dora.text("token"), "xmlns": "tigertext:entity:account", "display_name": "Dr. Müller", "first_name": "Dora",
		"last_name": "Müller",
		"username":  "dora.m", "avatar": "", "status": "", "dnd": false, "dnd_text": "",
		"created_time": "2026-11-21T08:15:30.123Z",
		"emails": []fields{{"address": "first@example.com", "verified": false},
			{"address": "dora@example.com", "verified": false}, {"address": "d@example.org", "verified": false}},
		"phones": []fields{{"number": "+14155552671", "verified": false}, {"number": "+49301234567", "verified": false}},
		"title":  "Surgeon", "department": "Surgery", "organization_key": c.org, "organization_token": c.org,
	}
	dora.wantFields(want, "api_key", "api_secret")
	for _, path := range []string{"/v2/user/" + dora.text("token"), "/v2/user/dora.m/",
		"/v2/user/d%40example.org?render_metadata=false"} {
		c.alice.get(path).reply().wantFields(want)
		c.alice.get(path, in(c.org)).reply().wantFields(want)
	}
	c.operator.get("/v2/user_lookup/+49301234567").reply().wantFields(want)
	c.alice.get("/v2/user/dora.m?render_metadata=true").reply().wantFields(fields{"metadata": fields{}})
}

func TestUserIsCreatedInAllContentTypes(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for name, sent := range map[string]option{
		"jsonuser": jsonBody(fields{"username": "jsonuser", "issue_key": true}),
		"formuser": form("username", "formuser", "issue_key", "1", "emails", "a@x.org,b@x.org"),
		"listuser": form("username", "listuser", "issue_key", "true", "emails", "c@x.org", "emails", "d@x.org"),
		"partuser": parts(map[string]string{"username": "partuser", "issue_key": "true", "TT-X-Organization-Key": c.org}),
	} {
		options := []option{sent}
		if name != "partuser" {
			options = append(options, in(c.org))
		}
		user := c.operator.do("POST", "/v2/user", options...).reply()
		user.wantFields(fields{"username": name, "display_name": name})
		created := &person{s: c.server, t: t, name: name, token: user.text("token")}
		created.useKey(user)
		created.get("/v2/user").reply().wantFields(fields{"username": name})
		keys := c.operator.get(created.path("/key")).reply().list()
		if len(keys) != 1 || keys[0].text("api_key") != created.key || keys[0].text("kind") != "regular" ||
			keys[0].text("issued_by") != c.operator.token {
			t.Errorf("%s has the keys %v", name, keys)
		}
	}
	c.operator.post("/v2/user?TT-X-Organization-Key="+c.org, fields{"username": "queryuser"}).reply()
}

func TestUserDisplayNameIsNeverEmpty(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for want, sent := range map[string]fields{
		"Eve Adams":  {"first_name": "Eve", "last_name": "Adams", "username": "e1"},
		"Adams":      {"last_name": "Adams", "username": "e2"},
		"e3":         {"username": "e3", "email": "other@example.com", "display_name": "  "},
		"e4":         {"email": "e4@example.com"},
		"+493012345": {"phone": "+49 30 12345"},
	} {
		c.operator.post("/v2/user", sent, in(c.org)).reply().wantFields(fields{"display_name": want})
	}
	c.alice.post(c.alice.path("/settings"), fields{"display_name": "", "first_name": ""}).want(204)
	c.alice.get("/v2/user").reply().wantFields(fields{"display_name": "alice"})
}

func TestUserCreationRefusesWhatIsNoAccount(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, refused := range []struct {
		sent        fields
		code, field string
	}{
		{fields{}, "address_required", "email"},
		{fields{"first_name": "Only"}, "address_required", "email"},
		{fields{"username": "me"}, "username_invalid", "username"},
		{fields{"username": "ME"}, "username_invalid", "username"},
		{fields{"username": "12345"}, "username_invalid", "username"},
		{fields{"username": "._-"}, "username_invalid", "username"},
		{fields{"username": "with blank"}, "username_invalid", "username"},
		{fields{"username": "a@b"}, "username_invalid", "username"},
		{fields{"username": "a+b"}, "username_invalid", "username"},
		{fields{"username": strings.Repeat("a", 65)}, "username_invalid", "username"},
		{fields{"username": randomToken()}, "username_invalid", "username"},
		{fields{"email": "nobody"}, "email_invalid", "email"},
		{fields{"email": "a@b@c"}, "email_invalid", "email"},
		{fields{"phone": "12"}, "phone_invalid", "phone"},
		{fields{"phone": "+0000000"}, "phone_invalid", "phone"},
		{fields{"phone": "call me"}, "phone_invalid", "phone"},
		{fields{"username": "x1", "password": "short"}, "password_invalid", "password"},
		{fields{"username": "x1", "first_name": strings.Repeat("a", 257)}, "too_long", "first_name"},
		{fields{"username": 5}, "field_invalid", "username"},
		{fields{"username": "x1", "issue_key": "perhaps"}, "field_invalid", "issue_key"},
		{fields{"username": "x1", "emails": []int{1}}, "field_invalid", "emails"},
		{fields{"username": "Alice"}, "address_taken", "username"},
		{fields{"username": "x1", "email": "ALICE@example.com"}, "address_taken", "email"},
		{fields{"username": "x1", "emails": []string{"x1@example.com", "ALICE@example.com"}}, "address_taken", "emails"},
		{fields{"username": "x1", "phones": "12"}, "phone_invalid", "phones"},
	} {
		c.operator.post("/v2/user", refused.sent, in(c.org)).wantError(400, refused.code).wantField(refused.field)
	}
	c.operator.post("/v2/user", fields{"username": "phoned", "phone": "+14155552671"}, in(c.org)).want(200)
	c.operator.post("/v2/user", fields{"username": "x1", "email": "x1@example.com", "phone": "(415) 555.2671"},
		in(c.org)).wantError(400, "address_taken").wantField("phone")
	// Nothing was left behind by what was refused.
	c.operator.post("/v2/user", fields{"username": "x1", "email": "x1@example.com"}, in(c.org)).want(200)
	for _, good := range []string{"a", strings.Repeat("a", 64), "1a", "-.x_", "Me2"} {
		c.operator.post("/v2/user", fields{"username": good}, in(c.org)).want(200)
	}
	c.operator.post("/v2/user", fields{"username": "x2"}).wantError(400, "organization_required")
	c.operator.post("/v2/user", fields{"username": "x2"}, in(randomOrganization())).wantMissing()
	c.operator.post("/v2/user", fields{"username": "x2"}, in("nonsense")).wantMissing()
}

func TestUserIsSeenByWhoSharesAnOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	unknown := stranger.get("/v2/user/" + randomToken()).wantMissing()
	for _, address := range []string{c.alice.token, "alice", "alice@example.com"} {
		wantSameAnswer(stranger.get("/v2/user/"+address).wantMissing(), unknown)
		wantSameAnswer(stranger.get("/v2/user/"+address, in(c.org)).wantMissing(), unknown)
	}
	addresses := []fields{{"address": "alice@example.com", "verified": false}}
	c.bob.get(c.alice.path("")).reply().wantFields(fields{"emails": addresses, "organization_key": c.org})
	c.alice.get("/v2/user/me").reply().wantFields(fields{"token": c.alice.token, "emails": addresses})
	c.alice.get("/v2/user/ME").reply().wantFields(fields{"token": c.alice.token})

	// An operator sees everybody, and the lookup finds everybody, but addresses are
	// for those who share an organization.
	elsewhere := stranger.get("/v2/user").reply().text("organization_key")
	boss := c.mustCreateAdmin(elsewhere, "boss")
	far := boss.mustCreateOrganization("Far")
	hidden := boss.mustCreate(far, "hidden")
	admin := c.mustCreateAdmin(c.org, "admin")
	for _, got := range []value{c.operator.get(hidden.path("")).reply(), admin.get("/v2/user_lookup/hidden").reply(),
		c.operator.get("/v2/user_lookup/hidden@example.com").reply()} {
		got.wantFields(fields{"token": hidden.token, "emails": []any{}, "phones": []any{}})
	}
	boss.get("/v2/user_lookup/hidden",
		in(far)).reply().wantFields(fields{"emails": []fields{{"address": "hidden@example.com", "verified": false}},
		"organization_key": far})
	admin.get("/v2/user_lookup/nobody@example.com").wantMissing()
	admin.get(hidden.path("")).wantMissing()
}

func TestUserShowsTitleInTheOrganizationOfTheCall(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.post(c.alice.path("/organization"),
		fields{"organization": second, "title": "Chief", "department": "Board"}).want(204)
	c.operator.mustJoin(second, c.bob)
	c.bob.get(c.alice.path(""),
		in(second)).reply().wantFields(fields{"title": "Chief", "department": "Board", "organization_key": second,
		"organization_token": second})
	c.bob.get(c.alice.path("?TT-X-Organization-Key=" + second)).reply().wantFields(fields{"title": "Chief"})
	c.bob.get(c.alice.path(""),
		in(c.org)).reply().wantFields(fields{"title": "", "department": "", "organization_key": c.org})
	// the one that Alice was in first
	c.bob.get(c.alice.path("")).reply().wantFields(fields{"title": "", "organization_key": c.org})
	c.carl.get(c.alice.path("")).reply().wantFields(fields{"organization_key": c.org})
	c.carl.get(c.alice.path(""), in(second)).reply().wantFields(nil, "title", "organization_key")
}

// The story of interface.md: lookup 404, create; lookup 200, add.
func TestAddingPeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := s.mustCreateOrganization("One"), s.mustCreateOrganization("Two")
	first, second := s.mustCreateAdmin(one, "first"), s.mustCreateAdmin(two, "second")
	first.get("/v2/user_lookup/eve@example.com").wantMissing()
	eve := first.post("/v2/user", fields{"email": "eve@example.com", "issue_key": true}, in(one)).reply()
	who := &person{s: s, t: t, name: "eve", token: eve.text("token")}
	who.useKey(eve)
	who = who.withKey(s.operator.post(who.path("/key"), nil).reply()) // one that acts in both
	who.forgetEvents()
	second.post("/v2/user", fields{"email": "Eve@Example.com"}, in(two)).wantError(400, "address_taken")
	found := second.get("/v2/user_lookup/eve@example.com").reply().text("token")
	if found != who.token {
		t.Fatalf("the lookup finds %s, want %s", found, who.token)
	}
	second.get(who.path("")).wantMissing()
	second.post("/v2/user/"+found+"/organization", fields{"organization": two, "title": "Nurse"}).want(204)
	who.wantEvents("account:settings")[0].wantIs(fields{"token": who.token,
		"services": []fields{{"xmlns": "tigertext:iq:update:org_settings", "account": who.token}}})
	second.post("/v2/user/"+found+"/organization", nil, in(two)).want(204) // repeats are fine
	second.get(who.path("")).reply().wantFields(fields{"title": "Nurse",
		"emails": []fields{{"address": "eve@example.com", "verified": false}}})
	second.post("/v2/user/eve@example.com/organization", fields{"department": "ICU"}, in(two)).want(204)
	second.get(who.path("")).reply().wantFields(fields{"title": "Nurse", "department": "ICU"})
	who.wantEvents("account:settings", "account:settings")
	who.get("/v2/user/me/organization").reply()
	if got := who.get("/v2/user/me/organization").reply().list(); len(got) != 2 {
		t.Errorf("eve is in %v, want both", got)
	}
	second.post("/v2/user/"+found+"/organization", fields{"organization": one}).wantMissing()
	second.post("/v2/user/"+found+"/organization", fields{}).wantError(400, "organization_required")
	second.post("/v2/user/nobody/organization", fields{"organization": two}).wantMissing()
}

func TestMembershipEnds(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.bob)
	dora := c.mustCreate(second, "dora")
	group := c.alice.mustCreateGroup("G", c.bob)
	private := c.bob.mustCreateGroupIn("Own", c.org, c.carl)
	message := c.alice.mustSend(c.bob.token, "secret")
	in2 := dora.mustSend(c.bob.token, "stays")
	sent := c.bob.mustSend(c.alice.token, "from bob")
	c.bob.post("/v2/mute/group/"+group, fields{"duration": 60}).want(204)
	c.bob.post("/v2/mute/organization/"+second, fields{"duration": 60}).want(204)
	c.alice.forgetEvents()

	c.operator.delete(c.bob.path("/organization/" + c.org)).want(204)
	c.operator.delete(c.bob.path("/organization/" + c.org)).wantMissing()
	// The key stops working there at once.
	c.bob.get("/v2/message/" + message).wantMissing()
	c.bob.get("/v2/message/" + sent).wantMissing()
	c.bob.get("/v2/group/" + group).wantMissing()
	c.bob.get("/v2/group/" + private).wantMissing()
	c.bob.get(c.alice.path("")).wantMissing()
	c.bob.get("/v2/metadata/"+c.alice.token, in(c.org)).wantMissing()
	c.bob.post("/v2/message", fields{"recipient": c.alice.token, "body": "x"}).wantMissing()
	c.bob.post("/v2/message", fields{"recipient": group, "body": "x"}).wantMissing()
	c.alice.post("/v2/message", fields{"recipient": c.bob.token, "body": "x"}).wantMissing()
	c.bob.get(c.bob.path("/organization/" + c.org)).wantMissing()
	c.bob.get(c.bob.path("/organization/" + c.org + "/message/unread_count")).wantMissing()
	// The queued events of the organization that was left are withdrawn, the others stay.
	for _, e := range c.bob.events() {
		switch {
		case e.kind == "message" && e.text("message_id") == in2:
		case e.kind == "account:settings", e.kind == "conversation_mute" && e.text("organization_id") == second:
		default:
			t.Errorf("bob still has %s %s", e.kind, e.value)
		}
	}
	for _, entry := range c.bob.get("/v2/roster").reply().list() {
		if entry.text("organization_id") == c.org {
			t.Errorf("the roster still has %s", entry)
		}
	}
	c.bob.get(c.bob.path("/message/unread_count")).reply().wantFields(fields{"unread_count": 1})
	if muted := c.bob.get("/v2/mute").reply().list(); len(muted) != 1 || muted[0].text("organization_id") != second {
		t.Errorf("muted are still %v", muted)
	}
	// The groups know.
	c.alice.get("/v2/group/" + group).reply().wantFields(fields{"members": []string{c.alice.token}, "num_members": 1})
	removed := c.alice.wantEvents("bang")[0]
	removed.wantFields(fields{"event": "removed"})
	if removed.text("subject_entity", "token") != c.bob.token ||
		removed.text("caller_entity", "token") != c.operator.token {
		t.Errorf("the bang is %s", removed.value)
	}

	// Coming back shows nothing of before.
	c.operator.mustJoin(c.org, c.bob)
	c.bob.get("/v2/message/" + message).wantMissing()
	c.bob.get("/v2/message/" + sent).wantMissing()
	c.bob.get("/v2/group/" + group).wantMissing()
	c.bob.get(c.bob.path("/organization/" + c.org + "/message/unread_count")).reply().wantFields(fields{"unread_count": 0})
	c.bob.post("/v2/message/status", fields{"read": []string{message}}).want(204)
	c.alice.wantEvents("bang")
	c.bob.get("/v2/message/" + c.alice.mustSend(c.bob.token, "new")).want(200)

	// In no organization at all a key still authenticates, and sees nothing of any.
	c.operator.delete(dora.path("/organization/" + second)).want(204)
	dora.get("/v2/user").reply().wantFields(fields{"token": dora.token}, "organization_key")
	dora.get("/v2/user/me/organization").reply().wantIs([]any{})
	dora.get("/v2/roster").reply().wantIs([]any{})
	dora.get("/v2/mute").reply().wantIs([]any{})
	dora.get(c.bob.path("")).wantMissing()
	dora.get("/v2/message/" + in2).wantMissing()
	dora.post("/v2/message", fields{"recipient": "me", "body": "x"}).wantMissing()
}

// mustCreateGroupIn makes a group in one of the person's organizations.
func (p *person) mustCreateGroupIn(name, organization string, members ...*person) string {
	p.t.Helper()
	tokens := make([]string, len(members))
	for i, m := range members {
		tokens[i] = m.token
	}
	return p.post("/v2/group", fields{"name": name, "members": tokens},
		in(organization)).want(204).Header.Get("TT-X-Group-Token")
}

func TestSettingsOfOneself(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	colleague, far := c.bob.openStream(""), stranger.openStream("")
	colleague.wantReplay()
	far.wantReplay()
	c.alice.post(c.alice.path("/settings"),
		fields{"first_name": "Al", "last_name": "Ice", "display_name": "Dr. Ice", "status": "busy", "dnd": true,
			"dnd_text": "x", "avatar": "https://example.com/a.png"}).want(204)
	want := fields{"first_name": "Al", "last_name": "Ice", "display_name": "Dr. Ice", "status": "busy", "dnd": true,
		"dnd_text": "x", "avatar": "https://example.com/a.png"}
	c.alice.get("/v2/user").reply().wantFields(want)
	c.alice.wantEvents("account:settings")[0].wantIs(fields{"token": c.alice.token,
		"services": []fields{{"xmlns": "tigertext:iq:update:account", "account": c.alice.token}}})
	want["type"] = "tigertext:entity:account"
	update := colleague.wantNext("update")
	update.wantFields(want)
	if update.hasID {
		t.Error("the update of a user is queued")
	}
	c.bob.wantEvents()
	c.alice.do("POST", "/v2/user/me/settings", form("dnd", "0", "status", "")).want(204)
	c.alice.get("/v2/user").reply().wantFields(fields{"dnd": false, "status": "", "dnd_text": "x"})
	c.alice.post(c.alice.path("/settings"), fields{}).want(204)
	for _, refused := range []fields{{"dnd": "x"}, {"status": 5}, {"status": strings.Repeat("a", 1025)},
		{"display_name": strings.Repeat("a", 257)}, {"avatar": "javascript:alert(1)"}} {
		c.alice.post(c.alice.path("/settings"), refused).want(400)
	}
	c.bob.post(c.alice.path("/settings"), fields{"status": "x"}).want(403)
	c.operator.post(c.alice.path("/settings"), fields{"status": "x"}).want(403)
	stranger.post(c.alice.path("/settings"), fields{"status": "x"}).wantMissing()
	stranger.mustSend("me", "x")
	far.wantNext("message") // and no update before it
}

func TestAvatarIsServedToWhoMaySeeTheEntity(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	c.alice.do("POST", c.alice.path("/settings"), parts(nil, file{"avatar", "me.png", "text/html", picture})).want(204)
	avatar := c.bob.get(c.alice.path("")).reply().text("avatar")
	path, ok := strings.CutPrefix(avatar, c.url)
	if !ok || !strings.HasPrefix(path, "/v2/avatar/") {
		t.Fatalf("the avatar is %q, want a URL of the server", avatar)
	}
	got := c.bob.get(path).want(200).wantHeader("Content-Type", "image/png")
	if string(got.content) != string(picture) {
		t.Error("the avatar is not the one that was sent")
	}
	wantSameAnswer(stranger.get(path).wantMissing(), stranger.get("/v2/avatar/"+randomToken()).wantMissing())
	c.anyone().get(path).want(401)
	c.bob.get(path, header("If-None-Match", got.Header.Get("ETag"))).want(304)

	for _, content := range []string{"<html><script>", "", "GIF8", "RIFF1234WAVE"} {
		c.alice.do("POST", c.alice.path("/settings"),
			parts(nil, file{"avatar", "x.png", "image/png", []byte(content)})).want(400).wantField("avatar")
	}
	for _, kind := range []string{"\xff\xd8\xff\xe0", "GIF89a", "GIF87a", "RIFF1234WEBP"} {
		c.alice.do("POST", c.alice.path("/settings"),
			parts(nil, file{"avatar", "x", "", []byte(kind + "rest of it")})).want(204)
	}
	// The one before is gone.
	c.bob.get(path).wantMissing()
	c.alice.post(c.alice.path("/settings"), fields{"avatar": ""}).want(204)
	c.bob.get(c.alice.path("")).reply().wantFields(fields{"avatar": ""})

	group := c.alice.do("POST", "/v2/group",
		parts(map[string]string{"name": "G", "members": c.bob.token},
			file{"avatar", "g.gif", "image/gif", []byte("GIF89a-picture")})).want(204)
	path = strings.TrimPrefix(group.Header.Get("TT-X-Group-Avatar"), c.url)
	c.bob.get(path).want(200).wantHeader("Content-Type", "image/gif")
	c.carl.get(path).wantMissing()
	c.clock.Advance(time.Minute)
	c.mustSweep()
	c.bob.get(path).want(200)
	c.alice.delete("/v2/group/" + group.Header.Get("TT-X-Group-Token")).want(204)
	c.clock.Advance(time.Minute)
	c.mustSweep()
	if rows, files := c.countRows("avatars")+c.countRows("blobs"), c.countBlobs(); rows+files > 0 {
		t.Errorf("of a deleted group's avatar %d rows and %d files are left", rows, files)
	}
}

// An address that looks like another one is that one, or none.
func TestAddressesThatLookAlikeAreOne(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	create := func(email string) *answer {
		return c.operator.post("/v2/user", fields{"email": email, "display_name": "J"}, in(c.org))
	}
	composed, decomposed := "j\u00fcrgen@example.com", "J\u0075\u0308rgen@example.com"
	token := create(composed).reply().text("token")
	create(decomposed).wantError(400, "address_taken").wantField("email")
	create("\u212ajell@example.com").want(200) // the sign of Kelvin is folded to a k
	create("kjell@example.com").wantError(400, "address_taken")
	for _, spelling := range []string{composed, decomposed, "J\u00dcRGEN@EXAMPLE.COM", "j\u00fcrgen@exam\u00adple.com"} {
		c.operator.get("/v2/user_lookup/" + url.PathEscape(spelling)).reply().wantFields(fields{"token": token})
		c.alice.mustSend(spelling, "hello")
	}
	for _, unseen := range []string{"j\u200b\u00fcrgen@example.com", "\u202ej\u00fcrgen@example.com",
		"j\u00fcrgen\u3164@example.com"} {
		create(unseen).wantError(400, "email_invalid")
	}
	// Cyrillic, full width, unseen, marked, dotless
	for _, username := range []string{"аlice", "alicе", "ａlice", "alice\u200b", "ali\u0301ce", "al\u0131ce"} {
		c.operator.post("/v2/user", fields{"username": username}, in(c.org)).wantError(400, "username_invalid")
	}
}
