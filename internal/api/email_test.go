package api_test

import (
	"net/url"
	"strconv"
	"testing"
)

// A domain in its own letters and as xn-- is one.
func TestEmailDomainIsOneInBothForms(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	forms := []string{"anna@bücher.example", "anna@xn--bcher-kva.example", "Anna@BÜCHER.example"}
	for _, made := range forms {
		anna := c.operator.post("/v2/user", fields{"email": made, "password": "a meadow at noon"}, in(c.org)).reply()
		anna.wantFields(fields{"emails": []fields{{"address": forms[0], "verified": false}}})
		for _, text := range forms {
			c.operator.get("/v2/user_lookup/" + url.PathEscape(text)).reply().
				wantFields(fields{"token": anna.text("token")})
			c.operator.post("/v2/user", fields{"email": text}, in(c.org)).wantError(400, "address_taken").wantField("email")
			c.alice.with(text, "a meadow at noon").post("/v5/login", fields{"device_id": "tablet"}).want(200)
			c.alice.with("", "").post("/v2/session", fields{"username": text, "password": "a meadow at noon"}).want(204)
			wantResults(t, c.operator.mustCreateMany(c.org, []fields{{"email": text}}), "address_taken")
			c.operator.post(c.bob.path(""), fields{"email": text}).wantError(400, "address_taken")
			for _, field := range []string{"any", "email"} {
				found := c.alice.post("/v2/search", fields{"type": "account", field: text}).reply().list("results")
				if len(found) != 1 || found[0].text("entity", "token") != anna.text("token") {
					t.Errorf("a search for %s in %s finds %v", text, field, found)
				}
			}
			members := c.operator.pages("/v2/organization/"+c.org+"/member?q="+url.QueryEscape(text), 50)
			wantTexts(t, "members with "+text, texts(members, "token"), anna.text("token"))
		}
		c.operator.delete("/v2/user/"+anna.text("token"), jsonBody(fields{"username": made})).want(204)
	}
}

// Writing a domain in its other form gives no further guesses.
func TestFormsOfAnEmailDomainShareTheirFailedLogins(t *testing.T) {
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.api.FailedLoginsPerMinute = 10 })
	forms := []string{"anna@bücher.example", "anna@xn--bcher-kva.example", "Anna@XN--BCHER-KVA.example",
		"anna@bu\u0308cher.example", "anna@BÜCHER.example"}
	c.operator.post("/v2/user", fields{"email": forms[0], "password": "a meadow at noon"}, in(c.org)).reply()
	for i := range 10 {
		guess := "guess " + strconv.Itoa(i)
		c.alice.with(forms[i%len(forms)], guess).post("/v5/login", fields{"device_id": "tablet"}).want(401)
	}
	for _, form := range forms {
		c.alice.with(form, "another guess").post("/v5/login", fields{"device_id": "tablet"}).want(429)
	}
}
