package api_test

import (
	"strings"
	"testing"
)

func TestMetadataIsAFlatObject(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	path := "/v2/metadata/" + c.alice.token
	c.bob.get(path, in(c.org)).reply().wantIs(fields{})
	c.alice.post(path, fields{"a": "1", "b": "2"}, in(c.org)).want(204)
	for _, p := range []*person{c.alice, c.bob, c.operator} {
		p.get(path+"/", in(c.org)).reply().wantIs(fields{"a": "1", "b": "2"})
		p.get(path + "?TT-X-Organization-Key=" + c.org).reply().wantIs(fields{"a": "1", "b": "2"})
	}
	c.bob.get("/v2/metadata/alice@example.com").reply().wantIs(fields{"a": "1", "b": "2"}) // the only organization of both
	c.alice.post(path, fields{"c": "3"}, in(c.org)).want(204)                              // replaces all of it
	c.alice.get(path, in(c.org)).reply().wantIs(fields{"c": "3"})
	c.alice.do("POST", path, form("d", "4", "TT-X-Organization-Key", c.org)).want(204)
	c.alice.get(path, in(c.org)).reply().wantIs(fields{"d": "4"})
	c.alice.do("POST", path, parts(map[string]string{"e": ""}), in(c.org)).want(204)
	c.alice.get(path, in(c.org)).reply().wantIs(fields{"e": ""})
	for _, bad := range []fields{{"a": 1}, {"a": true}, {"a": []string{"x"}}, {"a": fields{"b": "c"}}, {"": "x"}} {
		c.alice.post(path, bad, in(c.org)).want(400)
	}
	c.alice.get(path, in(c.org)).reply().wantIs(fields{"e": ""})
	c.alice.delete(path, in(c.org)).want(204)
	c.alice.get(path, in(c.org)).reply().wantIs(fields{})
	c.alice.delete(path, jsonBody(fields{"TT-X-Organization-Key": c.org})).want(204)
	c.alice.post(path, fields{}, in(c.org)).want(204)
}

// TestMetadataIsNotEmptiedByNoBody: an empty object empties it, nothing at all does not.
func TestMetadataIsNotEmptiedByNoBody(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	const path = "/v2/metadata/me"
	c.alice.post(path, fields{"a": "b"}).want(204)
	for _, contentType := range []string{"", "application/json", "application/x-www-form-urlencoded",
		"multipart/form-data; boundary=b"} {
		c.alice.do("POST", path, body(contentType, strings.NewReader(""))).wantError(400, "metadata_required")
	}
	c.alice.do("POST", path, body("application/json", strings.NewReader(" \n"))).wantError(400, "metadata_required")
	c.alice.post(path, fields{"a\x00": "b"}).wantError(400, "text_invalid")
	c.alice.get(path).reply().wantIs(fields{"a": "b"})
	c.alice.post(path, fields{}).want(204)
	c.alice.get(path).reply().wantIs(fields{})
}

func TestMetadataBelongsToAnOrganization(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.alice)
	path := "/v2/metadata/" + c.alice.token
	c.alice.post(path, fields{"in": "one"}, in(c.org)).want(204)
	c.alice.post(path, fields{"in": "two"}, in(second)).want(204)
	c.alice.get(path, in(c.org)).reply().wantIs(fields{"in": "one"})
	c.alice.get(path, in(second)).reply().wantIs(fields{"in": "two"})
	c.alice.get(path).reply().wantIs(fields{"in": "one"})
	c.bob.get(path).reply().wantIs(fields{"in": "one"})
	unknown := c.bob.get("/v2/metadata/"+randomToken(), in(c.org)).wantMissing()
	wantSameAnswer(c.bob.get(path, in(second)).wantMissing(), unknown)
	wantSameAnswer(c.bob.get(path, in(randomOrganization())).wantMissing(), unknown)
	wantSameAnswer(c.alice.get("/v2/metadata/"+c.bob.token, in(second)).wantMissing(), unknown)
	group := c.alice.mustCreateGroupIn("G", c.org, c.bob)
	wantSameAnswer(c.alice.get("/v2/metadata/"+group, in(second)).wantMissing(), unknown)
	stranger := c.mustCreateStranger("stranger")
	wantSameAnswer(stranger.get(path, in(c.org)).wantMissing(), unknown)
	wantSameAnswer(stranger.post(path, fields{"a": "b"}, in(c.org)).wantMissing(), unknown)
	wantSameAnswer(stranger.delete(path, in(c.org)).wantMissing(), unknown)
}

// Self, group members and administrators write; who may see the entity reads.
func TestMetadataIsWrittenByWhoItIsOf(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	plain := admin.withKey(admin.post(admin.path("/key"), nil).reply())
	private, public := c.alice.mustCreateGroup("G", c.bob),
		c.alice.mustCreateGroupAs(fields{"name": "P", "is_public": true})
	write := func(p *person, entity string) *answer {
		return p.post("/v2/metadata/"+entity, fields{"by": p.name}, in(c.org))
	}
	write(c.alice, c.alice.token).want(204)
	write(admin, c.alice.token).want(204)
	write(c.operator, c.alice.token).want(204)
	write(c.bob, c.alice.token).want(403)
	write(plain, c.alice.token).want(403)
	c.bob.delete("/v2/metadata/"+c.alice.token, in(c.org)).want(403)
	write(c.bob, private).want(204)
	write(admin, private).want(204)
	c.bob.get("/v2/metadata/"+private, in(c.org)).reply().wantIs(fields{"by": "admin"})
	wantSameAnswer(write(c.carl, private).wantMissing(), write(c.carl, randomToken()).wantMissing())
	c.carl.get("/v2/metadata/"+private, in(c.org)).wantMissing()
	write(c.carl, public).want(403)
	c.carl.get("/v2/metadata/"+public, in(c.org)).reply().wantIs(fields{})
	c.carl.delete("/v2/metadata/"+public, in(c.org)).want(403)
	c.bob.delete("/v2/metadata/"+private, in(c.org)).want(204)
}

func TestMetadataOfSeveral(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("G")
	c.alice.post("/v2/metadata/me", fields{"feature_service": "role"}, in(c.org)).want(204)
	c.alice.post("/v2/metadata/"+group, fields{"g": "1"}, in(c.org)).want(204)
	asked := []string{c.bob.token, c.alice.token, randomToken(), stranger.token, group, "alice", "nobody@example.com"}
	c.alice.post("/v2/metadata_bulk", fields{"entities": asked}, in(c.org)).reply().
		wantIs([]fields{{}, {"feature_service": "role"}, {}, {}, {"g": "1"}, {"feature_service": "role"}, {}})
	c.carl.post("/v2/metadata_bulk", fields{"entities": []string{group}}, in(c.org)).reply().wantIs([]fields{{}})
	c.alice.post("/v2/metadata_bulk", fields{"entities": []string{}}, in(c.org)).reply().wantIs([]any{})
	c.alice.post("/v2/metadata_bulk", fields{}, in(c.org)).wantError(400, "entities_required").wantField("entities")
	c.alice.post("/v2/metadata_bulk", fields{"entities": 5}, in(c.org)).want(400).wantField("entities")
	c.bob.get(c.alice.path("?render_metadata=true")).reply().wantFields(
		fields{"metadata": fields{"feature_service": "role"}})
	c.alice.get("/v2/user?render_metadata=true").reply().wantFields(fields{"metadata": fields{"feature_service": "role"}})
}
