package api_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"signet/internal/testenv"
	"signet/openapi/openapitest"
)

// noTexts are what no database has to hold: U+0000, broken UTF-8, and other control characters.
var noTexts = []string{"\x00", "a\x00b", "\xff", "a\xc3(", "\xed\xa0\x80", "a\x07b", "\u0085"}

// notNamed are parameters of queries that look nothing up: what cannot be read of them counts as
// absent, because browsers that connect again send what they have.
var notNamed = []string{"lastEventId", "features", "auth_basic"}

// inHeaders are headers that something reads, besides those in the document.
var inHeaders = []string{"Request-ID", "Last-Event-ID", "If-Match", "If-None-Match", "If-Range", "Range", "Accept",
	"Accept-Encoding", "User-Agent", "X-Forwarded-For", "TT-X-Features", "TT-X-Sender-Token", "TT-X-Name"}

func basic(key, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"+secret))
}

// Every route of the router's table, with what is no text in each place outside of the body.
func TestWhatIsNoTextIsRefusedInEveryPlaceOfEveryRoute(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := startMatrix(t)
	inQuery, inHeader := openapitest.Parameters(t, "query"), openapitest.Parameters(t, "header")
	for _, route := range m.api.Table() {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.route == route })
		if i < 0 {
			t.Errorf("%s is missing from the matrix", route)
			continue
		}
		x := maps.Clone(m.standing)
		if fresh := rules[i].fresh; fresh != nil {
			maps.Copy(x, fresh(m))
		}
		p := places{m, rules[i], x}
		p.checkPath()
		p.checkCredentials()
		if p.public { // it reads nothing else
			continue
		}
		p.checkQuery(inQuery[route])
		p.checkHeaders(inHeader[route])
	}
}

// places are those of one route.
type places struct {
	*matrix
	rule
	x targets
}

// asking sends the call of the route with a query, and without what would be read in its place:
// the header of the organization, and the body of a DELETE.
func (p places) asking(query string) *answer {
	method, path := p.address(p.x)
	if method == "DELETE" {
		return p.operator.do(method, path+"?"+query)
	}
	return p.operator.do(method, path+"?"+query, append(p.options(p.x), func(r *http.Request) {
		r.Header.Del("TT-X-Organization-Key")
	})...)
}

func (p places) checkPath() {
	for segment := range strings.SplitSeq(p.route, "/") {
		name, isParam := strings.CutPrefix(segment, ":")
		if !isParam {
			continue
		}
		for _, text := range noTexts {
			x := maps.Clone(p.x)
			x[name] = url.PathEscape(text)
			if strings.HasPrefix(p.route, "DELETE /v2/message/typing/") {
				p.call(p.operator, x).want(204) // never 404 (call 18)
				continue
			}
			p.call(p.operator, x).wantError(404, "endpoint_unknown").wantField(name)
		}
	}
}

func (p places) checkCredentials() {
	for _, open := range []string{"GET /openapi", "GET /v2/brand", "GET /v2/session/providers", "GET /v2/session/oidc/",
		"POST /v2/session/oidc/:provider/key", "POST /v2/session/oidc/:provider/logout", "POST /v2/session/passkey/"} {
		if strings.HasPrefix(p.route, open) {
			return // which read none
		}
	}
	for _, text := range noTexts {
		nobody := 401
		if p.route == "GET /v2/session" { // which is asked by those, too, who give no credentials that can be read
			nobody = 204
		}
		for _, given := range []struct{ key, secret string }{{text, p.operator.secret}, {p.operator.key, text},
			{text, text}} {
			anyone := p.operator.with("", "")
			p.call(anyone, p.x, header("Authorization", basic(given.key, given.secret))).want(401)
			p.call(anyone, p.x, header("Authorization", "XMPP-Simple "+base64.StdEncoding.EncodeToString(
				[]byte("product:"+given.key+":"+given.secret)))).want(401)
			method, path := p.address(p.x)
			_, encoded, _ := strings.Cut(basic(given.key, given.secret), " ")
			anyone.do(method, path+"?auth_basic="+url.QueryEscape(encoded), p.options(p.x)...).want(nobody)
		}
		if text[0] != 0 && !strings.ContainsAny(text, "\x00\x07") { // which no header may have
			cookie := p.operator.with("", "")
			cookie.cookie = "signet-session=" + text + "." + text
			p.call(cookie, p.x).want(nobody)
		}
	}
}

func (p places) checkQuery(names []string) {
	for _, text := range noTexts {
		value := "=" + url.QueryEscape(text)
		p.asking("TT-X-Organization-Key"+value).wantError(400, "text_invalid").wantField("TT-X-Organization-Key")
		for _, name := range names {
			got := p.asking(name + value)
			if slices.Contains(notNamed, name) || p.want == all("400") { // whose body is refused before
				if got.StatusCode >= 500 {
					p.t.Errorf("%s: got %d %s", got.what, got.StatusCode, got.content)
				}
				continue
			}
			got.wantError(400, "text_invalid").wantField(name)
		}
	}
}

func (p places) checkHeaders(names []string) {
	for _, text := range noTexts {
		if strings.ContainsAny(text, "\x00\x07") {
			continue // which the listener refuses, whatever the header is
		}
		p.call(p.operator, p.x, in(text)).wantError(400, "text_invalid").wantField("TT-X-Organization-Key")
		for _, name := range slices.Concat(names, inHeaders) {
			method, path := p.address(p.x)
			got, err := p.client.Do(p.operator.request(method, path, append(p.options(p.x), header(name, text))...))
			if err != nil {
				p.t.Fatal(err)
			}
			_ = got.Body.Close()
			if got.StatusCode >= 500 && !strings.Contains(p.want, strconv.Itoa(got.StatusCode)) { // what it asks is away
				p.t.Errorf("%s with %s: %q: got %s", p.route, name, text, got.Status)
			}
		}
	}
}

// Guesses of a name that no key can have count as those of any other.
func TestCredentialsThatAreNoTextCountAsFailedLogins(t *testing.T) {
	t.Parallel()
	xmpp := func(name, password string) option {
		return header("Authorization", "XMPP-Simple "+base64.StdEncoding.EncodeToString(
			[]byte("product:"+name+":"+password)))
	}
	byBasic := func(name, password string) option { return header("Authorization", basic(name, password)) }
	for _, by := range []struct {
		method, path string
		credentials  func(name, password string) option
	}{
		{"GET", "/v2/user", byBasic}, {"POST", "/v5/login", byBasic}, {"POST", "/v2/login", xmpp},
		{"POST", "/v2/session", byBasic},
	} {
		c := startClinic(t, func(f *figures) { f.api.FailedLoginsPerMinute = 3 })
		for _, text := range noTexts {
			for range 3 {
				c.anyone().do(by.method, by.path, by.credentials(text, "a password")).wantError(401, "credentials_invalid")
			}
			c.anyone().do(by.method, by.path, by.credentials(text, "a password")).wantError(429, "too_many_failures")
		}
	}
}

// Texts within objects are read without the getters of fields.
func TestNestedTextWithoutMeaningIsRefused(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	c.alice.post("/v2/group", fields{"name": "G", "members": []string{c.bob.token}, "metadata": fields{"a": "b\x00"}},
		in(c.org)).wantError(400, "text_invalid").wantField("metadata")
	c.alice.post("/v2/group", fields{"name": "G", "members": []string{c.bob.token}, "metadata": fields{"a\x00": "b"}},
		in(c.org)).wantError(400, "text_invalid").wantField("metadata")
	c.alice.post("/v2/group", fields{"name": "G", "members": []string{c.bob.token},
		"metadata": fields{"a": `b\u0000`}}, in(c.org)).want(204) // a backslash and five characters
	c.alice.post("/v2/search", fields{"type": "account", "bool": fields{"must": fields{"display_name": "a\x00"}}}).
		wantError(400, "text_invalid").wantField("bool")
	id := c.alice.mustSend(c.bob.token, "x", "data", []fields{{"mimetype": "a/b", "namespace": "n", "payload": "\x00"}})
	if got := c.bob.get("/v2/message/" + id).reply().at("data").list()[0].text("payload"); got != "\x00" {
		t.Errorf("the payload comes back as %q", got)
	}
	c.alice.post("/v2/events/ack", fields{"events": []string{"\x00"}}).wantError(400, "text_invalid").wantField("events")
}
