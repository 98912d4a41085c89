package app_test

import (
	"strings"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/passkey/passkeytest"
	"signet/internal/testenv"
)

// What one server asks for, another one takes, and only one of all: also what is answered twice at once. A requirement
// of a second factor holds on all of them within a second.
func TestServersTakeAChallengeOnce(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := newCluster(t, 2, "", atOneAddress)
	one, other := c.nodes[0], c.nodes[1]
	const password = "correct horse battery"
	for _, p := range []*apptest.Person{c.Alice, c.Bob} {
		if err := c.Operator.Client.SetPassword(t.Context(), p.Token, "", password); err != nil {
			t.Fatal(err)
		}
	}
	device := passkeytest.New(t, oneAddress)
	alice := newBrowser(t)
	signIn := func(b *browser, at *apptest.Server, p *apptest.Person) {
		t.Helper()
		b.must(204, at, "POST", "/session", map[string]string{"username": p.Token, "password": password})
	}
	signIn(alice, one, c.Alice)
	made := device.Make(t, alice.begin(one, "/user/me/passkey/begin"))
	alice.must(200, other, "POST", "/user/me/passkey/finish", made)

	for range 10 {
		asked := newBrowser(t).begin(one, "/session/passkey/begin")
		answer := device.Sign(t, asked)
		statuses := make(chan int, len(c.nodes))
		for _, node := range c.nodes {
			b := newBrowser(t)
			go func() { statuses <- b.send(node, "POST", "/session/passkey/finish", answer).Status }()
		}
		if a, b := <-statuses, <-statuses; a+b != 204+401 {
			t.Fatalf("two servers answered %d and %d", a, b)
		}
	}

	// Who is signed in by a password on one server hears of a requirement that another one was told.
	bob := newBrowser(t)
	signIn(bob, one, c.Bob)
	bob.must(200, one, "GET", "/user", nil)
	required := "required"
	err := other.As(c.Operator).Client.UpdateOrganization(t.Context(), c.Organization,
		client.OrganizationSettings{SecondFactor: &required})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the password is not enough", func() bool {
		got := bob.send(one, "GET", "/user", nil)
		return got.Status == 403 && strings.Contains(got.Body, "second_factor_required")
	})

	// Begun on one server, finished on another, used on it while the first is gone.
	fresh := newBrowser(t)
	signIn(fresh, one, c.Alice)
	asked := fresh.begin(one, "/session/passkey/begin")
	one.Stop()
	fresh.must(204, other, "POST", "/session/passkey/finish", device.Sign(t, asked))
	fresh.must(200, other, "GET", "/user", nil)
}
