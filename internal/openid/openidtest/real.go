package openidtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"signet/internal/testenv"
)

// Person is somebody whom the real provider knows.
type Person struct {
	Username, Email     string
	FirstName, LastName string
	EmailVerified       bool
}

// password is that of everybody at the real provider.
const password = "verysecure"

// Real is zitadel/oidc's server, as a process.
type Real struct {
	URL string
}

// StartReal starts a provider that ends with the test. It sends people back to these addresses. Their subjects are the
// keys of the map.
func StartReal(t testing.TB, people map[string]Person, redirects ...string) *Real {
	t.Helper()
	testenv.Long(t) // it has to be built first
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	address, err := testenv.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Stderr = io.Discard // it logs each call
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), command.Wait()); err != nil {
			t.Errorf("the provider: %v", err)
		}
	})
	type user struct {
		ID, Password string
		Person
	}
	users := map[string]user{}
	for subject, person := range people {
		users[subject] = user{subject, password, person}
	}
	err = json.NewEncoder(in).Encode(map[string]any{"Address": address, "ClientID": ClientID, "Secret": ClientSecret,
		"Redirects": redirects, "People": users})
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the provider said %q: %v", line, err)
	}
	return &Real{URL: "http://" + address}
}

// SignIn has a person sign in at the provider, in a browser that was sent there, and returns where the provider sends
// the browser back to.
func (r *Real) SignIn(t testing.TB, sentTo, username string) string {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	browser := &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	follow := func(answer *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, _ := io.ReadAll(answer.Body)
		to, err := answer.Location()
		if err != nil {
			t.Fatalf("the provider answers %s %s: %v", answer.Status, text, err)
		}
		return to.String()
	}
	page := follow(browser.Get(sentTo))
	at, err := url.Parse(page)
	if err != nil || at.Query().Get("authRequestID") == "" {
		t.Fatalf("the provider sends people to %s: %v", page, err)
	}
	at.RawQuery, at.ForceQuery = url.Values{"authRequestID": {at.Query().Get("authRequestID")}}.Encode(), false
	form := url.Values{"username": {username}, "password": {password}, "id": {at.Query().Get("authRequestID")}}
	next := follow(browser.PostForm(at.String(), form))
	if !strings.HasPrefix(next, r.URL) {
		return next
	}
	return follow(browser.Get(next))
}

// built is the path of the program, in Go's cache.
var built = sync.OnceValues(func() (string, error) {
	return testenv.Tool("signet/internal/openid/openidtest", "provider", "provider")
})
