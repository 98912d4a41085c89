package app_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"signet/internal/app/apptest"
	"signet/internal/config"
)

// oneAddress is where people find the servers, whichever of them they reach.
const oneAddress = "https://chat.example.com"

// atOneAddress has servers know it: passkeys belong to it, and providers send people back there.
func atOneAddress(cfg *config.Config) { cfg.BaseURL = oneAddress }

// The cookies of a browser, without the port that ends their names.
const (
	sessionCookie = "signet-session"
	signInCookie  = "signet-oidc"
)

// browser keeps its cookies, and calls several servers with them as if they were behind one address.
type browser struct {
	t       *testing.T
	http    map[*apptest.Server]*http.Client
	cookies map[string]string // what they hold
}

func newBrowser(t *testing.T) *browser {
	return &browser{t: t, http: map[*apptest.Server]*http.Client{}, cookies: map[string]string{}}
}

// send calls a server with a JSON body, from a page of the server's own.
func (b *browser) send(s *apptest.Server, method, path string, body any) apptest.Answer {
	b.t.Helper()
	r := apptest.Request{Method: method, Target: "/v2" + path, Header: b.header(s)}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			b.t.Fatal(err)
		}
		r.Body, r.Header = string(text), append(r.Header, [2]string{"Content-Type", "application/json"})
	}
	return b.do(s, r)
}

// header is what calls from a page say besides their own.
func (b *browser) header(s *apptest.Server) [][2]string {
	return append([][2]string{ownPage}, b.sent(s, sessionCookie)...)
}

// follow goes where a page sends the browser: one of the server's own ("same-origin"), or of somebody else
// ("cross-site"), from which it brings no session.
func (b *browser) follow(s *apptest.Server, from, target string) apptest.Answer {
	b.t.Helper()
	return b.do(s, apptest.Request{Method: "GET", Target: target, Header: append(b.sent(s, signInCookie),
		[2]string{"Sec-Fetch-Site", from}, [2]string{"Sec-Fetch-Mode", "navigate"})})
}

// sent are the headers with a cookie; none where the browser does not have it.
func (b *browser) sent(s *apptest.Server, name string) [][2]string {
	if b.cookies[name] == "" {
		return nil
	}
	return [][2]string{{"Cookie", name + "-" + portOf(s) + "=" + b.cookies[name]}}
}

// do sends a request, and keeps the cookies that come back.
func (b *browser) do(s *apptest.Server, r apptest.Request) apptest.Answer {
	b.t.Helper()
	if b.http[s] == nil {
		b.http[s] = s.NewHTTPClient()
	}
	got := s.MustSend(b.t, b.http[s], r)
	for _, set := range (&http.Response{Header: got.Header}).Cookies() {
		b.cookies[strings.TrimSuffix(set.Name, "-"+portOf(s))] = set.Value
	}
	return got
}

// must is send that has to be answered with a status.
func (b *browser) must(status int, s *apptest.Server, method, path string, body any) apptest.Answer {
	b.t.Helper()
	got := b.send(s, method, path, body)
	if got.Status != status {
		b.t.Fatalf("%s %s: %d %s, want %d", method, path, got.Status, got.Body, status)
	}
	return got
}

// begin is the body of a call that begins something.
func (b *browser) begin(s *apptest.Server, path string) string {
	b.t.Helper()
	return b.must(200, s, "POST", path, nil).Body
}

// reply is what a call that succeeded says.
func reply[T any](t testing.TB, a apptest.Answer) T {
	t.Helper()
	var out struct{ Reply T }
	if err := json.Unmarshal([]byte(a.Body), &out); err != nil {
		t.Fatalf("%s: %v", a.Body, err)
	}
	return out.Reply
}

// target is the path and query of an address that a browser was sent to.
func target(t testing.TB, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return at.RequestURI()
}
