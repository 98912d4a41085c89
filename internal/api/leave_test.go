package api_test

import (
	"testing"
	"time"
)

// An account leaves any organization but the one that created it, with any key of its own.
func TestAnAccountLeavesAnOrganizationItself(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	fromTwo := "/v2/user/me/organization/" + h.two
	// Of One, which created it, is the scope of its key: it has no other, and leaves what drew it in.
	h.chief.delete("/v2/user/me/organization/" + randomOrganization()).wantMissing()
	h.chief.forgetEvents()
	h.chief.delete(fromTwo).want(204)
	wantSameAnswer(h.chief.delete(fromTwo), h.chief.delete("/v2/user/me/organization/"+randomOrganization()))
	h.chief.forgetEvents()
	h.other.post(h.chief.path("/organization"), fields{"organization": h.two}).want(204)
	h.chief.wantEvents("account:settings") // also of the join
	h.chief.delete(fromTwo).want(204)
	h.other.mustJoin(h.two, h.chief)
	// A key of Two's scope leaves Two alone, and ends with that.
	two := h.chief.withKey(h.other.post(h.chief.path("/key"), nil).reply())
	two.delete("/v2/user/me/organization/" + h.one).wantMissing()
	two.delete(fromTwo).want(204)
	h.other.mustJoin(h.two, h.chief)
	for _, p := range []*person{h.own, h.chief} {
		p.delete("/v2/user/me/organization/"+h.one).wantError(403, "not_allowed")
		p.delete(h.ben.path("/organization/"+h.two)).wantError(403, "administrative_key_required")
		p.delete("/v2/user/"+randomToken()+"/organization/"+h.two).wantError(403, "administrative_key_required")
	}

	h.other.post(h.own.path("/organization/"+h.two+"/roles/admin"), nil).want(204)
	h.other.delete(h.other.path("/organization/" + h.two + "/roles/admin")).want(204)
	h.operator.delete(h.operator.path("/organization/" + h.two)).want(204)
	h.own.delete(fromTwo).wantError(400, "last_administrator")
	h.operator.post(h.other.path("/organization/"+h.two+"/roles/admin"), nil).want(204)

	message := h.ben.mustSend(h.own.token, "x")
	group := h.ben.mustCreateGroup("Ward", h.own)
	h.own.delete(h.own.path("/organization/" + h.two)).want(204)
	h.own.delete(fromTwo).wantMissing()
	h.own.get("/v2/message/" + message).wantMissing()
	h.own.get("/v2/group/" + group).wantMissing()
	h.ben.post("/v2/message", fields{"recipient": h.own.token, "body": "x"}).wantMissing()
	h.chief.get("/v2/user/me/organization/" + h.one).want(200)

	// So does the administrator of another organization, with its administrative key.
	h.other.mustJoin(h.two, h.admin)
	h.admin.delete(fromTwo).want(204)
	h.admin.delete(fromTwo).wantMissing()
	h.mustVerify()
}

// What another organization makes of an account is in the log of the one that created it,
// without the keys and addresses of the other: the first act of each hour.
func TestTheCreatingOrganizationIsToldOfOtherMemberships(t *testing.T) {
	t.Parallel()
	h := startHijack(t)
	role := h.chief.path("/organization/" + h.two + "/roles/reporting")
	h.clock.Advance(time.Hour)
	h.other.post(role, nil).want(204)
	h.clock.Advance(time.Hour)
	h.other.delete(role).want(204)
	h.clock.Advance(time.Hour)
	h.other.delete(h.chief.path("/organization/" + h.two)).want(204)
	h.clock.Advance(time.Hour)
	h.other.mustJoin(h.two, h.chief)
	h.other.post(h.chief.path("/organization"), fields{"organization": h.two, "title": "Nurse"}).want(204) // a repeat
	h.own.delete("/v2/user/me/organization/" + h.two).want(204)
	h.admin.mustJoin(h.one, h.ben)
	for _, told := range []struct {
		action string
		by     []*person // the newest first
	}{
		{"member.add", []*person{h.other, h.other}},
		{"member.remove", []*person{h.own, h.other}},
		{"role.grant", []*person{h.other}},
		{"role.revoke", []*person{h.other}},
	} {
		var lines []value
		for _, line := range h.admin.get("/v2/organization/" + h.one + "/audit?action=" + told.action).reply().list() {
			if line.text("on_organization") == h.two {
				lines = append(lines, line)
			}
		}
		if len(lines) != len(told.by) {
			t.Fatalf("the log of One has %d lines %s about Two, want %d: %v", len(lines), told.action, len(told.by), lines)
		}
		for i, line := range lines {
			line.wantFields(fields{"chain": h.one, "account": told.by[i].token, "on_account": h.chief.token},
				"key", "address")
		}
	}
	acts := h.other.get("/v2/organization/" + h.two + "/audit?action=member.remove").reply()
	acts.at(0).wantFields(fields{"chain": h.two, "account": h.own.token, "key": h.own.key})
	if lines := h.other.get("/v2/organization/" + h.two + "/audit?action=member.add").reply().list(); len(lines) == 0 ||
		lines[0].text("on_organization") != h.one || lines[0].text("on_account") != h.ben.token {
		t.Errorf("the log of Two says of the account that One added: %v", lines)
	}
	h.mustSweep()
	h.mustVerify()
}
