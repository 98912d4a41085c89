package api_test

import (
	"encoding/base64"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"testing"
	"time"

	"signet/internal/api"
)

// scannable is the expression of docs/security/security.md.
var scannable = regexp.MustCompile(`^sgk_[0-9A-Za-z]{49}$`)

// fromHeader takes a client's address from a header of the tests' own; without it
// the client is at 192.0.2.1.
func fromHeader(f *figures) {
	f.address = func(r *http.Request) netip.Addr {
		if from, err := netip.ParseAddr(r.Header.Get("Test-From")); err == nil {
			return from
		}
		return netip.MustParseAddr("192.0.2.1")
	}
}

// at is where a call comes from.
func at(address string) option { return header("Test-From", address) }

func (a *answer) wantNetworks(want ...string) {
	a.t.Helper()
	wantNetworks(a.t, a.reply(), want...)
}

func wantNetworks(t *testing.T, key value, want ...string) {
	t.Helper()
	var got []string
	if key.has("allowed_networks") {
		for _, network := range key.list("allowed_networks") {
			got = append(got, network.text())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the key opens from %v, want %v: %s", got, want, key)
	}
}

func TestKeyOpensFromItsNetworksOnly(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader)
	issued := c.alice.post(c.alice.path("/key"),
		fields{"allowed_networks": []string{"192.0.2.0/24", "2001:db8::/48", "198.51.100.9"}}).reply()
	wantNetworks(t, issued, "192.0.2.0/24", "2001:db8::/48", "198.51.100.9/32")
	desk := c.alice.withKey(issued)
	for _, inside := range []string{"192.0.2.200", "::ffff:192.0.2.7", "2001:db8:0:9::1", "198.51.100.9"} {
		desk.get("/v2/user", at(inside)).want(200)
	}
	wrong := desk.with(desk.key, "sgk_wrong").get("/v2/user").wantError(401, "credentials_invalid")
	basic := "?auth_basic=" + base64.URLEncoding.EncodeToString([]byte(desk.key+":"+desk.secret))
	for _, outside := range []string{"192.0.3.1", "198.51.100.8", "2001:db9::1", "203.0.113.7"} {
		wantSameAnswer(desk.get("/v2/user", at(outside)).wantError(401, "credentials_invalid"), wrong)
		desk.get("/v2/events", at(outside), header("Accept", "text/event-stream")).want(401)
		c.anyone().get("/v2/events"+basic, at(outside)).want(401)
		desk.post("/v5/login", fields{}, at(outside)).want(401)
	}
	c.anyone().get("/v2/events" + basic).want(200)
	// One that was issued before is not touched, and a list shows which is which.
	c.alice.get("/v2/user", at("203.0.113.7")).want(200)
	for _, k := range c.alice.get("/v2/user/me/key").reply().list() {
		if k.text("api_key") == desk.key {
			wantNetworks(t, k, "192.0.2.0/24", "2001:db8::/48", "198.51.100.9/32")
		} else {
			wantNetworks(t, k)
		}
	}
	// A rotated one opens from where it did.
	rotated := desk.withKey(c.alice.post(c.alice.path("/key/"+desk.key+"/rotate"), fields{"grace": 0}).reply())
	rotated.get("/v2/user").want(200)
	rotated.get("/v2/user", at("203.0.113.7")).want(401)
}

func TestCallsFromElsewhereAreFailedLogins(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader,
		func(f *figures) { f.api = api.Limits{FailedLoginsPerMinute: 10, FailedLoginsPerMinuteAddress: 100} })
	desk := c.alice.withKey(c.alice.post(c.alice.path("/key"), fields{"allowed_networks": "192.0.2.0/24"}).reply())
	for range 10 {
		desk.get("/v2/user", at("203.0.113.7")).want(401)
	}
	desk.get("/v2/user", at("203.0.113.7")).wantError(429, "too_many_failures")
	desk.get("/v2/user").want(200)
}

func TestNetworksOfAnIssuedKeyLieWithinItsIssuers(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader)
	for _, bad := range []any{[]string{"x"}, []string{""}, "10.1.2.3/8", []string{"10.0.0.0/33"}, 7, []any{1}} {
		c.alice.post(c.alice.path("/key"), fields{"allowed_networks": bad}).want(400).wantField("allowed_networks")
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = "192.0.2." + number(i)
	}
	c.alice.post(c.alice.path("/key"), fields{"allowed_networks": many}).wantError(400, "too_many_networks")
	for _, none := range []any{nil, []string{}, ""} {
		c.alice.post(c.alice.path("/key"), fields{"allowed_networks": none}).wantNetworks()
	}

	admin := c.mustCreateAdmin(c.org, "admin")
	office := admin.withKey(admin.post(admin.path("/key"),
		fields{"kind": "administrative", "allowed_networks": []string{"192.0.2.0/24", "2001:db8::/32"}}).reply())
	for _, who := range []*person{admin, c.mustCreate(c.org, "dora")} { // for itself and for another
		keys := who.path("/key")
		office.post(keys, nil).wantNetworks("192.0.2.0/24", "2001:db8::/32")
		office.post(keys, fields{"allowed_networks": []string{}}).wantNetworks("192.0.2.0/24", "2001:db8::/32")
		office.post(keys, fields{"allowed_networks": "192.0.2.128/25"}).wantNetworks("192.0.2.128/25")
		office.do("POST", keys, form("allowed_networks", "192.0.2.1,2001:db8:7::/48")).wantNetworks("192.0.2.1/32",
			"2001:db8:7::/48")
		for _, wider := range []string{"192.0.2.0/23", "0.0.0.0/0", "203.0.113.7", "::/0", "192.0.2.1,203.0.113.7"} {
			office.post(keys, fields{"allowed_networks": wider}).wantError(403, "exceeds_issuer")
		}
	}
	// Nor does a new account's first key, or a sign-in, lead out of them.
	first := office.mustCreate(c.org, "erin")
	first.get("/v2/user", at("192.0.2.9")).want(200)
	first.get("/v2/user", at("203.0.113.7")).want(401)
	auth := office.post("/v5/login", fields{"device_id": "d"}).reply().at("auth")
	signed := admin.with(auth.text("key"), auth.text("secret"))
	signed.get("/v2/user").want(200)
	signed.get("/v2/user", at("203.0.113.7")).want(401)
}

func TestRotatedKeyNeverExceedsTheOneThatRotatesIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader)
	issue := func(by *person, f fields) *person {
		t.Helper()
		return by.withKey(by.post(by.path("/key"), f).reply())
	}
	brief, lasting := issue(c.alice, fields{"expires_in": 60}), issue(c.alice, fields{"expires_in": 3600})
	desk, corner := issue(c.alice, fields{"allowed_networks": "192.0.2.0/24"}),
		issue(c.alice, fields{"allowed_networks": "192.0.2.0/25"})
	rotate := func(by, key *person) *answer { return by.post(by.path("/key/"+key.key+"/rotate"), nil) }
	for _, refused := range [][2]*person{{brief, lasting}, {brief, c.alice}, {lasting, c.alice}, {desk, c.alice},
		{corner, desk}, {desk, brief}} {
		rotate(refused[0], refused[1]).wantError(403, "exceeds_issuer")
		refused[1].get("/v2/user").want(200)
	}
	for _, allowed := range [][2]*person{{brief, brief}, {lasting, brief}, {c.alice, lasting}, {corner, corner},
		{desk, corner}, {c.alice, desk}, {c.alice, c.alice}} {
		allowed[1].withKey(rotate(allowed[0], allowed[1]).reply()).get("/v2/user").want(200)
	}
	// Nor does an administrator's key that is about to end lead into another's for good.
	admin := c.mustCreateAdmin(c.org, "admin")
	dora := c.mustCreate(c.org, "dora")
	ending := issue(admin, fields{"kind": "administrative", "expires_in": 60})
	ending.post(dora.path("/key/"+dora.key+"/rotate"), nil).wantError(403, "exceeds_issuer")
	dora.get("/v2/user").want(200)
	admin.post(dora.path("/key/"+dora.key+"/rotate"), nil).reply()
}

func TestSecretsHaveTheFormThatScannersLookFor(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	issued := c.alice.post(c.alice.path("/key"), nil).reply()
	rotated := c.alice.post(c.alice.path("/key/"+issued.text("api_key")+"/rotate"), nil).reply()
	signed := c.alice.post("/v5/login", fields{}).reply().at("auth")
	for what, secret := range map[string]string{"issued": issued.text("api_secret"), "rotated": rotated.text("api_secret"),
		"signed in": signed.text("secret"), "of a new account": c.bob.secret} {
		if !scannable.MatchString(secret) {
			t.Errorf("the secret that was %s is %q", what, secret)
		}
	}
	// One with a slip in it, and one without the form.
	slip := c.bob.secret[:len(c.bob.secret)-1] + "~"
	wantSameAnswer(c.bob.with(c.bob.key, slip).get("/v2/user").wantError(401, "credentials_invalid"),
		c.bob.with(c.bob.key, "wrong").get("/v2/user"))
	c.operator.with("operator-key", "operator-secret").get("/v2/user").want(200)
}

func TestAKeyShowsTheLastAddressThatItWasUsedFrom(t *testing.T) {
	t.Parallel()
	c := startClinic(t, fromHeader)
	c.mustHavePassword(c.alice)
	boss := c.mustCreateAdmin(c.org, "boss")
	desk := c.alice.withKey(c.alice.post("/v2/user/me/key", nil, at("203.0.113.1")).reply())
	browser := c.alice.mustSignIn(at("203.0.113.1"))
	wantFrom := func(by *person, path, key, address string) {
		t.Helper()
		for _, k := range by.get(path, at("203.0.113.1")).reply().list() {
			if k.text("api_key") != key {
				continue
			}
			if address == "" {
				k.wantFields(nil, "last_used_address")
			} else {
				k.wantFields(fields{"last_used_address": address, "last_used_time": wireTimeOf(c.clock.Now())})
			}
			return
		}
		t.Errorf("%s does not show %s", path, key)
	}
	wantFrom(c.alice, "/v2/user/me/key", desk.key, "") // it was never used
	for _, address := range []string{"198.51.100.9", "2001:db8:0:9::1", "192.0.2.7"} {
		c.clock.Advance(time.Second)
		desk.get("/v2/user", at(address)).want(200)
		browser.get("/v2/user", at(address)).want(200)
		for _, key := range []string{desk.key, browser.sessionKey()} {
			wantFrom(c.alice, "/v2/user/me/key", key, address)
		}
		c.mustSweep() // which writes it
		for _, key := range []string{desk.key, browser.sessionKey()} {
			wantFrom(c.alice, "/v2/user/me/key", key, address)
			wantFrom(c.operator, c.alice.path("/key"), key, address)
		}
	}
	// Who was refused leaves no trace there.
	c.clock.Advance(time.Second)
	desk.with(desk.key, "sgk_wrong").get("/v2/user", at("203.0.113.66")).want(401)
	if k, _ := c.mustReadKey(desk.key); k.LastAddress.String() != "192.0.2.7" {
		t.Errorf("a wrong secret left %s", k.LastAddress)
	}
	// Who sees a key and does not manage it is not told.
	elsewhere := c.mustCreateOrganization("Elsewhere")
	c.operator.post(c.alice.path("/organization"), nil, in(elsewhere)).want(204)
	wantFrom(boss, c.alice.path("/key"), desk.key, "")
}
