package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"signet/internal/testenv"
)

// hostileTexts mean something to SQL, to LIKE, to full text search, or to formats, if
// anything takes them for more than text.
var hostileTexts = []string{
	`'; DROP TABLE messages; --`, `" OR "1"="1`, `' OR 1=1 --`, `\'; SELECT pg_sleep(9); --`, `%`, `_`,
	`x' UNION SELECT secret_hash FROM keys --`,
	`$1`, `?`, `?*`, `{text}`, `%s%n%d`, `a* OR b*`, `NEAR(a b)`, `$$`, `${x}`, `{{.}}`,
}

// What people type comes back as they typed it, and does nothing else, wherever they
// type it.
func TestTextThatLooksLikeSQLIsText(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	for i, text := range hostileTexts {
		made := boss.post("/v2/user",
			fields{"username": "person" + number(i), "display_name": text, "title": text, "department": text},
			in(c.org)).want(200).reply()
		made.wantFields(fields{"display_name": text, "title": text, "department": text})
		group := c.alice.post("/v2/group?render_entity=true",
			fields{"name": text, "description": text, "members": []string{c.bob.token}}, in(c.org)).reply()
		group.wantFields(fields{"name": text, "description": text})
		c.alice.post("/v2/metadata/me", fields{text: text}, in(c.org)).want(204)
		c.bob.get("/v2/metadata/"+c.alice.token, in(c.org)).reply().wantFields(fields{text: text})
		id := c.alice.mustSend(c.bob.token, text)
		if got := c.bob.get("/v2/message/" + id).reply().text("body"); got != text {
			t.Errorf("the body %q comes back as %q", text, got)
		}
		boss.post("/v2/organization/"+c.org, fields{"color": text}).want(204)

		// As an address or a name of something it names nothing.
		for _, path := range []string{"/v2/user/", "/v2/group/", "/v2/message/", "/v2/metadata/", "/v2/avatar/"} {
			if got := c.alice.get(path+url.PathEscape(text), in(c.org)); got.StatusCode != 404 && got.StatusCode != 400 {
				t.Errorf("GET %s%s answered %d %s", path, text, got.StatusCode, got.content)
			}
		}
		boss.get("/v2/user_lookup/" + url.PathEscape(text)).wantMissing()
		c.anyone().with(text, text).get("/v2/user").want(401)
		for _, field := range []string{"display_name", "any", "username", "title"} {
			if !strings.ContainsFunc(text, unicode.IsLetter) && !strings.ContainsFunc(text, unicode.IsDigit) {
				continue // a text without a word is no condition
			}
			got := c.alice.post("/v2/search", fields{"type": "account", field: text, "page_size": 200})
			for _, hit := range got.reply().at("results").list() {
				if token := hit.text("entity", "token"); slices.Contains([]string{c.alice.token, c.bob.token, c.carl.token},
					token) {
					t.Errorf("searching %s for %q found %v", field, text, hit)
				}
			}
		}
		if got := boss.get("/v2/organization/" + c.org + "/audit?action=" + url.QueryEscape(text)); got.StatusCode != 200 ||
			len(got.reply().list()) != 0 {
			t.Errorf("entries of the action %q: %d %s", text, got.StatusCode, got.content)
		}
	}
	c.bob.get("/v2/user/" + c.alice.token).want(200)
	c.mustVerify()
}
