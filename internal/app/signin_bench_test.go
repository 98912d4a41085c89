package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/openid/openidtest"
	"signet/internal/passkey/passkeytest"
	"signet/internal/store/postgrestest"
)

// BenchmarkSignIn signs people in as browsers do, four at a time for each processor, with two calls each: with a
// provider, and with a passkey. The provider and the authenticators are in this process, so that what they cost is in
// the figure. From the hundredth sign-in of a person on, of whom there are 32, each ends its oldest one.
//
//	go test ./internal/app -run '^$' -bench SignIn -benchtime 1500x
func BenchmarkSignIn(b *testing.B) {
	for engine, change := range map[string]func(*config.Config){
		"embedded":   func(cfg *config.Config) { cfg.Database = "" },
		"postgresql": func(cfg *config.Config) { cfg.Database = postgrestest.URL(b) },
	} {
		b.Run(engine, func(b *testing.B) {
			g := newGate(b, atOneAddress, localIssuers, behindProxy, change)
			forger, devices := g.mustAdmit()
			b.Run("provider", func(b *testing.B) { g.signIns(b, func(v *visitor) { v.byProvider(forger) }) })
			b.Run("passkey", func(b *testing.B) {
				g.signIns(b, func(v *visitor) {
					device := <-devices
					defer func() { devices <- device }()
					v.byPasskey(device)
				})
			})
		})
	}
}

// behindProxy has a server believe what its clients say of their addresses: each is at its own, since few may begin to
// sign in at one address in a second.
func behindProxy(cfg *config.Config) {
	cfg.Proxies = []string{"127.0.0.1"}
	cfg.Limits.RequestsPerSecond = 0
}

// gate is a server at which people sign in.
type gate struct {
	*apptest.Server
	b            *testing.B
	organization string
	http         *http.Client
	came         atomic.Int64
}

func newGate(b *testing.B, changes ...func(*config.Config)) *gate {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	b.Cleanup(transport.CloseIdleConnections)
	return &gate{Server: apptest.Start(b, changes...), b: b, http: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// mustAdmit makes 32 people. The provider that it returns vouches for one after the other, and each of the devices has
// the passkey of one.
func (g *gate) mustAdmit() (*openidtest.Forger, chan *passkeytest.Device) {
	const people = 32
	b, operator := g.b, g.Operator.Client
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	var err error
	g.organization, err = operator.CreateOrganization(b.Context(), "Clinic", client.OrganizationSettings{})
	must(err)
	devices := make(chan *passkeytest.Device, people)
	for i := range people {
		name := fmt.Sprint("p", i)
		p := g.MustCreate(g.organization, client.NewUser{Username: name, Emails: []string{name + "@example.com"}})
		must(operator.SetPassword(b.Context(), p.Token, "", sessionPassword))
		v := g.visitor(b)
		v.must(http.StatusNoContent, "POST", "/v2/session",
			map[string]string{"username": p.Token, "password": sessionPassword})
		device := passkeytest.New(b, oneAddress)
		begun := v.must(http.StatusOK, "POST", "/v2/user/me/passkey/begin", nil)
		v.must(http.StatusOK, "POST", "/v2/user/me/passkey/finish", device.Make(b, begun.Body))
		devices <- device
	}
	forger := openidtest.NewForger(b, time.Now)
	var n atomic.Int64
	forger.Forges(func(claims jwt.MapClaims) (string, bool) {
		name := fmt.Sprint("p", n.Add(1)%people)
		claims["sub"], claims["email"], claims["email_verified"] = name, name+"@example.com", true
		claims["preferred_username"], claims["name"] = name, name
		return "", false
	})
	must(operator.SetIdentity(b.Context(), g.organization, client.IdentityChange{Issuer: &forger.URL,
		ClientID: new(openidtest.ClientID), ClientSecret: new(openidtest.ClientSecret), Domains: &[]string{"example.com"}}))
	return forger, devices
}

// signIns has people sign in at the same time.
func (g *gate) signIns(b *testing.B, signIn func(*visitor)) {
	b.SetParallelism(4)
	b.RunParallel(func(next *testing.PB) {
		for next.Next() {
			signIn(g.visitor(b))
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sign-ins/s")
}

// visitor is a browser at an address of its own, whose cookies of one call go with the next.
type visitor struct {
	*gate
	b       *testing.B
	address string
	cookies []*http.Cookie
}

func (g *gate) visitor(b *testing.B) *visitor {
	n := g.came.Add(1)
	return &visitor{gate: g, b: b, address: fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)}
}

func (v *visitor) byProvider(forger *openidtest.Forger) {
	begun := v.must(http.StatusFound, "GET", "/v2/session/oidc/"+v.organization, nil)
	v.must(http.StatusSeeOther, "GET", target(v.b, forger.Visit(begun.Header.Get("Location"))), nil)
}

func (v *visitor) byPasskey(device *passkeytest.Device) {
	begun := v.must(http.StatusOK, "POST", "/v2/session/passkey/begin", nil)
	v.must(http.StatusNoContent, "POST", "/v2/session/passkey/finish", device.Sign(v.b, begun.Body))
}

// must calls the server through what it takes for a proxy, and wants a status.
func (v *visitor) must(status int, method, target string, body any) apptest.Answer {
	v.b.Helper()
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			v.b.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(v.b.Context(), method, v.Address()+target, &sent)
	if err != nil {
		v.b.Fatal(err)
	}
	r.Header = http.Header{"X-Forwarded-For": {v.address}, "X-Forwarded-Proto": {"https"},
		"Sec-Fetch-Site": {"same-origin"}, "Content-Type": {"application/json"}}
	for _, c := range v.cookies {
		r.AddCookie(c)
	}
	got, err := v.http.Do(r)
	if err != nil {
		v.b.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != status {
		v.b.Fatalf("%s %s: got %s %s, %v; want %d", method, r.URL.Path, got.Status, text, err, status)
	}
	if set := got.Cookies(); len(set) > 0 {
		v.cookies = set
	}
	return apptest.Answer{Status: got.StatusCode, Header: got.Header, Body: string(text)}
}
