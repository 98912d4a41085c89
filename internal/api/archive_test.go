package api_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// opened is an archive that a test has read whole.
type opened struct {
	t     *testing.T
	files map[string][]byte
	names []string
}

func mustOpenArchive(t *testing.T, a *answer) *opened {
	t.Helper()
	a.want(200)
	out := &opened{t: t, files: map[string][]byte{}}
	r, err := zip.NewReader(bytes.NewReader(a.content), int64(len(a.content)))
	if err != nil {
		t.Fatalf("the archive does not open: %v", err)
	}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content) // which compares the checksum
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		out.files[f.Name] = text
		out.names = append(out.names, f.Name)
	}
	return out
}

// mustExport reads the archive of an account.
func (p *person) mustExport(of string) *opened {
	p.t.Helper()
	return mustOpenArchive(p.t, p.get("/v2/user/"+of+"/export"))
}

// object returns the value of a JSON file.
func (o *opened) object(name string) value {
	o.t.Helper()
	return o.value(name, o.files[name])
}

func (o *opened) value(name string, text []byte) value {
	o.t.Helper()
	v := value{t: o.t}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v.v); err != nil {
		o.t.Fatalf("%s: %v: %s", name, err, text)
	}
	return v
}

// lines returns the values of a file with one a line.
func (o *opened) lines(name string) (out []value) {
	o.t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(o.files[name]))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		out = append(out, o.value(name, lines.Bytes()))
	}
	return out
}

// wantNowhere checks that no file holds a text, by its name or in it.
func (o *opened) wantNowhere(text string) {
	o.t.Helper()
	for name, content := range o.files {
		if strings.Contains(name, text) || bytes.Contains(content, []byte(text)) {
			o.t.Errorf("%s has %q", name, text)
		}
	}
}

func TestArchiveHasWhatTheCallsShow(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	c.bob.post("/v2/user/me/settings", fields{"status": "in <surgery>", "dnd": true}).want(204)
	c.bob.do("POST", "/v2/user/me/settings", parts(nil, file{"avatar", "a.png", "", picture})).want(204)
	c.bob.post("/v2/metadata/"+c.bob.token, fields{"pager": "4711"}, in(c.org)).want(204)
	c.operator.post(c.bob.path("/organization/"+c.org+"/roles/help_desk"), nil).want(204)
	c.bob.post(c.bob.path("/organization/"+c.org+"/roles/admin"), nil).want(200)
	group := c.alice.mustCreateGroup("Ward", c.bob, c.carl)
	c.bob.post("/v2/mute/p2p", fields{"sender_token": c.alice.token, "duration": 60}, in(c.org)).want(204)
	first := c.alice.mustSend(c.bob.token, "first")
	c.bob.mustMark("read", first)
	second := c.bob.mustSend(c.alice.token, "second", "data",
		[]fields{{"mimetype": "text/plain", "namespace": "ns", "payload": "pay"}})
	third := c.bob.mustSend(group, "third")
	file := []byte("The picture.")
	fourth := c.alice.mustAttach(c.bob.token, "../../x.JPG", "image/jpeg", file)
	recalled := c.alice.mustSend(c.bob.token, "recalled")
	c.alice.delete("/v2/message/" + recalled).want(204)
	short := c.alice.mustSend(c.bob.token, "short", "ttl", 1)
	dor := c.alice.mustSend(c.bob.token, "dor", "dor", true)
	c.bob.mustMark("read", dor)
	c.alice.mustSend(c.carl.token, "of others")
	other := c.alice.mustCreateGroup("Other")
	c.alice.setDuty(other, merged(turns(c.alice, c.bob), fields{"overrides": []fields{override(c.bob, 1, 2)}})).want(204)
	boss.post(c.bob.path("/key"), nil).want(200)
	c.clock.Advance(2 * time.Minute)

	c.bob.post("/v2/user/me/push", exampleSubscription("/archive")).want(204)
	for _, signature := range []string{"v1", "v1a"} {
		c.bob.post("/v2/user/me/webhook", fields{"url": "https://hooks.example.com/bob", "signature": signature}).want(200)
	}

	got := c.bob.get("/v2/user/me/export")
	got.wantHeader("Content-Type", "application/zip").wantHeader("Content-Disposition",
		`attachment; filename="export-`+c.bob.token+"-"+c.clock.Now().UTC().Format("20060102")+`.zip"`)
	o := mustOpenArchive(t, got)
	names := []string{"README.txt", "account.json", "avatar.png", "keys.json", "webhooks.json", "passkeys.json",
		"mutes.json", "push.json", "conversations.json", "groups.json", "duty.json", "messages.jsonl",
		"attachments/" + fourth + ".jpg", "audit.jsonl", "manifest.json"}
	if !slices.Equal(o.names, names) {
		t.Errorf("the archive has %v, want %v", o.names, names)
	}

	if !bytes.Equal(o.files["avatar.png"], picture) {
		t.Errorf("the picture is %q", o.files["avatar.png"])
	}
	account := o.object("account.json")
	account.at("account").wantIs(c.bob.get("/v2/user/me").reply().v)
	account.at("organizations", 0).wantFields(fields{"organization_id": c.org, "name": "Clinic",
		"roles": []string{"help_desk"}, "pending_roles": []string{"admin"}, "metadata": fields{"pager": "4711"}})
	o.object("keys.json").wantIs(c.bob.get("/v2/user/me/key").reply().v)
	o.object("webhooks.json").wantIs(c.bob.get("/v2/user/me/webhook").reply().v)
	if n := len(o.object("webhooks.json").list()); n != 2 {
		t.Errorf("the archive has %d webhooks, want 2", n)
	}
	o.object("push.json").wantIs(c.bob.get("/v2/user/me/push").reply().v)
	o.object("mutes.json").wantIs(c.bob.get("/v2/mute").reply().v)
	o.object("duty.json").wantIs([]fields{
		{"group_token": other, "organization_id": c.org, "part": "rotation"},
		{"group_token": other, "organization_id": c.org, "part": "overrides", "from": "2026-11-23T01:00:00.000Z",
			"to": "2026-11-23T02:00:00.000Z"}})
	o.object("groups.json").at(0).wantIs(c.bob.get("/v2/group/" + group).reply().v)
	c.wantConversations(o)
	found := map[string]value{}
	for _, m := range o.lines("messages.jsonl") {
		found[m.text("message_id")] = m
	}
	if len(found) != 5 || found[short].v != nil || found[dor].v != nil {
		t.Errorf("the archive has %d messages, want 5: %s", len(found), o.files["messages.jsonl"])
	}
	for _, id := range []string{first, second, third, fourth, recalled} {
		m := found[id]
		for name, v := range c.bob.get("/v2/message/" + id).reply().v.(map[string]any) {
			m.at(name).wantIs(v)
		}
		m.at("statuses").wantIs(c.bob.get("/v2/message/" + id + "/status").reply().at("statuses").v)
	}
	found[fourth].wantFields(fields{"file": "attachments/" + fourth + ".jpg"})
	if text := o.files["attachments/"+fourth+".jpg"]; string(text) != string(file) {
		t.Errorf("the file is %q", text)
	}

	o.wantAuditLines(boss)
	manifest := o.object("manifest.json")
	manifest.wantFields(fields{"account_id": c.bob.token, "asked_by": c.bob.token, "server_version": "v1.2.3", "format": 1,
		"content": true, "organizations": []string{c.org}, "attachments": 1,
		"attachments_lost": fields{"missing": 0, "damaged": 0}})
	o.wantCounted(manifest)
	if len(manifest.list("files")) != 11 {
		t.Errorf("the manifest lists %s", manifest.at("files"))
	}
	o.wantNowhere("of others")
	o.wantNowhere("short")
	o.wantNowhere(c.bob.secret)
}

// TestArchiveSaysWhatDirectoriesAndProvidersCallThePerson: also the one that an administrator has.
func TestArchiveSaysWhatDirectoriesAndProvidersCallThePerson(t *testing.T) {
	t.Parallel()
	w := startWard(t, nil)
	d := w.mustDirectory(w.org)
	d.scim("PATCH", "/Users/"+w.alice.token, `{"Operations":[{"op":"replace","value":{"userName":"Alice@Example.com",
		"externalId":"E-1"}}]}`).want(200)
	w.says("alice")
	linked := w.clock.Now()
	w.mustSignIn()
	elsewhere := w.mustCreateOrganization("Elsewhere")
	w.operator.mustJoin(elsewhere, w.alice)
	for who, archive := range map[string]*opened{
		"alice": w.alice.mustExport("me"), "the directory": d.mustExport(w.alice.token)} {
		all := archive.object("account.json").list("organizations")
		if want := map[string]int{"alice": 2, "the directory": 1}[who]; len(all) != want {
			t.Fatalf("the archive of %s has %d organizations, want %d", who, len(all), want)
		}
		all[0].wantFields(fields{"organization_id": w.org, "directory": fields{"user_name": "Alice@Example.com",
			"external_id": "E-1"}, "subjects": []fields{{"issuer": w.provider.URL, "subject": "sub-alice",
			"linked_time": linked.UTC().Format("2006-01-02T15:04:05.000Z")}}})
		if who == "alice" {
			all[1].wantFields(fields{"organization_id": elsewhere, "subjects": []fields{}}, "directory")
		}
	}
}

// wantConversations compares an archive's conversations with what the call shows bob.
func (c *clinic) wantConversations(o *opened) {
	c.t.Helper()
	shown := c.bob.get("/v2/conversation").reply().list("results")
	kept := o.object("conversations.json").list()
	if len(kept) != len(shown) {
		c.t.Fatalf("there are %d conversations, want %d", len(kept), len(shown))
	}
	for i := range shown {
		for _, name := range []string{"entity", "organization_id", "unread_count", "unread_priority_count", "muted"} {
			kept[i].at(name).wantIs(shown[i].at(name).v)
		}
	}
}

// wantAuditLines looks for the lines of an archive, in which another one has no key and no
// address.
func (o *opened) wantAuditLines(other *person) {
	o.t.Helper()
	var actions []string
	for _, e := range o.lines("audit.jsonl") {
		actions = append(actions, e.text("action"))
		if e.text("account") == other.token && (e.has("key") || e.has("address") || e.has("request_id")) {
			o.t.Errorf("the line of somebody else says with which key, or from where: %s", e)
		}
	}
	if !slices.Contains(actions, "key.issue") || actions[len(actions)-1] != "user.export" {
		o.t.Errorf("the lines of the audit log are %v", actions)
	}
}

// wantCounted compares how many entries the manifest tells of with those that there are.
func (o *opened) wantCounted(manifest value) {
	o.t.Helper()
	for _, f := range manifest.list("files") {
		name, n := f.text("name"), int(f.int("entries"))
		want := 1
		switch {
		case strings.HasSuffix(name, ".jsonl"):
			want = len(o.lines(name))
		case name != "account.json":
			want = len(o.object(name).list())
		}
		if n != want {
			o.t.Errorf("the manifest says that %s has %d entries, want %d", name, n, want)
		}
	}
}
