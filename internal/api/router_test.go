package api

import (
	"fmt"
	"strings"
	"testing"
)

func mustRoute(t *testing.T, patterns ...string) *router {
	t.Helper()
	table := new(router)
	for _, p := range patterns {
		method, pattern, _ := strings.Cut(p, " ")
		if err := table.add(&endpoint{route: route{method: method, pattern: pattern, handler: nothing}}); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func TestRouterFindsTheEndpointOfAPath(t *testing.T) {
	table := mustRoute(t,
		"GET /v2/user", "GET /v2/user/:user", "POST /v2/user/bulk",
		"POST /v2/message", "GET /v2/message/:message", "DELETE /v2/message/:message",
		"POST /v2/message/status", "PUT /v2/message/status", "GET /v2/message/:message/status", "POST /v2/message/typing",
		"DELETE /v2/message/typing/:recipient", "DELETE /v2/message/typing/:recipient/:sender",
		"GET /v2/message/:message/attachment/:number",
		"POST /v2/user/:user/organization/:organization/roles/:role", "POST /v5/login", "HEAD /v2/special", "GET /v2/special",
	)
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/v2/user", "GET /v2/user []"},
		{"GET", "/v2/user/", "GET /v2/user []"},
		{"HEAD", "/v2/user/", "GET /v2/user []"},
		{"HEAD", "/v2/special", "HEAD /v2/special []"},
		{"GET", "/v2/user/bob%40example.com", "GET /v2/user/:user [bob@example.com]"},
		{"GET", "/v2/user/doc+test@example.com/", "GET /v2/user/:user [doc+test@example.com]"},
		{"GET", "/v2/user/a%2Fb", "GET /v2/user/:user [a/b]"},
		{"GET", "/v2/user/a%2fb%20c%25", "GET /v2/user/:user [a/b c%]"},
		{"GET", "/v2/user/%C3%A9", "GET /v2/user/:user [é]"},
		{"POST", "/v2/user/bulk", "POST /v2/user/bulk []"},
		{"GET", "/v2/user/bulk", "GET /v2/user/:user [bulk]"}, // a user called "bulk"
		{"HEAD", "/v2/user/bulk/", "GET /v2/user/:user [bulk]"},
		{"PUT", "/v2/user/bulk", "405 POST"},
		{"GET", "/v2/user/..", "GET /v2/user/:user [..]"},
		{"GET", "/v2/%75ser/x", "GET /v2/user/:user [x]"},
		{"POST", "/v2/user/a/organization/b/roles/c", "POST /v2/user/:user/organization/:organization/roles/:role [a b c]"},
		{"GET", "/v2/message/m", "GET /v2/message/:message [m]"},
		{"PUT", "/v2/message/status", "PUT /v2/message/status []"},
		{"GET", "/v2/message/status", "405 POST, PUT"},
		{"GET", "/v2/message/typing", "405 POST"},
		{"GET", "/v2/message/typing/status", "405 DELETE"},
		{"GET", "/v2/message/status/status", "GET /v2/message/:message/status [status]"},
		{"GET", "/v2/message/typing/attachment/1", "405 DELETE"},
		{"DELETE", "/v2/message/typing/a/b/", "DELETE /v2/message/typing/:recipient/:sender [a b]"},
		{"PATCH", "/v2/message/m", "405 DELETE, GET, HEAD"},
		{"POST", "/v2/special", "405 GET, HEAD"},
		{"OPTIONS", "/v2/user/x", "405 GET, HEAD"},
		{"TRACE", "/v2/user/x", "405 GET, HEAD"},
		{"GET", "/v2/user//", "404"},
		{"GET", "/v2//user", "404"},
		{"GET", "//v2/user", "404"},
		{"POST", "/v2/user//organization/b/roles/c", "404"},
		{"GET", "/v2/user/x/y", "404"},
		{"GET", "/v2/user/%FF", "GET /v2/user/:user [\xff]"}, // whose text is checked after it is found
		{"GET", "/V2/user", "404"},
		{"GET", "/v2", "404"},
		{"GET", "/", "404"},
		{"GET", "", "404"},
		{"OPTIONS", "*", "404"},
		{"GET", "/v2/user/%zz", "404"},
		{"POST", "/v5/login/", "POST /v5/login []"},
	} {
		var params [maxParams]string
		found, values := table.find(c.path, c.method, params[:0])
		got := "404"
		if found != nil {
			got = "405 " + found.allow
			if e := found.endpoint(c.method); e != nil {
				got = fmt.Sprint(e.method, " ", e.pattern, " ", values)
			}
		}
		if got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.path, got, c.want)
		}
	}
}

func TestRouterRefusesATableThatContradictsItself(t *testing.T) {
	for _, patterns := range [][]string{
		{"GET v2"}, {"GET /v2/"}, {"GET /"}, {"GET /v2//x"}, {"GET /v2/:"},
		{"GET /v2/:a", "GET /v2/:b"}, {"GET /:a/:b/:c/:d/:e"},
	} {
		table := new(router)
		var err error
		for _, p := range patterns {
			method, pattern, _ := strings.Cut(p, " ")
			if err == nil {
				err = table.add(&endpoint{route: route{method: method, pattern: pattern}})
			}
		}
		if err == nil {
			t.Errorf("%q was accepted", patterns)
		}
	}
	h := start(t, nil)
	for _, r := range []route{
		{method: "GET", pattern: "/x"},
		{method: "GET", pattern: "/x", handler: nothing, public: true, admin: true},
	} {
		if err := h.api.mount([]route{r}); err == nil {
			t.Errorf("%+v was accepted", r)
		}
	}
}

func TestRouteOverHTTP(t *testing.T) {
	h := start(t, nil, route{method: "GET", pattern: "/v2/user/:user",
		handler: echo(func(c *call) any { return c.path("user") + c.path("none") })})
	for path, want := range map[string]string{
		"/v2/user/doc+test@example.com": "doc+test@example.com",
		"/v2/user/a%2Fb/":               "a/b",
		"/v2/user/bob%40example.com":    "bob@example.com",
		"/v2/user/+15551234567":         "+15551234567",
		"/v2/user/100%25":               "100%",
	} {
		if got := h.wantReply(h.mustSend(request{method: "GET", path: path})); got != want {
			t.Errorf("GET %s: got %q, want %q", path, got, want)
		}
	}
	h.wantError(h.mustSend(request{method: "GET", path: "/v2/user/"}), 404, codeEndpointUnknown, "")
	for _, noText := range []string{"%FF", "%00", "a%0Ab", "%C2%85", "%7F"} {
		h.wantError(h.mustSend(request{method: "GET", path: "/v2/user/" + noText}), 404, codeEndpointUnknown, "user")
	}
	got := h.mustSend(request{method: "POST", path: "/v2/user/x", anyone: true})
	h.wantError(got, 405, codeMethodNotAllowed, "")
	h.wantHeader(got, "Allow", "GET, HEAD")
}
