package api_test

import "testing"

// An account that its reader knows from two organizations is shown, each time, as the
// organization knows it that it is seen in.
func TestAccountIsShownAsEachOrganizationKnowsIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	second := c.mustCreateOrganization("Second")
	c.operator.mustJoin(second, c.alice)
	c.operator.mustJoin(second, c.bob)
	in1 := fields{"organization_key": c.org, "organization_token": c.org, "title": "Nurse", "department": "A1"}
	in2 := fields{"organization_key": second, "organization_token": second, "title": "Teacher", "department": "B2"}
	for organization, as := range map[string]fields{c.org: in1, second: in2} {
		c.operator.post(c.bob.path("/organization"),
			fields{"organization": organization, "title": as["title"], "department": as["department"]}).want(204)
	}
	c.alice.forgetEvents()

	c.alice.post("/v2/roster", fields{"entity": c.bob.token}, in(c.org)).want(204)
	c.alice.post("/v2/roster", fields{"entity": c.bob.token}, in(second)).want(204)
	for _, organization := range []string{c.org, second} {
		c.bob.post("/v2/group", fields{"name": "G", "members": []string{c.alice.token}}, in(organization)).want(204)
	}

	people := map[string]value{}
	for _, entry := range c.alice.roster() {
		if entry.text("type") == "tigertext:entity:account" {
			people[entry.text("organization_id")] = entry
		}
	}
	if len(people) != 2 {
		t.Fatalf("the roster has bob in %d organizations, want 2", len(people))
	}
	people[c.org].wantFields(in1)
	people[second].wantFields(in2)

	kinds := []string{"friends", "friends", "friends", "bang", "friends", "bang"}
	check := func(how string, events []event) {
		t.Helper()
		seen := map[string]int{}
		for _, e := range events {
			people, organization := []value{}, ""
			switch {
			case e.kind == "bang":
				organization = e.at("target_entity").text("organization_key")
				people = append(people, e.at("caller_entity"), e.at("subject_entity"))
			case e.at("friend").text("xmlns") == "tigertext:entity:account":
				organization = e.at("friend").text("organization_id")
				people = append(people, e.at("friend"))
			}
			for _, who := range people {
				if who.text("token") != c.bob.token {
					who.wantFields(fields{"organization_key": organization})
					continue
				}
				seen[organization]++
				who.wantFields(map[string]fields{c.org: in1, second: in2}[organization])
			}
		}
		if seen[c.org] < 2 || seen[second] < 2 {
			t.Errorf("%s shows bob %v times", how, seen)
		}
	}
	check("the queue", c.alice.wantEvents(kinds...))
	check("a stream", c.alice.openStream("").wantReplay(kinds...))
	socket, _ := c.alice.openSocket("")
	check("a WebSocket", socket.wantReplay(kinds...))
}
