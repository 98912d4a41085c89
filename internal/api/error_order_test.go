package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// Which error wins (contract, section 1): a request with several faults gets the
// first of them, in the order of this list.
func TestWhichErrorWins(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst, f.api.BodyBytes = 100, 100, 4096 })
	admin := c.mustCreateAdmin(c.org, "admin")
	public := c.alice.mustCreateGroupAs(fields{"name": "G", "is_public": true})
	exhausted := c.bob.withKey(c.bob.post(c.bob.path("/key"), nil).reply())
	for exhausted.get("/v2/mute").StatusCode != 429 {
	}
	if err := c.makeOperator("other"); err != nil {
		t.Fatal(err)
	}
	other := c.mustOperator("other")
	admin.mustJoin(c.org, other)

	// An administrative call, and one with rights that a member may lack.
	type faults struct {
		method, path string
		as           *person
		large        bool
		contentType  string
		content      string
	}
	request := func(f faults) *answer {
		t.Helper()
		content := f.content
		if f.large {
			content = `{"padding":"` + strings.Repeat("x", 5000) + content
		}
		return f.as.do(f.method, f.path, body(f.contentType, strings.NewReader(content)))
	}
	nowhere, missing := "/v2/user/"+c.alice.token+"/keys", "/v2/user/"+randomToken()+"/key/"+randomToken()+"/rotate"
	forbidden := other.path("/key/" + other.key + "/rotate")
	steps := []struct {
		status int
		code   string
		faults faults
	}{
		{404, "endpoint_unknown", faults{"POST", nowhere, c.alice.with("x", "x"), true, "text/plain", "{"}},
		{405, "method_not_allowed", faults{"PATCH", missing, c.alice.with("x", "x"), true, "text/plain", "{"}},
		{401, "credentials_invalid", faults{"POST", missing, c.alice.with("x", "x"), true, "text/plain", "{"}},
		{429, "rate_limited", faults{"POST", missing, exhausted, true, "text/plain", "{"}},
		{413, "body_too_large", faults{"POST", missing, admin, true, "text/plain", "{"}},
		{415, "content_type_unsupported", faults{"POST", missing, admin, false, "text/plain", "{"}},
		{415, "content_type_unsupported", faults{"POST", missing, admin, false, "", "{"}},
		{400, "body_invalid", faults{"POST", missing, admin, false, "application/json", "{"}},
		{400, "grace_invalid", faults{"POST", missing, admin, false, "application/json", `{"grace":-1}`}},
		{400, "grace_invalid", faults{"POST", forbidden, admin, false, "application/json", `{"grace":-1}`}},
		{404, "not_found", faults{"POST", missing, admin, false, "application/json", `{}`}},
		{403, "not_allowed", faults{"POST", forbidden, admin, false, "application/json", `{}`}},

		{429, "rate_limited", faults{"POST", "/v2/organization", exhausted, true, "text/plain", "{"}},
		{403, "administrative_key_required", faults{"POST", "/v2/organization", c.alice, true, "text/plain", "{"}},
		{403, "administrative_key_required",
			faults{"POST", "/v2/organization/" + randomOrganization(), c.alice, true, "text/plain", "{"}},
		{413, "body_too_large", faults{"POST", "/v2/organization/" + randomOrganization(), admin, true, "text/plain", "{"}},

		{400, "field_invalid", faults{"POST", "/v2/group/" + public, c.carl, false, "application/json", `{"is_public":"x"}`}},
		{400, "field_invalid", faults{"POST", "/v2/group/" + randomToken(), c.carl, false, "application/json",
			`{"is_public":"x"}`}},
		{404, "not_found", faults{"POST", "/v2/group/" + randomToken(), c.carl, false, "application/json",
			`{"is_public":false}`}},
		{403, "not_allowed", faults{"POST", "/v2/group/" + public, c.carl, false, "application/json", `{"is_public":false}`}},
	}
	for _, step := range steps {
		got := request(step.faults)
		if code := got.value().at("error", "code").v; got.StatusCode != step.status || code != step.code {
			t.Errorf("%s: got %d %v, want %d %s", got.what, got.StatusCode, code, step.status, step.code)
		}
		switch step.status {
		case 405:
			got.wantHeader("Allow", "POST")
		case 401:
			got.wantHeader("WWW-Authenticate", `Basic realm="signet", charset="UTF-8"`)
		}
	}
}

// A fault of the body is told before the target is looked for, whatever it is.
func TestBodyIsCheckedBeforeTheTarget(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	many := fields{}
	for i := range 12 {
		many["key"+number(i)] = "v"
	}
	user, group, message, org := "/v2/user/"+randomToken(), "/v2/group/"+randomToken(), "/v2/message/"+randomToken(),
		randomOrganization()
	for _, bad := range []struct {
		method, path string
		sent         fields
		options      []option
	}{
		{"POST", user + "/settings", fields{"dnd": "x"}, nil},
		{"POST", user + "/settings", fields{"status": strings.Repeat("x", 1025)}, nil},
		{"POST", user + "/settings", fields{"avatar": "ftp://x/y"}, nil},
		{"POST", user + "/password", fields{}, nil},
		{"POST", user + "/password", fields{"password": "short"}, nil},
		{"POST", user + "/organization", fields{"title": 5, "organization": c.org}, nil},
		{"POST", user + "/organization", fields{"title": strings.Repeat("x", 257), "organization": org}, nil},
		{"POST", user + "/organization", fields{}, nil},
		{"POST", user + "/organization/" + org + "/roles/A", nil, nil},
		{"DELETE", user + "/organization/" + org + "/roles/A", nil, nil},
		{"POST", user + "/key", fields{"kind": "x"}, nil},
		{"POST", user + "/key", fields{"messages_per_day": -1}, nil},
		{"POST", user + "/key/x/rotate", fields{"grace": 86401}, nil},
		{"POST", "/v2/user", fields{"username": "!"}, []option{in(org)}},
		{"POST", "/v2/user", fields{"username": "x"}, nil},
		{"POST", "/v2/group", fields{"name": 5}, []option{in(org)}},
		{"POST", "/v2/group", fields{"metadata": many}, []option{in(org)}},
		{"POST", "/v2/group", fields{"avatar": "x"}, []option{in(org)}},
		{"POST", group, fields{"name": strings.Repeat("x", 257)}, nil},
		{"POST", group, fields{"avatar": "x"}, nil},
		{"POST", "/v2/group/nonsense", fields{"name": strings.Repeat("x", 257)}, nil},
		{"POST", user + "/webhook/nonsense", fields{"enabled": "x"}, nil},
		{"POST", group + "/members", fields{}, nil},
		{"POST", group + "/members/remove", fields{}, nil},
		{"GET", group + "?render_metadata=x", nil, nil},
		{"GET", user + "?render_metadata=x", nil, nil},
		{"POST", "/v2/message", fields{"recipient": "nobody"}, nil},
		{"POST", "/v2/message", fields{"recipient": "nobody", "body": "x", "ttl": 0}, nil},
		{"POST", "/v2/message", fields{"recipient": "nobody", "body": "x", "priority": 5}, nil},
		{"POST", "/v2/message", fields{"recipient": "nobody", "body": strings.Repeat("x", 64<<10+1)}, nil},
		{"POST", "/v2/message", fields{"recipient": "nobody", "body": "x"}, []option{requestID("a b")}},
		{"POST", "/v2/message", fields{"recipient": "nobody", "body": "x", "sender_organization": org,
			"recipient_organization": c.org}, nil},
		{"POST", message + "/forward", fields{}, nil},
		{"POST", message + "/forward", fields{"recipient": "nobody", "priority": 5}, nil},
		{"POST", "/v2/message/nonsense/forward", fields{"recipient": "nobody", "priority": 5}, nil},
		{"POST", "/v2/message/typing", fields{}, nil},
		{"POST", "/v2/metadata/" + randomToken(), fields{"a": 1}, nil},
		{"POST", "/v2/metadata/" + randomToken(), many, nil},
		{"POST", "/v2/roster", fields{}, nil},
		{"POST", "/v2/mute/p2p", fields{"sender_token": "nobody", "duration": 0}, nil},
		{"POST", "/v2/mute/group/" + randomToken(), fields{"duration": "x"}, nil},
		{"POST", "/v2/mute/organization/" + org, fields{"duration": 525601}, nil},
		{"POST", "/v2/organization/" + org, fields{"ttl": 0}, nil},
		{"POST", "/v2/organization/" + org, fields{"name": ""}, nil},
		{"DELETE", "/v2/organization/" + org, fields{}, nil},
	} {
		options := bad.options
		if bad.sent != nil {
			options = append(options, jsonBody(bad.sent))
		}
		if got := c.operator.do(bad.method, bad.path, options...); got.StatusCode != 400 {
			t.Errorf("%s with %v: got %d %s, want 400", got.what, bad.sent, got.StatusCode, got.content)
		}
	}
}

// A body that no field is defined for is ignored, whatever it is, and an empty one
// needs no type.
func TestBodyOfGetAndDeleteIsIgnored(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, sent := range []option{
		body("application/json", strings.NewReader("{}")), body("application/json", strings.NewReader("")),
		body("application/json", strings.NewReader("{broken")),
		body("text/plain", strings.NewReader("x")), body("", strings.NewReader("x")),
		header("Content-Type", "application/json"),
	} {
		c.alice.get("/v2/user", sent).want(200)
		c.alice.delete("/v2/message/typing/"+c.bob.token, sent).want(204)
		c.alice.delete("/v2/message/"+randomToken(), sent).wantMissing()
	}
	for _, empty := range []option{body("", http.NoBody), body("text/plain", strings.NewReader("")),
		header("Content-Type", "application/json")} {
		c.alice.do("POST", "/v2/logout", empty).want(204)
	}
	c.alice.do("POST", "/v2/logout", body("text/plain", strings.NewReader("x"))).wantError(415, "content_type_unsupported")
	c.alice.do("POST", "/v2/logout", body("", strings.NewReader("x"))).wantError(415, "content_type_unsupported")
}

func TestEveryPathTakesATrailingSlash(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	for _, path := range []string{"/v2/user", "/v2/user/bob", "/v2/roster", "/v2/mute", "/v2/events",
		"/v2/user/me/organization", "/v2/user/me/message/unread_count"} {
		want := c.alice.get(path).want(200)
		wantSameAnswer(c.alice.get(path+"/").want(200), want)
		c.alice.get(path+"//").wantError(404, "endpoint_unknown")
	}
	c.alice.get("/v2").wantError(404, "endpoint_unknown")
	c.alice.get("/").wantError(404, "endpoint_unknown")
	c.alice.do("PUT", "/v2/user").wantError(405, "method_not_allowed").wantHeader("Allow", "GET, HEAD, POST")
	c.alice.do("HEAD", "/v2/user").want(200)
}
