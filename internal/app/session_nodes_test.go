package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/testenv"
)

const sessionPassword = "correct horse battery"

// ownPage is what a browser says of a call from a page of the server's own.
var ownPage = [2]string{"Sec-Fetch-Site", "same-origin"}

// signIn returns the cookie of a new session on a node, as browsers send it.
func (c *cluster) signIn(node int, p *apptest.Person) (cookie string) {
	c.t.Helper()
	s := c.nodes[node]
	answer := s.MustSend(c.t, s.NewHTTPClient(), apptest.Request{Method: "POST", Target: "/v2/session",
		Header: [][2]string{{"Content-Type", "application/json"}, ownPage},
		Body:   `{"username":"` + p.Name + `","password":"` + sessionPassword + `"}`})
	cookie, _, _ = strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	if answer.Status != http.StatusNoContent || cookie == "" {
		c.t.Fatalf("signing in answers %d %s", answer.Status, answer.Body)
	}
	return cookie
}

// portOf is where a server listens, which is part of the name of its cookies.
func portOf(s *apptest.Server) string { return s.Address()[strings.LastIndexByte(s.Address(), ':')+1:] }

// call makes a call on a node with these headers, and returns its status.
func (c *cluster) call(node int, method, target string, header ...[2]string) int {
	c.t.Helper()
	s := c.nodes[node]
	return s.MustSend(c.t, s.NewHTTPClient(), apptest.Request{Method: method, Target: target, Header: header}).Status
}

// TestEndedSessionsEndOnAllServers: a session that ends on one server opens nothing on
// another one a second later, and its streams there have ended; so does whatever opened the
// account of a person who is disabled.
func TestEndedSessionsEndOnAllServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats)
		ctx := t.Context()
		for what, end := range map[string]func(p *apptest.Person, cookie string) error{
			"a logout": func(_ *apptest.Person, cookie string) error {
				if status := c.call(0, "DELETE", "/v2/session", [2]string{"Cookie", cookie}, ownPage); status != 204 {
					t.Errorf("signing out answers %d", status)
				}
				return nil
			},
			"another password": func(p *apptest.Person, _ string) error {
				return c.Operator.Client.SetPassword(ctx, p.Token, "", "another "+sessionPassword)
			},
			"a revoked key": func(p *apptest.Person, cookie string) error {
				_, value, _ := strings.Cut(cookie, "=")
				key, _, _ := strings.Cut(value, ".")
				return c.Operator.Client.RevokeKey(ctx, p.Token, key)
			},
			"a disabled person": func(p *apptest.Person, _ string) error {
				return c.Operator.Client.DisableUser(ctx, p.Token)
			},
		} {
			p := c.nodes[0].MustCreate(c.Organization, client.NewUser{Username: strings.ReplaceAll(what, " ", "_")})
			c.must(c.Operator.Client.SetPassword(ctx, p.Token, "", sessionPassword))
			cookie := c.signIn(0, p)
			elsewhere := strings.Replace(cookie, portOf(c.nodes[0]), portOf(c.nodes[1]), 1) // as if they had one address
			opens := map[string][][2]string{"the cookie": {{"Cookie", elsewhere}, ownPage}}
			if what == "a disabled person" {
				opens["a key"] = [][2]string{{"Authorization", "Basic " + basic(p)}}
			}
			streams := map[string]*listener{}
			for how, header := range opens {
				if status := c.call(1, "GET", "/v2/user", header...); status != 200 { // which the server remembers
					t.Errorf("%s opens with %d before", how, status)
				}
				streams[how] = c.listenWith(1, header)
			}
			c.must(end(p, cookie))
			ended := time.Now()
			for how, header := range opens {
				streams[how].wantEnd()
				after := time.Since(ended)
				eventually(t, "a call is refused", func() bool { return c.call(1, "GET", "/v2/user", header...) == 401 })
				// A tick of the server is 750 ms; the rest is how busy the machine is.
				if took := time.Since(ended); took > within {
					t.Errorf("after %s, %s: the stream ended after %v, calls were refused after %v", what, how, after, took)
				}
			}
		}
	})
}

// within is how long another server may let in who has no access any more, with room for a
// busy machine: the servers promise a second.
const within = 3 * time.Second
