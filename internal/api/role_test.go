package api_test

import (
	"strings"
	"testing"
	"time"
)

// rolesIn is the answer of GET .../roles for one organization.
func rolesIn(organization string, roles ...string) fields {
	if roles == nil {
		roles = []string{}
	}
	return fields{"organization": fields{"organization_id": organization, "roles": roles}}
}

func TestRolesAreGrantedAndTakenAway(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	path := c.alice.path("/organization/" + c.org + "/roles")
	want := func(roles ...string) {
		t.Helper()
		for _, p := range []*person{c.alice, c.operator} {
			p.get(path).reply().wantIs(fields{"roles": []fields{rolesIn(c.org, roles...)}})
		}
	}
	want()
	for _, role := range []string{"reporting", "help_desk", "own_kind_2", "reporting"} {
		c.operator.post(path+"/"+role, nil).want(204)
	}
	want("help_desk", "own_kind_2", "reporting")
	c.alice.wantEvents("account:settings", "account:settings", "account:settings")[0].
		wantIs(fields{"token": c.alice.token,
			"services": []fields{{"xmlns": "tigertext:iq:update:org_settings", "account": c.alice.token}}})
	c.operator.delete(path + "/help_desk").want(204)
	c.operator.delete(path + "/help_desk").want(204)
	want("own_kind_2", "reporting")
	for _, bad := range []string{"Admin", "a-b", "a%20b", "ä", strings.Repeat("a", 65), "a.b"} {
		c.operator.post(path+"/"+bad, nil).wantError(400, "role_invalid").wantField("role")
		c.operator.delete(path+"/"+bad).wantError(400, "role_invalid")
	}
	c.operator.post(path+"/"+strings.Repeat("a", 64), nil).want(204)
	c.operator.post(c.alice.path("/organization/"+randomOrganization()+"/roles/x"), nil).wantMissing()
	c.operator.post("/v2/user/nobody/organization/"+c.org+"/roles/x", nil).wantMissing()
	stranger := c.mustCreateStranger("stranger")
	c.operator.post(stranger.path("/organization/"+c.org+"/roles/x"), nil).wantMissing()
	c.operator.get(stranger.path("/organization/" + c.org + "/roles")).wantMissing()
}

func TestRolesAreForOneselfAndAdministrators(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	second := c.mustCreateOrganization("Second")
	c.clock.Advance(time.Second) // the organizations come in the order of joining
	c.operator.mustJoin(second, c.alice)
	c.operator.post(c.alice.path("/organization/"+second+"/roles/reporting"), nil).want(204)
	// A client asks with the word placeholder: an organization that it is not in.
	for _, asked := range []string{"placeholder", randomOrganization()} {
		for _, self := range []string{c.alice.token, "me", "alice", "Alice@example.com"} {
			c.alice.get("/v2/user/" + self + "/organization/" + asked + "/roles").reply().
				wantIs(fields{"roles": []fields{rolesIn(c.org), rolesIn(second, "reporting")}})
		}
	}
	c.alice.get("/v2/user/me/organization/" + second +
		"/roles/").reply().wantIs(fields{"roles": []fields{rolesIn(second, "reporting")}})
	admin.get(c.alice.path("/organization/" + c.org + "/roles")).reply().wantIs(fields{"roles": []fields{rolesIn(c.org)}})
	admin.get(c.alice.path("/organization/" + second + "/roles")).wantMissing()
	admin.get(c.alice.path("/organization/placeholder/roles")).wantMissing()
	// With a regular key nobody asks about others, whatever it names.
	for _, other := range []string{c.bob.token, randomToken(), "nobody"} {
		c.alice.get("/v2/user/"+other+"/organization/"+c.org+"/roles").wantError(403, "administrative_key_required")
		c.alice.post("/v2/user/"+other+"/organization/"+c.org+"/roles/admin", nil).wantError(403,
			"administrative_key_required")
	}
	c.alice.post(c.alice.path("/organization/"+c.org+"/roles/reporting"), nil).wantError(403,
		"administrative_key_required")
	c.alice.delete(c.alice.path("/organization/"+c.org+"/roles/admin")).wantError(403, "administrative_key_required")
	c.alice.post(c.alice.path("/organization/"+randomOrganization()+"/roles/admin"), nil).wantMissing()
}

// An account asks for administrative access; the administrators are told, and
// approve or refuse.
func TestAskingForAdministrativeAccess(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	admin := c.mustCreateAdmin(c.org, "admin")
	c.operator.forgetEvents()
	path := c.alice.path("/organization/" + c.org + "/roles/admin")
	ask := func() {
		t.Helper()
		c.alice.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).reply().wantIs(fields{"state": "pending"})
	}
	ask()
	ask() // again: nobody is told twice
	for _, p := range []*person{admin, c.operator} {
		p.wantEvents("admin_request")[0].wantIs(fields{"account_id": c.alice.token, "organization_id": c.org,
			"state": "pending"})
	}
	c.bob.wantEvents()
	c.alice.wantEvents()
	asked := fields{"roles": []fields{{"organization": fields{"organization_id": c.org, "roles": []string{},
		"pending_roles": []string{"admin"}}}}}
	for _, in := range []string{c.org, "placeholder"} {
		c.alice.get("/v2/user/me/organization/" + in + "/roles").reply().wantIs(asked)
	}
	admin.get(c.alice.path("/organization/" + c.org + "/roles")).reply().wantIs(asked)
	c.alice.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")

	admin.delete(path).want(204) // refused
	c.alice.get("/v2/user/me/organization/" + c.org + "/roles").reply().wantIs(fields{"roles": []fields{rolesIn(c.org)}})
	admin.forgetEvents()
	ask()
	admin.wantEvents("admin_request")
	admin.post(path, nil).want(204) // approved
	c.alice.wantEvents("account:settings")
	c.alice.get("/v2/user/me/organization/" + c.org +
		"/roles").reply().wantIs(fields{"roles": []fields{rolesIn(c.org, "admin")}})
	// A regular key stays one; the role makes an administrative one work.
	c.alice.get("/v2/organization/"+c.org).wantError(403, "administrative_key_required")
	key := c.alice.withKey(admin.post(c.alice.path("/key"), fields{"kind": "administrative"}).reply())
	key.get("/v2/organization/" + c.org).want(200)
	// An administrator's own POST grants at once, and so does an operator's.
	key.post(path, nil).want(204)
	far := admin.mustCreateOrganization("Far")
	admin.mustJoin(far, c.operator)
	c.operator.post("/v2/user/me/organization/"+far+"/roles/admin", nil).want(204)
	c.operator.get("/v2/user/me/organization/" + far +
		"/roles").reply().wantIs(fields{"roles": []fields{rolesIn(far, "admin")}})
}

func TestLastAdministratorStays(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	operator := c.operator.path("/organization/" + c.org)
	c.operator.delete(operator+"/roles/admin").wantError(400, "last_administrator")
	c.operator.delete(operator).wantError(400, "last_administrator")
	admin := c.mustCreateAdmin(c.org, "admin")
	admin.delete(operator + "/roles/admin").want(204)
	admin.delete(admin.path("/organization/"+c.org+"/roles/admin")).wantError(400, "last_administrator")
	admin.delete(admin.path("/organization/"+c.org)).wantError(400, "last_administrator")
	admin.delete(operator).want(204)
	admin.delete(operator).wantMissing()
	// One who only asked counts for nothing.
	c.alice.post("/v2/user/me/organization/"+c.org+"/roles/admin", nil).want(200)
	admin.delete(admin.path("/organization/"+c.org+"/roles/admin")).wantError(400, "last_administrator")
}
