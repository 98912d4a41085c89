package api_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"signet/internal/api"
)

// scimCall is a call of SCIM that a directory may make, and how it is answered.
func scimCall(method, pattern, path string) (body string, want int) {
	users := strings.Contains(pattern, "Users")
	switch {
	case method == "POST" && strings.HasSuffix(path, "Users"):
		return `{"userName":"ann"}`, 409
	case method == "POST" && strings.HasSuffix(path, "Groups"):
		return `{"displayName":"Ward"}`, 409
	case method == "POST" && strings.HasSuffix(path, "Bulk"), strings.HasSuffix(path, "Me"):
		return "", 501
	case method == "POST":
		return `{}`, 200
	case method == "PUT" && users:
		return `{"userName":"ann","emails":[{"value":"ann@example.com"}]}`, 200
	case method == "PUT":
		return `{"displayName":"Ward"}`, 200
	case method == "PATCH" && users:
		return `{"Operations":[{"op":"replace","path":"title","value":"x"}]}`, 200
	case method == "PATCH":
		return `{"Operations":[{"op":"replace","path":"displayName","value":"Ward"}]}`, 204
	}
	return "", 200
}

// namesSomebody reports whether a route is of one person or group.
func namesSomebody(pattern string) bool {
	return strings.Contains(pattern, ":") && !strings.Contains(pattern, ":id")
}

// TestOnlyDirectoriesCall is the matrix of SCIM: every call with every kind of caller.
func TestOnlyDirectoriesCall(t *testing.T) {
	t.Parallel()
	s := start(t)
	org, elsewhere := s.mustCreateOrganization("Clinic"), s.mustCreateOrganization("Elsewhere")
	d := s.mustDirectory(org)
	ann, gone := d.mustPerson("ann"), d.mustPerson("gone")
	group := d.scim("POST", "/Groups", `{"displayName":"Ward"}`).want(201).id()
	boss := s.mustCreateAdmin(org, "boss") // without a scope
	member := s.mustCreate(org, "member")
	scoped := func(p *person, kind, of string) *person {
		return p.withKey(s.operator.post(p.path("/key"), fields{"kind": kind, "organization": of}).reply())
	}
	s.mustHavePassword(boss)
	session := boss.mustSignIn().mustElevate()
	former := scoped(boss, "administrative", org)
	other := s.mustCreateAdmin(elsewhere, "other")
	abroad := scoped(other, "administrative", elsewhere)

	callers := []struct {
		name string
		who  *person
		want string // status of what only reads; * is what a directory gets
	}{
		{"nobody", s.anyone(), "401"},
		{"a wrong secret", d.with(d.key, "wrong"), "401"},
		{"a session that is elevated", session, "401"},
		{"a member", member, "403"},
		{"a member with a scope", scoped(member, "regular", org), "403"},
		{"an administrative key of a member", scoped(member, "administrative", org), "403"},
		{"a regular key of an administrator", scoped(boss, "regular", org), "403"},
		{"an administrator without a scope", boss, "403"},
		{"an operator", s.operator, "403"},
		{"another organization's directory", abroad, "404"},
		{"an administrator with the scope", former, "*"},
		{"the directory", d.person, "*"},
	}
	for _, route := range new(api.API).SCIMTable() {
		method, pattern, _ := strings.Cut(route, " ")
		path := strings.NewReplacer("/scim/v2", "", ":user", ann, ":group", group, ":id", "User").Replace(pattern)
		if strings.HasPrefix(pattern, "/scim/v2/Schemas/") {
			path = "/Schemas/urn:ietf:params:scim:schemas:core:2.0:User"
		}
		if method == "DELETE" {
			continue // below
		}
		body, want := scimCall(method, pattern, path)
		for _, c := range callers {
			if c.want == "404" && want == 409 && strings.HasSuffix(path, "Groups") {
				continue // its own has no such group yet
			}
			wanted := want
			if status, err := strconv.Atoi(c.want); err == nil && (status != 404 || namesSomebody(pattern)) {
				wanted = status
			}
			if got := d.as(c.who).scim(method, path, body); got.status != wanted {
				t.Errorf("%s by %s: got %d %s, want %d", route, c.name, got.status, got.text, wanted)
			}
		}
	}
	for _, c := range callers[:10] {
		for _, path := range []string{"/Users/" + gone, "/Groups/" + group} {
			if got := d.as(c.who).scim("DELETE", path, ""); got.status < 400 || got.status == 405 {
				t.Errorf("DELETE %s by %s: got %d", path, c.name, got.status)
			}
		}
	}
	d.scim("DELETE", "/Users/"+gone, "").want(204)
	d.scim("DELETE", "/Groups/"+group, "").want(204)

	// Whoever administers the organization no more keeps nobody.
	d.delete(boss.path("/organization/" + org + "/roles/admin")).want(204)
	d.as(former).scim("GET", "/Users", "").wantError(403, "")

	// Basic is as good, and a query is not.
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(d.key+":"+d.secret))
	d.as(s.anyone()).scim("GET", "/Users", "", "Authorization", basic).want(200)
	refused := d.as(s.anyone()).scim("GET", "/Users?auth_basic="+strings.TrimPrefix(basic, "Basic "), "").want(401)
	if got := refused.header.Values("WWW-Authenticate"); len(got) != 2 || !strings.HasPrefix(got[0], "Bearer ") {
		t.Errorf("the challenges are %q", got)
	}
	d.as(s.anyone()).scim("GET", "/Users", "", "Authorization", "Bearer x").wantError(401, "")
	// Elsewhere there are no bearer tokens.
	token := "Bearer " + base64.RawURLEncoding.EncodeToString([]byte(d.key+":"+d.secret))
	d.with("", "").get("/v2/user", header("Authorization", token)).want(401)
}

// TestDirectoriesHaveARateOfTheirOwn: one call for each person.
func TestDirectoriesHaveARateOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := start(t, func(f *figures) { f.api.RequestsPerSecond, f.api.Burst = 2, 4 })
	org := s.mustCreateOrganization("Clinic")
	s.clock.Advance(60e9)
	d := s.mustDirectory(org)
	for range 20 {
		d.scim("GET", "/ServiceProviderConfig", "").want(200)
	}
	r := d.scim("GET", "/ServiceProviderConfig", "")
	r.wantError(429, "")
	if r.header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	d.get("/v2/user").want(200) // counted apart
}

// TestTheDocumentOfSCIMNamesItsCalls: as the other document does.
func TestTheDocumentOfSCIMNamesItsCalls(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "openapi", "scim.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]any
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, methods := range document.Paths {
		for method := range methods {
			if method != "parameters" {
				path := strings.NewReplacer("{", ":", "}", "").Replace(path)
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	routed := new(api.API).SCIMTable()
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("the document has %q, and the router %q", described, routed)
	}
}
