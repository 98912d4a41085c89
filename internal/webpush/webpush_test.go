package webpush

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"signet/internal/testenv"
	"signet/internal/webpush/webpushtest"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// The example of RFC 8291, section 5 and appendix A.
const (
	exampleText     = "When I grow up, I want to be a watermelon"
	exampleBrowser  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	exampleReceives = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
	exampleAuth     = "BTBZMqHH6r4Tts7J_aSIgg"
	exampleSends    = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
	exampleSalt     = "DGv6ra1nlYgDCS1FRnbzlw"
	exampleSealed   = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vC" +
		"YLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWG" +
		"NWQexSgSxsj_Qulcy4a-fN"
)

func mustDecode(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustParse(t *testing.T, endpoint, p256dh, auth string) Subscription {
	t.Helper()
	s, err := ParseSubscription(endpoint, p256dh, auth)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealGivesTheBytesOfTheStandardsExample(t *testing.T) {
	s := mustParse(t, "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", exampleBrowser, exampleAuth)
	key, err := ecdh.P256().NewPrivateKey(mustDecode(t, exampleSends))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.seal([]byte(exampleText), len(exampleText), key, [saltSize]byte(mustDecode(t, exampleSalt)))
	if err != nil || base64.RawURLEncoding.EncodeToString(got) != exampleSealed {
		t.Errorf("got %s (%v), want %s", base64.RawURLEncoding.EncodeToString(got), err, exampleSealed)
	}
	wantOpens(t, webpushtest.BrowserOf(t, mustDecode(t, exampleReceives), mustDecode(t, exampleAuth)), got, exampleText)
}

// wantOpens looks whether a browser reads a text.
func wantOpens(t *testing.T, b *webpushtest.Browser, sealed []byte, want string) {
	t.Helper()
	if got, err := b.Open(sealed); err != nil || got != want {
		t.Errorf("the browser reads %q (%v), want %q", got, err, want)
	}
}

func TestSealedTextsAreOfOneLengthAndNeverTheSame(t *testing.T) {
	browser := webpushtest.NewBrowser(t)
	p256dh, auth := browser.Keys()
	s := mustParse(t, "https://push.example.net/x", p256dh, auth)
	seen := map[string]bool{}
	for _, text := range []string{"", "a", strings.Repeat("b", 99), strings.Repeat("c", 100), "a"} {
		sealed, err := s.Seal([]byte(text), 100)
		if err != nil || len(sealed) != 86+100+1+16 {
			t.Errorf("%d bytes are %d, sealed (%v)", len(text), len(sealed), err)
			continue
		}
		wantOpens(t, browser, sealed, text)
		if seen[string(sealed)] {
			t.Errorf("%q was sealed the same as another one", text)
		}
		seen[string(sealed)] = true
	}
	if _, err := s.Seal(make([]byte, 101), 100); err == nil {
		t.Error("a text that is too long was sealed")
	}
	if _, err := s.Seal(nil, 4080); err == nil {
		t.Error("a record that is too long was made")
	}
}

func TestSubscriptionsAreReadOrRefused(t *testing.T) {
	const endpoint = "https://push.example.net/x"
	for _, test := range []struct {
		endpoint, p256dh, auth string
		want                   error
	}{
		{endpoint, exampleBrowser, exampleAuth, nil},
		{endpoint, exampleBrowser + "=", exampleAuth + "==", nil},
		{"push.example.net/x", exampleBrowser, exampleAuth, ErrEndpoint},
		{"https://push.example.net/" + strings.Repeat("x", EndpointLimit), exampleBrowser, exampleAuth, ErrEndpoint},
		{"https://push.example.net/\x01", exampleBrowser, exampleAuth, ErrEndpoint},
		{endpoint, "", exampleAuth, ErrBrowser},
		{endpoint, exampleBrowser[:80], exampleAuth, ErrBrowser},
		{endpoint, "BD" + exampleBrowser[2:], exampleAuth, ErrBrowser}, // not on the curve
		{endpoint, exampleBrowser, exampleAuth + "AA", ErrAuth},
		{endpoint, exampleBrowser, "", ErrAuth},
		{endpoint, exampleBrowser, "a+b/", ErrAuth},
	} {
		if _, err := ParseSubscription(test.endpoint, test.p256dh, test.auth); !errors.Is(err, test.want) {
			t.Errorf("%.40s %.10s %.10s: got %v, want %v", test.endpoint, test.p256dh, test.auth, err, test.want)
		}
	}
}

func FuzzParseSubscription(f *testing.F) {
	f.Add("https://push.example.net/x", exampleBrowser, exampleAuth)
	f.Add("https://push.example.net/x", exampleBrowser, "")
	f.Fuzz(func(t *testing.T, endpoint, p256dh, auth string) {
		s, err := ParseSubscription(endpoint, p256dh, auth)
		if err != nil {
			return
		}
		if _, err := s.Seal([]byte("text"), 10); err != nil {
			t.Fatalf("nothing can be sealed for what was read: %v", err)
		}
	})
}

func TestServerShowsWhoItIs(t *testing.T) {
	key, err := DeriveKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	again, err := DeriveKey(bytes.Repeat([]byte{1}, 32))
	if err != nil || again.Public() != key.Public() {
		t.Errorf("the same secret gives another key: %v", err)
	}
	if other, err := DeriveKey(bytes.Repeat([]byte{2}, 32)); err != nil || other.Public() == key.Public() {
		t.Errorf("another secret gives the same key: %v", err)
	}
	if _, err := DeriveKey([]byte("short")); err == nil {
		t.Error("a short secret gives a key")
	}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	endpoint, err := url.Parse("https://push.example.net:8443/push/secret?of=it")
	if err != nil {
		t.Fatal(err)
	}
	header, err := key.Authorization(endpoint, "https://signet.example.com", now)
	if err != nil {
		t.Fatal(err)
	}
	token, public, found := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	if !found || public != key.Public() {
		t.Fatalf("the header is %q", header)
	}
	parts := strings.Split(token, ".")
	var claims map[string]any
	if err := json.Unmarshal(mustDecode(t, parts[1]), &claims); err != nil || len(claims) != 3 ||
		claims["aud"] != "https://push.example.net:8443" || claims["sub"] != "https://signet.example.com" ||
		claims["exp"] != float64(now.Add(TokenLife).Unix()) {
		t.Errorf("the claims are %v (%v)", claims, err)
	}
	point, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), mustDecode(t, public))
	if err != nil {
		t.Fatal(err)
	}
	signature, digest := mustDecode(t, parts[2]), sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	if len(signature) != 64 || !ecdsa.Verify(point, digest[:], new(big.Int).SetBytes(signature[:32]),
		new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is wrong")
	}
}
