package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/testenv"
)

func TestAuditIsFiltered(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	chief := c.mustCreateAdmin(c.org, "chief")
	for i := range 4 {
		boss.post(c.alice.path("/organization/"+c.org+"/roles/role"+number(i)), nil).want(204)
		chief.get(c.bob.path("/key")).want(200)
		chief.post(c.bob.path(""), fields{"title": "T" + number(i)}).want(200)
		boss.get("/v2/organization/" + c.org + "/member").want(200)
		boss.post(boss.path("/disable"), nil).wantError(403, "not_allowed")
		c.clock.Advance(time.Minute)
	}
	until := c.clock.Now().UTC().Format(time.RFC3339)
	c.clock.Advance(time.Minute)
	path := "/v2/organization/" + c.org + "/audit?until=" + until + "&"
	all := boss.get(path + "after=0&limit=1000").reply().list()
	for query, fits := range map[string]func(e value) bool{
		"":                      func(value) bool { return true },
		"action=role.grant":     func(e value) bool { return e.text("action") == "role.grant" },
		"action=None%20at+all":  func(value) bool { return false },
		"outcome=Nothing%27%3B": func(value) bool { return false },
		"action=role.grant&action=user.update": func(e value) bool {
			return e.text("action") == "role.grant" || e.text("action") == "user.update"
		},
		"action=role.grant,%20user.update&account=" + c.bob.token: func(e value) bool {
			return e.text("action") == "user.update"
		},
		"account=" + c.alice.token: func(e value) bool {
			return e.has("on_account") && e.text("on_account") == c.alice.token
		},
		"account=me": func(e value) bool {
			return e.has("account") && e.text("account") == boss.token ||
				e.has("on_account") && e.text("on_account") == boss.token
		},
		"outcome=not_allowed": func(e value) bool { return e.text("outcome") == "not_allowed" },
		"outcome=refused":     func(e value) bool { return e.text("outcome") != "ok" },
		"outcome=ok&reads=false": func(e value) bool {
			return e.text("outcome") == "ok" && !model.AuditAction(e.text("action")).Reads()
		},
		"reads=true":                      func(value) bool { return true },
		"account=" + randomToken():        func(value) bool { return false },
		"account=nobody@example.com":      func(value) bool { return false },
		"account=" + url.QueryEscape("?"): func(value) bool { return false },
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(e value) bool { return !fits(e) })
		for _, limit := range []int{2, 1000} {
			var there []value
			for after := int64(0); ; {
				page := boss.get(fmt.Sprintf("%s%s&after=%d&limit=%d", path, query, after, limit)).reply().list()
				there = append(there, page...)
				if len(page) < limit {
					break
				}
				after = page[len(page)-1].int("number")
			}
			var back []value
			for next := ""; ; {
				page := boss.get(fmt.Sprintf("%s%s&names=true&limit=%d%s", path, query, limit, next)).reply()
				back = append(back, page.list("results")...)
				if !page.at("metadata").has("continuation") {
					break
				}
				next = "&before=" + page.text("metadata", "continuation")
			}
			slices.Reverse(back)
			if fmt.Sprint(there) != fmt.Sprint(want) || fmt.Sprint(back) != fmt.Sprint(want) {
				t.Errorf("%q, %d at a time: forwards %v, backwards %v, want %v", query, limit, there, back, want)
			}
		}
	}
	for query, field := range map[string]string{"reads=x": "reads",
		"names=x": "names", "account=%00": "account", "account=a&account=b": "account", "outcome=a&outcome=b": "outcome",
		"until=today": "until", "action=" + manyActions(51): "action"} {
		boss.get("/v2/organization/" + c.org + "/audit?" + query).want(400).wantField(field)
	}
	boss.get(path + "action=" + manyActions(50)).want(200)
	boss.get(path+"account=x", header("Accept", "text/event-stream")).want(400)
}

// manyActions are so many different ones.
func manyActions(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = "action" + strings.Repeat(".x", i/10) + strings.Repeat("y", i%10)
	}
	return strings.Join(all, ",")
}

// The names in a page of the log are those of whom and what it names and its reader may see.
func TestAuditTellsNames(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	other := c.mustCreateOrganization("Other")
	c.operator.mustJoin(other, c.bob)
	stranger := c.mustCreateStranger("stranger")
	group := c.alice.mustCreateGroup("Ward", c.bob)
	boss.post("/v2/group/"+group, fields{"name": "Ward 3"}).want(204)
	c.operator.mustJoin(c.org, stranger)
	boss.delete(stranger.path("/organization/" + c.org)).want(204)
	boss.erase(c.carl).want(204)
	names := func(p *person, path string) value { return p.get(path + "?names=true&limit=1000").reply().at("names") }
	seen := names(boss, "/v2/organization/"+c.org+"/audit")
	seen.wantFields(fields{c.org: "Clinic", boss.token: "Boss", c.bob.token: "Bob", group: "Ward 3"},
		stranger.token, c.carl.token)
	names(c.operator, "/v2/organization/"+c.org+"/audit").wantFields(fields{c.org: "Clinic", boss.token: "Boss",
		stranger.token: "Stranger", c.operator.token: "Operator", group: "Ward 3"}, c.carl.token)
	names(c.operator, "/v2/audit").wantFields(fields{c.org: "Clinic", other: "Other", c.operator.token: "Operator"})
	boss.get("/v2/organization/" + c.org + "/audit?names=false&limit=1").reply().list()

	// Of an organization that is no more there is its token.
	c.operator.delete("/v2/organization/"+other, jsonBody(fields{"name": "Other"})).want(204)
	names(c.operator, "/v2/organization/"+other+"/audit").wantFields(fields{c.operator.token: "Operator"}, other)
}
