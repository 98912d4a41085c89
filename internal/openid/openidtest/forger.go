package openidtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The client that a provider knows.
const (
	ClientID     = "signet"
	ClientSecret = "the secret of the client"
)

// Forger is a provider in the process of the test. What it says of a person, a test sets.
type Forger struct {
	URL   string
	Clock func() time.Time

	t      testing.TB
	server *httptest.Server
	key    *rsa.PrivateKey

	mu       sync.Mutex // guards all below
	claims   map[string]any
	info     map[string]any
	codes    map[string]url.Values // by code: with which request it was given
	forge    func(claims jwt.MapClaims) (signed string, forged bool)
	document func(map[string]any)
	broken   func(http.ResponseWriter) // of keys and UserInfo; nil: they are whole
	down     bool
	calls    int
}

// NewForger starts a provider that vouches for nobody yet, and ends with the test.
func NewForger(t testing.TB, clock func() time.Time) *Forger {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	f := &Forger{Clock: clock, t: t, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", f.discover)
	mux.HandleFunc("GET /keys", f.whole(f.keys))
	mux.HandleFunc("POST /token", f.token)
	mux.HandleFunc("GET /userinfo", f.whole(f.userInfo))
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.calls++
		down := f.down
		f.mu.Unlock()
		if down {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	f.URL = f.server.URL
	t.Cleanup(f.server.Close)
	return f
}

// Client calls the provider, and nobody else.
func (f *Forger) Client() *http.Client { return f.server.Client() }

// Says sets what ID tokens say of a person besides what belongs to each.
func (f *Forger) Says(claims map[string]any) { f.set(func() { f.claims, f.info = claims, nil }) }

// Tells sets what the UserInfo endpoint says: at first who it is, and no more.
func (f *Forger) Tells(claims map[string]any) { f.set(func() { f.info = claims }) }

// Forges has ID tokens made by a function: forged false has them be signed as they should.
func (f *Forger) Forges(forge func(claims jwt.MapClaims) (signed string, forged bool)) {
	f.set(func() { f.forge = forge })
}

// Publishes changes what the provider publishes of itself.
func (f *Forger) Publishes(change func(map[string]any)) { f.set(func() { f.document = change }) }

// Down has the provider answer nothing that an issuer answers, or answer again.
func (f *Forger) Down(down bool) { f.set(func() { f.down = down }) }

// Breaks has the provider answer so where it is asked for its keys, and of a person; nil: as it should.
func (f *Forger) Breaks(answer func(http.ResponseWriter)) { f.set(func() { f.broken = answer }) }

// Calls is how often the provider was called.
func (f *Forger) Calls() (n int) {
	f.set(func() { n = f.calls })
	return n
}

// whole answers by a function, unless the test has it broken.
func (f *Forger) whole(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var broken func(http.ResponseWriter)
		if f.set(func() { broken = f.broken }); broken != nil {
			broken(w)
			return
		}
		answer(w, r)
	}
}

func (f *Forger) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// Visit plays a person who is sent to the provider, and agrees: it returns where the provider sends the browser back
// to. It checks that what it is asked is what a relying party asks.
func (f *Forger) Visit(sentTo string) string {
	f.t.Helper()
	to, err := url.Parse(sentTo)
	if err != nil {
		f.t.Fatal(err)
	}
	asked := to.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": ClientID,
		"code_challenge_method": "S256"} {
		if got := asked.Get(name); got != want {
			f.t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(asked.Get(name)) < 43 {
			f.t.Errorf("%s is %q, which is guessed too easily", name, asked.Get(name))
		}
	}
	code := rand.Text()
	f.set(func() { f.codes[code] = asked })
	back, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil {
		f.t.Fatal(err)
	}
	back.RawQuery = url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode()
	return back.String()
}

func (f *Forger) discover(w http.ResponseWriter, _ *http.Request) {
	document := map[string]any{
		"issuer": f.URL, "authorization_endpoint": f.URL + "/authorize", "token_endpoint": f.URL + "/token",
		"jwks_uri": f.URL + "/keys", "userinfo_endpoint": f.URL + "/userinfo",
		"id_token_signing_alg_values_supported": []string{"RS256", "none", "HS256"},
		"scopes_supported":                      []string{"openid", "profile", "email", "groups"},
	}
	f.set(func() {
		if f.document != nil {
			f.document(document)
		}
	})
	f.reply(w, document)
}

func (f *Forger) keys(w http.ResponseWriter, _ *http.Request) {
	encode := base64.RawURLEncoding.EncodeToString
	f.reply(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
		"n": encode(f.key.N.Bytes()), "e": encode(big.NewInt(int64(f.key.E)).Bytes())}}})
}

// token exchanges a code: once, for who has the verifier of its challenge and the client's secret.
func (f *Forger) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	code := r.PostFormValue("code")
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	var asked url.Values
	f.set(func() {
		asked = f.codes[code]
		delete(f.codes, code)
	})
	unescaped, _ := url.QueryUnescape(secret)
	switch {
	case id != ClientID || unescaped != ClientSecret:
		f.refuse(w, http.StatusUnauthorized, "invalid_client")
	case asked == nil || asked.Get("code_challenge") != challenge ||
		asked.Get("redirect_uri") != r.PostFormValue("redirect_uri"):
		f.refuse(w, http.StatusBadRequest, "invalid_grant")
	default:
		f.reply(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 300,
			"id_token": f.idToken(asked)})
	}
}

// idToken makes what the provider says of the person now.
func (f *Forger) idToken(asked url.Values) string {
	now := f.Clock()
	claims := jwt.MapClaims{"iss": f.URL, "aud": ClientID, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"nonce": asked.Get("nonce")}
	if asked.Get("max_age") != "" {
		claims["auth_time"] = now.Unix()
	}
	var forge func(jwt.MapClaims) (string, bool)
	f.set(func() {
		maps.Copy(claims, f.claims)
		forge = f.forge
	})
	if forge != nil {
		if signed, forged := forge(claims); forged {
			return signed
		}
	}
	return f.Sign(claims)
}

// Sign signs claims with the provider's key.
func (f *Forger) Sign(claims jwt.MapClaims) string {
	return f.signed(jwt.SigningMethodRS256, claims, f.key)
}

// Unsigned makes a token that nobody signed (alg none).
func (f *Forger) Unsigned(claims jwt.MapClaims) string {
	return f.signed(jwt.SigningMethodNone, claims, jwt.UnsafeAllowNoneSignatureType)
}

// ByPublicKey makes a token that is signed with the provider's public key as a shared secret, which everybody has.
func (f *Forger) ByPublicKey(claims jwt.MapClaims) string {
	return f.signed(jwt.SigningMethodHS256, claims, f.key.N.Bytes())
}

// ByAnother makes a token that somebody else's key signed.
func (f *Forger) ByAnother(claims jwt.MapClaims) string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		f.t.Error(err)
		return ""
	}
	return f.signed(jwt.SigningMethodRS256, claims, key)
}

func (f *Forger) signed(by jwt.SigningMethod, claims jwt.MapClaims, key crypto.PrivateKey) string {
	return f.typed("JWT", by, claims, key)
}

// Typed makes a token whose header says what it is.
func (f *Forger) Typed(typ string, claims jwt.MapClaims) string {
	return f.typed(typ, jwt.SigningMethodRS256, claims, f.key)
}

func (f *Forger) typed(typ string, by jwt.SigningMethod, claims jwt.MapClaims, key crypto.PrivateKey) string {
	token := jwt.NewWithClaims(by, claims)
	token.Header["kid"] = "one"
	if token.Header["typ"] = typ; typ == "" {
		delete(token.Header, "typ")
	}
	signed, err := token.SignedString(key)
	if err != nil {
		f.t.Errorf("sign a token: %v", err)
	}
	return signed
}

// LogoutToken makes a logout token of now, with these claims besides.
func (f *Forger) LogoutToken(claims map[string]any) string {
	return f.TypedLogoutToken("logout+jwt", claims)
}

// TypedLogoutToken is LogoutToken with another type in its header; empty: with none.
func (f *Forger) TypedLogoutToken(typ string, claims map[string]any) string {
	now := f.Clock()
	all := jwt.MapClaims{"iss": f.URL, "aud": ClientID, "iat": now.Unix(), "exp": now.Add(2 * time.Minute).Unix(),
		"jti": rand.Text(), "events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
	maps.Copy(all, claims)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return f.Typed(typ, all)
}

func (f *Forger) userInfo(w http.ResponseWriter, r *http.Request) {
	var info map[string]any
	f.set(func() {
		if info = f.info; info == nil {
			info = map[string]any{"sub": f.claims["sub"]} // no more than the ID token says
		}
	})
	if r.Header.Get("Authorization") != "Bearer access" {
		f.refuse(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	f.reply(w, info)
}

func (f *Forger) refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code})
}

func (f *Forger) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		f.t.Errorf("answer as a provider: %v", err)
	}
}
