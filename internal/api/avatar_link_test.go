package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// A picture is asked for by whoever looks at it: of this server's own host it is none of its calls.
func TestAnAvatarIsNoCallOfTheServer(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	host := strings.TrimPrefix(c.url, "http://")
	for _, link := range []string{
		c.url + "/v2/user/" + c.bob.token + "/export", c.url + "/v2/events?auto_ack=true", c.url, c.url + "/v2/avatar/",
		c.url + "/v2/avatar/../user", c.url + "/v2/avatar/" + randomToken() + "/x", "https://" + host + "/x",
		c.url + "/v2/avatar/" + randomToken() + "?x=1", c.url + "/V2/avatar/" + randomToken(),
		"http://user@" + host + "/console", "http://" + strings.ToUpper("localhost") + ":" + c.port() + "/console",
	} {
		at := func(r *http.Request) {
			if strings.Contains(link, "LOCALHOST") {
				r.Host = "localhost:" + c.port()
			}
		}
		c.alice.post("/v2/user/me/settings", fields{"avatar": link}, at).wantError(400, "avatar_invalid").wantField("avatar")
		c.alice.post("/v2/group/"+group, fields{"avatar": link}, at).wantError(400, "avatar_invalid").wantField("avatar")
		c.alice.post("/v2/group", fields{"name": "N", "avatar": link}, in(c.org), at).wantError(400, "avatar_invalid")
	}
	// A host is the same however it is written, with and without the port of its scheme.
	for host, links := range map[string][]string{
		"chat.example.com": {"https://chat.example.com/v2/user", "https://Chat.Example.com:443/x",
			"http://chat.example.com:80/x", "https://chat.example.com:/x", "https://chat.example.com./x",
			"https://chat.example.com.:443/x", "https://\uff43hat.example.com/x"},
		"chat.example.com:443":  {"https://chat.example.com/x"},
		"xn--bcher-kva.example": {"https://b\u00fccher.example/x", "https://B%C3%9CCHER.example/x"},
		"[::1]":                 {"https://[::1]:443/x"},
	} {
		for _, link := range links {
			c.alice.post("/v2/user/me/settings", fields{"avatar": link}, func(r *http.Request) { r.Host = host }).
				wantError(400, "avatar_invalid")
		}
		c.alice.post("/v2/user/me/settings", fields{"avatar": "https://chat.example.com:8443/x.png"},
			func(r *http.Request) { r.Host = host }).want(204)
	}
	for _, link := range []string{"https://pictures.example.com/a.png", "http://pictures.example.com/v2/user", ""} {
		c.alice.post("/v2/user/me/settings", fields{"avatar": link}).want(204)
	}
	// Who sends back what it has read keeps the picture.
	c.alice.do("POST", "/v2/user/me/settings", parts(nil, file{"avatar", "a.png", "", picture})).want(204)
	link := c.alice.get("/v2/user").reply().text("avatar")
	c.alice.post("/v2/user/me/settings", fields{"avatar": link, "status": "x"}).want(204)
	if got := c.alice.get("/v2/user").reply().text("avatar"); got != link {
		t.Errorf("the avatar is %q, want %q", got, link)
	}
	c.bob.get(strings.TrimPrefix(link, c.url)).want(200)
}
