package api_test

import (
	"net/url"
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
		}
		c.operator.delete("/v2/user/"+anna.text("token"), jsonBody(fields{"username": made})).want(204)
	}
}
