package api_test

import (
	"net/http"
	"testing"

	"signet/internal/blob/s3test"
	"signet/internal/testenv"
)

// Administrators and operators administer; they read nothing of what people wrote.
func TestArchiveForAdministratorsHoldsNothingThatPeopleWrote(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	two := c.mustCreateOrganization("Second organization")
	other := c.mustCreateAdmin(two, "other")
	other.mustJoin(two, c.bob)
	there := other.mustCreate(two, "there")
	group := c.alice.mustCreateGroup("Ward", c.bob)
	other.mustCreateGroupIn("Elsewhere", two, c.bob)

	const needle = "needle"
	c.bob.post("/v2/metadata/"+c.bob.token, fields{needle: needle}, in(c.org)).want(204)
	c.bob.post("/v2/metadata/"+c.bob.token, fields{needle: needle}, in(two)).want(204)
	data := []fields{{"mimetype": "a/b", "namespace": needle, "payload": needle}}
	sent := map[string]bool{
		c.bob.mustSend(c.alice.token, needle, "data", data):                            true,
		c.alice.mustAttach(c.bob.token, needle+".txt", "text/"+needle, []byte(needle)): true,
		c.alice.mustSend(group, needle):                                                true,
	}
	recalled := c.alice.mustSend(c.bob.token, needle)
	c.alice.delete("/v2/message/" + recalled).want(204)
	sent[recalled] = true
	elsewhere := there.mustSend(c.bob.token, needle)
	c.bob.post("/v2/mute/p2p", fields{"sender_token": there.token, "duration": 60, "receiver_organization": two}).
		want(204)
	c.bob.forgetEvents()

	o := boss.mustExport("bob")
	c.bob.wantEvents("account:settings")
	for _, name := range o.names {
		if len(name) > 12 && name[:12] == "attachments/" {
			t.Errorf("there is the file %s", name)
		}
	}
	for _, secret := range []string{needle, elsewhere, there.token, "Elsewhere", "Second organization"} {
		o.wantNowhere(secret)
	}
	for _, e := range o.lines("audit.jsonl") { // which says who else took the account in
		e.wantFields(fields{"chain": c.org})
	}
	delete(o.files, "audit.jsonl")
	o.wantNowhere(two)
	got := o.lines("messages.jsonl")
	for _, m := range got {
		if !sent[m.text("message_id")] {
			t.Errorf("there is the message %s", m)
		}
		m.wantFields(fields{"sender_organization": c.org}, "body", "data", "attachments", "attachment_name", "file")
		for _, name := range []string{"status", "statuses", "created_time", "recipient_token"} {
			if !m.has(name) {
				t.Errorf("the message has no %s: %s", name, m)
			}
		}
	}
	if len(got) != len(sent) {
		t.Errorf("there are %d messages, want %d", len(got), len(sent))
	}
	account := o.object("account.json")
	account.at("account").wantFields(fields{"username": "bob", "token": c.bob.token})
	if n := len(account.list("organizations")); n != 1 {
		t.Errorf("the account is in %d organizations, want the administrator's", n)
	}
	if n := len(o.object("groups.json").list()); n != 1 {
		t.Errorf("there are %d groups, want 1", n)
	}
	o.object("manifest.json").wantFields(fields{"account_id": c.bob.token, "asked_by": boss.token, "content": false,
		"organizations": []string{c.org}, "attachments": 0})
	line := boss.get("/v2/organization/" + c.org + "/audit?action=user.export").reply().at(0)
	line.wantFields(fields{"account": boss.token, "on_account": c.bob.token, "outcome": "ok"})

	// An operator has all organizations, and no more of what is in them.
	all := c.operator.mustExport(c.bob.token)
	all.wantNowhere(needle)
	if n := len(all.lines("messages.jsonl")); n != len(sent)+1 {
		t.Errorf("an operator's archive has %d messages, want %d", n, len(sent)+1)
	}
	c.bob.wantEvents("account:settings", "account:settings")
}

func TestArchiveIsForThoseWhoMayHaveIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	two := c.mustCreateOrganization("Two")
	other := c.mustCreateAdmin(two, "other")
	export := func(of string) string { return "/v2/user/" + of + "/export" }
	for _, p := range []*person{other, c.mustCreateStranger("eve")} {
		for _, of := range []string{c.bob.token, "bob", "bob%40example.com"} {
			wantSameAnswer(p.get(export(of)), p.get(export(randomToken())))
			p.get(export(of)).wantMissing()
		}
	}
	c.alice.get(export("bob")).wantError(403, "administrative_key_required")
	boss.get(export(c.operator.token)).wantError(403, "not_allowed")
	c.operator.get(export(c.mustCreateOperator("maria").token)).wantError(403, "not_allowed")

	// A session has to be elevated; a link on a page of the server's own leads to the file.
	c.mustHavePassword(c.bob)
	session := c.bob.mustSignIn()
	session.get(export("me")).wantError(403, "administrative_key_required")
	session = session.mustElevate()
	session.mustExport("me")
	navigation := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	mustOpenArchive(t, session.get(export("me"), navigation))
	foreign := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	session.get(export("me"), foreign).wantError(403, "origin_refused")
	c.bob.get(export("me"), header("Origin", "https://elsewhere.example")).wantError(403, "origin_refused")
	head := c.bob.do("HEAD", export("me")).want(200).wantHeader("Content-Type", "application/zip")
	if len(head.content) > 0 {
		t.Errorf("HEAD is answered with %d bytes", len(head.content))
	}

	// A key of one organization gives what is in that.
	other.mustJoin(two, c.bob)
	hers := other.mustCreate(two, "hers")
	there, here := hers.mustSend(c.bob.token, "there"), c.alice.mustSend(c.bob.token, "here")
	for org, want := range map[string]string{two: there, c.org: here} {
		scoped := c.bob.withKey(c.operator.post(c.bob.path("/key"), fields{"organization": org}).reply())
		o := scoped.mustExport("me")
		got := o.lines("messages.jsonl")
		if len(got) != 1 || got[0].text("message_id") != want {
			t.Errorf("with a key of one organization there is %s", o.files["messages.jsonl"])
		}
		o.object("manifest.json").wantFields(fields{"organizations": []string{org}, "content": true})
		for _, e := range o.lines("audit.jsonl") {
			e.wantFields(fields{"chain": org})
		}
	}
	// The secret of before opens for a while, and gives nothing away for good.
	old := c.bob.withKey(c.bob.post("/v2/user/me/key", nil).reply())
	c.bob.post("/v2/user/me/key/"+old.key+"/rotate", nil).want(200)
	old.get(export("me")).wantError(403, "secret_replaced")
}

func TestArchiveHasAttachmentsOfABucket(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	c := startClinic(t, func(f *figures) { f.blobs = bucket.Location() })
	content := randomBytes(3 << 20)
	id := c.alice.mustAttach(c.bob.token, "scan", "image/png", content)
	if got := c.bob.mustExport("me").files["attachments/"+id]; string(got) != string(content) {
		t.Errorf("the file has %d bytes, which are not those that were sent", len(got))
	}
}
