package openid

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"signet/internal/model"
	"signet/internal/openid/openidtest"
	"signet/internal/testclock"
)

const nonce = "a nonce of forty-three characters, which is so"

// visit is a person on its way to a provider and back.
type visit struct {
	t      *testing.T
	clock  *testclock.Clock
	forger *openidtest.Forger
	party  *Party
	issuer Issuer
	answer Answer
}

func newVisit(t *testing.T) *visit {
	t.Helper()
	clock := testclock.New()
	f := openidtest.NewForger(t, clock.Now)
	f.Says(map[string]any{"sub": "ann", "email": "ann@example.com", "email_verified": true, "name": "Ann Ames",
		"preferred_username": "ann", "groups": []string{"staff", "admins"}})
	return &visit{t: t, clock: clock, forger: f, party: New(f.Client(), clock.Now),
		issuer: Issuer{URL: f.URL, ClientID: openidtest.ClientID, Secret: openidtest.ClientSecret,
			Redirect: "https://signet.example.com/callback"},
		answer: Answer{Nonce: nonce, Verifier: strings.Repeat("v", 43)}}
}

// mustBegin sends the person to the provider, and notes the code with which it comes back.
func (v *visit) mustBegin() url.Values {
	v.t.Helper()
	to, err := v.party.Begin(v.t.Context(), v.issuer, Request{State: strings.Repeat("s", 43), Nonce: v.answer.Nonce,
		Verifier: v.answer.Verifier, Groups: v.answer.Groups, Fresh: v.answer.Fresh, Hint: "ann@example.com"})
	if err != nil {
		v.t.Fatal(err)
	}
	back, err := url.Parse(v.forger.Visit(to))
	if err != nil {
		v.t.Fatal(err)
	}
	v.answer.Code = back.Query().Get("code")
	sent, _ := url.Parse(to)
	return sent.Query()
}

func (v *visit) finish() (Person, error) { return v.party.Finish(v.t.Context(), v.issuer, v.answer) }

func (v *visit) wantRefused(what string) {
	v.t.Helper()
	if person, err := v.finish(); !errors.Is(err, ErrRefused) {
		v.t.Errorf("%s: got %+v, %v, want a refusal", what, person, err)
	}
}

func TestAPersonComesBackWithWhatTheIssuerSays(t *testing.T) {
	v := newVisit(t)
	sent := v.mustBegin()
	if got := sent.Get("scope"); got != "openid profile email" {
		t.Errorf("the scope is %q", got)
	}
	if got := sent.Get("login_hint"); got != "ann@example.com" {
		t.Errorf("the hint is %q", got)
	}
	person, err := v.finish()
	if err != nil {
		t.Fatal(err)
	}
	if person.Subject != "ann" || person.Email != "ann@example.com" || !person.Verified || person.Username != "ann" ||
		person.DisplayName != "Ann Ames" || len(person.Groups) != 2 {
		t.Errorf("got %+v", person)
	}
}

func TestGroupsAreAskedForWhereTheIssuerHasThemAsAScope(t *testing.T) {
	v := newVisit(t)
	v.answer.Groups = true
	if got := v.mustBegin().Get("scope"); got != "openid profile email groups" {
		t.Errorf("the scope is %q", got)
	}
}

// What an issuer publishes is asked once in five minutes, its keys once, and not again for each person. Of one that
// does not answer people then hear before they are sent there.
func TestAnIssuerIsAskedOnce(t *testing.T) {
	v := newVisit(t)
	for range 3 {
		v.mustBegin()
		if _, err := v.finish(); err != nil {
			t.Fatal(err)
		}
	}
	if n := v.forger.Calls(); n != 5 { // discovery, keys, three codes
		t.Errorf("the issuer was called %d times, want 5", n)
	}
	v.clock.Advance(remembered)
	v.mustBegin()
	if n := v.forger.Calls(); n != 6 {
		t.Errorf("five minutes later it was called %d times, want 6", n)
	}
	v.forger.Down(true)
	v.clock.Advance(remembered)
	if _, err := v.party.Begin(t.Context(), v.issuer, Request{}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a sign-in begins at an issuer that is down: %v", err)
	}
}

// TestForgedTokensAreRefused: whatever is wrong with an ID token, nobody comes in by it.
func TestForgedTokensAreRefused(t *testing.T) {
	sign := func(change func(jwt.MapClaims)) func(*visit) {
		return func(v *visit) {
			v.forger.Forges(func(c jwt.MapClaims) (string, bool) { change(c); return v.forger.Sign(c), true })
		}
	}
	for what, forge := range map[string]func(*visit){
		"the algorithm none": func(v *visit) {
			v.forger.Forges(func(c jwt.MapClaims) (string, bool) { return v.forger.Unsigned(c), true })
		},
		"the public key as a shared secret": func(v *visit) {
			v.forger.Forges(func(c jwt.MapClaims) (string, bool) { return v.forger.ByPublicKey(c), true })
		},
		"another's key": func(v *visit) {
			v.forger.Forges(func(c jwt.MapClaims) (string, bool) { return v.forger.ByAnother(c), true })
		},
		"no token": func(v *visit) {
			v.forger.Forges(func(jwt.MapClaims) (string, bool) { return "", true })
		},
		"another issuer":         sign(func(c jwt.MapClaims) { c["iss"] = "https://other.example.com" }),
		"another audience":       sign(func(c jwt.MapClaims) { c["aud"] = "another client" }),
		"no audience":            sign(func(c jwt.MapClaims) { delete(c, "aud") }),
		"another party":          sign(func(c jwt.MapClaims) { c["azp"] = "another client" }),
		"several, and no party":  sign(func(c jwt.MapClaims) { c["aud"] = []string{openidtest.ClientID, "another"} }),
		"another nonce":          sign(func(c jwt.MapClaims) { c["nonce"] = "another" }),
		"no nonce":               sign(func(c jwt.MapClaims) { delete(c, "nonce") }),
		"no subject":             sign(func(c jwt.MapClaims) { delete(c, "sub") }),
		"a subject of no length": sign(func(c jwt.MapClaims) { c["sub"] = strings.Repeat("x", model.MaxSubject+1) }),
		"an end in the past":     sign(func(c jwt.MapClaims) { c["exp"] = testclock.Start.Add(-time.Second).Unix() }),
		"no end":                 sign(func(c jwt.MapClaims) { delete(c, "exp") }),
		"a beginning in the future": sign(func(c jwt.MapClaims) {
			c["iat"] = testclock.Start.Add(3 * time.Minute).Unix()
		}),
		"another type": func(v *visit) {
			v.forger.Forges(func(c jwt.MapClaims) (string, bool) { return v.forger.Typed("at+jwt", c), true })
		},
		"no beginning": sign(func(c jwt.MapClaims) { delete(c, "iat") }),
		"not before the future": sign(func(c jwt.MapClaims) {
			c["nbf"] = testclock.Start.Add(3 * time.Minute).Unix()
		}),
	} {
		t.Run(what, func(t *testing.T) {
			v := newVisit(t)
			forge(v)
			v.mustBegin()
			v.wantRefused(what)
		})
	}
}

// A code is good once, and for who began alone.
func TestStolenCodesAreRefused(t *testing.T) {
	v := newVisit(t)
	v.mustBegin()
	if _, err := v.finish(); err != nil {
		t.Fatal(err)
	}
	v.wantRefused("a code that was used")
	v.mustBegin()
	v.answer.Verifier = strings.Repeat("w", 43)
	v.wantRefused("a code without its verifier")
}

// The answer of one issuer is not taken for that of another one (RFC 9207).
func TestMixedUpIssuersAreRefused(t *testing.T) {
	v := newVisit(t)
	v.mustBegin()
	v.answer.Issuer = "https://other.example.com"
	v.wantRefused("another issuer in the answer")
	v.answer.Issuer = v.issuer.URL
	if _, err := v.finish(); err != nil {
		t.Errorf("the issuer itself: %v", err)
	}
	v = newVisit(t)
	v.forger.Publishes(func(d map[string]any) { d["authorization_response_iss_parameter_supported"] = true })
	v.mustBegin()
	v.wantRefused("an issuer that names itself, and does not")
}

// One that answers in another's name, or sends people elsewhere than to a page of the web, is no issuer.
func TestWhatIsNoIssuerIsNotReached(t *testing.T) {
	for what, change := range map[string]func(*openidtest.Forger){
		"another's name": func(f *openidtest.Forger) {
			f.Publishes(func(d map[string]any) { d["issuer"] = "https://other.example.com" })
		},
		"a script in place of a page": func(f *openidtest.Forger) {
			f.Publishes(func(d map[string]any) { d["authorization_endpoint"] = "javascript:alert(1)" })
		},
		"no endpoint for codes": func(f *openidtest.Forger) {
			f.Publishes(func(d map[string]any) { delete(d, "token_endpoint") })
		},
		"it is down": func(f *openidtest.Forger) { f.Down(true) },
	} {
		v := newVisit(t)
		change(v.forger)
		if _, err := v.party.Begin(t.Context(), v.issuer, Request{}); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: got %v, want that it is not reached", what, err)
		}
	}
}

func TestAnIssuerThatGoesDownRefusesNobody(t *testing.T) {
	v := newVisit(t)
	v.mustBegin()
	v.forger.Down(true)
	if _, err := v.finish(); !errors.Is(err, ErrUnreachable) {
		t.Errorf("got %v", err)
	}
	v.forger.Down(false)
	v.issuer.Secret = "another secret"
	v.mustBegin()
	if _, err := v.finish(); !errors.Is(err, ErrUnreachable) { // it is the server that is not known
		t.Errorf("with a wrong client secret: got %v", err)
	}
}

// An issuer whose keys cannot be read has not refused anybody, and nothing of what it answers is repeated: it may be
// anything that the server reaches.
func TestKeysThatCannotBeReadRefuseNobody(t *testing.T) {
	const inside = "what lies inside"
	for what, broken := range map[string]func(http.ResponseWriter){
		"an error":     func(w http.ResponseWriter) { http.Error(w, inside, http.StatusInternalServerError) },
		"not found":    func(w http.ResponseWriter) { http.Error(w, inside, http.StatusNotFound) },
		"no JSON":      func(w http.ResponseWriter) { _, _ = io.WriteString(w, inside) },
		"other JSON":   func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"x":"`+inside+`"}`) },
		"cut short":    func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"keys":["`+inside) },
		"nothing":      func(http.ResponseWriter) {},
		"an interrupt": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		v := newVisit(t)
		v.mustBegin()
		v.forger.Breaks(broken)
		wantUnreachable := func(at string, err error) {
			if !errors.Is(err, ErrUnreachable) || errors.Is(err, ErrRefused) || strings.Contains(err.Error(), inside) {
				t.Errorf("%s, at %s: got %v", what, at, err)
			}
		}
		_, err := v.finish()
		wantUnreachable("a sign-in", err)
		token := v.forger.LogoutToken(map[string]any{"sub": "ann"})
		_, err = v.party.Logout(t.Context(), v.issuer, token)
		wantUnreachable("a logout", err)
		v.forger.Breaks(nil)
		v.party = New(v.forger.Client(), v.clock.Now) // the library may answer from the call that has just failed
		if _, err := v.party.Logout(t.Context(), v.issuer, token); err != nil {
			t.Errorf("%s: once it answers: %v", what, err)
		}
		// Of whom the keys are known, the UserInfo endpoint may be broken.
		v.answer.Groups = true
		v.forger.Says(map[string]any{"sub": "ann", "name": "Ann"})
		v.mustBegin()
		v.forger.Breaks(broken)
		if _, err = v.finish(); err == nil || strings.Contains(err.Error(), inside) {
			t.Errorf("%s, at UserInfo: got %v", what, err)
		}
	}
}

// Okta, and others, tell the e-mail address and the groups at the UserInfo endpoint only.
func TestUserInfoTellsWhatTheTokenLeavesOut(t *testing.T) {
	v := newVisit(t)
	v.answer.Groups = true
	v.forger.Says(map[string]any{"sub": "ann", "name": "Ann"})
	v.forger.Tells(map[string]any{"sub": "ann", "name": "Another", "email": "ann@example.com", "email_verified": "true",
		"groups": "staff"})
	v.mustBegin()
	person, err := v.finish()
	if err != nil {
		t.Fatal(err)
	}
	if person.DisplayName != "Ann" || !person.Verified || person.Email != "ann@example.com" || len(person.Groups) != 1 {
		t.Errorf("got %+v", person)
	}
	v.forger.Tells(map[string]any{"sub": "bob", "email": "ann@example.com", "email_verified": true})
	v.mustBegin()
	v.wantRefused("UserInfo of somebody else")
	v.answer.Groups = false
	v.mustBegin()
	if person, err := v.finish(); err != nil || person.Email != "" {
		t.Errorf("got %+v, %v, want nothing of another's", person, err)
	}
}

// That an address is verified does not go for another address.
func TestUnverifiedAddressesStayUnverified(t *testing.T) {
	for what, said := range map[string]map[string]any{
		"nothing said":          {"email": "ann@example.com"},
		"not verified":          {"email": "ann@example.com", "email_verified": false},
		"not verified, a text":  {"email": "ann@example.com", "email_verified": "false"},
		"denied, and otherwise": {"email": "ann@example.com", "email_verified": false, "xms_edov": true},
	} {
		v := newVisit(t)
		v.forger.Says(said)
		said["sub"] = "ann"
		v.mustBegin()
		if person, err := v.finish(); err != nil || person.Verified {
			t.Errorf("%s: got %+v, %v", what, person, err)
		}
	}
	v := newVisit(t)
	v.answer.Names.Email = "upn"
	v.forger.Says(map[string]any{"sub": "ann", "upn": "boss@example.com", "email": "ann@example.com",
		"email_verified": true})
	v.mustBegin()
	if person, err := v.finish(); err != nil || person.Verified || person.Email != "boss@example.com" {
		t.Errorf("another claim: got %+v, %v", person, err)
	}
}

func TestWhoHasToProveAnewDoesSo(t *testing.T) {
	v := newVisit(t)
	v.answer.Fresh = true
	sent := v.mustBegin()
	if sent.Get("prompt") != "login" || sent.Get("max_age") != "0" {
		t.Errorf("asked with %v", sent)
	}
	if _, err := v.finish(); err != nil {
		t.Error(err)
	}
	for what, at := range map[string]any{"long ago": testclock.Start.Add(-6 * time.Minute).Unix(), "never": nil,
		"tomorrow": testclock.Start.Add(24 * time.Hour).Unix()} {
		v.forger.Says(map[string]any{"sub": "ann", "auth_time": at})
		v.mustBegin()
		v.wantRefused("who proved it " + what)
	}
}

func TestLogoutTokensAreChecked(t *testing.T) {
	v := newVisit(t)
	logout := func(raw string) (Logout, error) { return v.party.Logout(t.Context(), v.issuer, raw) }
	said, err := logout(v.forger.LogoutToken(map[string]any{"sub": "ann", "sid": "one", "jti": "id"}))
	if err != nil || said != (Logout{Subject: "ann", Session: "one", ID: "id"}) {
		t.Errorf("got %+v, %v", said, err)
	}
	// RFC 8725, section 3.11: issuers say what a token is, or "JWT", or nothing.
	for _, typ := range []string{"logout+jwt", "application/logout+JWT", "JWT", "jwt", ""} {
		if _, err := logout(v.forger.TypedLogoutToken(typ, map[string]any{"sub": "ann"})); err != nil {
			t.Errorf("of the type %q: %v", typ, err)
		}
	}
	for what, raw := range map[string]string{
		"nobody named": v.forger.LogoutToken(nil),
		"a nonce":      v.forger.LogoutToken(map[string]any{"sub": "ann", "nonce": nonce}),
		"no event":     v.forger.LogoutToken(map[string]any{"sub": "ann", "events": nil}),
		"no name":      v.forger.LogoutToken(map[string]any{"sub": "ann", "jti": nil}),
		"no end":       v.forger.LogoutToken(map[string]any{"sub": "ann", "exp": nil}),
		"another's":    v.forger.LogoutToken(map[string]any{"sub": "ann", "aud": "another"}),
		"another":      v.forger.LogoutToken(map[string]any{"sub": "ann", "iss": "https://other.example.com"}),
		"old": v.forger.LogoutToken(map[string]any{"sub": "ann",
			"iat": testclock.Start.Add(-9 * time.Minute).Unix()}),
		"of the future": v.forger.LogoutToken(map[string]any{"sub": "ann",
			"iat": testclock.Start.Add(3 * time.Minute).Unix()}),
		"an ID token": v.forger.Sign(jwt.MapClaims{"iss": v.forger.URL, "aud": openidtest.ClientID, "sub": "ann",
			"iat": testclock.Start.Unix(), "exp": testclock.Start.Add(time.Minute).Unix(), "nonce": nonce}),
		"unsigned": v.forger.Unsigned(jwt.MapClaims{"iss": v.forger.URL, "aud": openidtest.ClientID, "sub": "ann"}),
		"nonsense": "x.y.z",
		"an event that is nothing": v.forger.LogoutToken(map[string]any{"sub": "ann",
			"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": nil}}),
		"an event that is a text": v.forger.LogoutToken(map[string]any{"sub": "ann",
			"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": "x"}}),
		"of another type":        v.forger.TypedLogoutToken("at+jwt", map[string]any{"sub": "ann"}),
		"of a type like another": v.forger.TypedLogoutToken("secevent+jwt", map[string]any{"sub": "ann"}),
	} {
		if said, err := logout(raw); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: got %+v, %v, want a refusal", what, said, err)
		}
	}
}

// Nothing is called by another way than the client that the party was given.
func TestOnlyTheGivenClientIsCalled(t *testing.T) {
	v := newVisit(t)
	refused := errors.New("not let out")
	v.party = New(&http.Client{Transport: never{refused}}, v.clock.Now)
	if _, err := v.party.Begin(t.Context(), v.issuer, Request{}); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if n := v.forger.Calls(); n != 0 {
		t.Errorf("the issuer was called %d times", n)
	}
}

// What an issuer is sent gets into no log, though its answer repeats it.
func TestWhatIsSentIsNotRepeated(t *testing.T) {
	v := newVisit(t)
	v.party = New(&http.Client{Transport: echo{v.forger.Client().Transport}}, v.clock.Now)
	v.mustBegin()
	_, err := v.finish()
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "400") ||
		strings.Contains(err.Error(), v.answer.Verifier) {
		t.Errorf("got %v", err)
	}
}

// echo answers what is posted with the same, and has the issuer answer all else.
type echo struct{ issuer http.RoundTripper }

func (e echo) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost {
		return e.issuer.RoundTrip(r)
	}
	return &http.Response{Status: "400 Bad Request", StatusCode: http.StatusBadRequest, Header: http.Header{},
		Body: r.Body, Request: r}, nil
}

type never struct{ err error }

func (n never) RoundTrip(*http.Request) (*http.Response, error) { return nil, n.err }
