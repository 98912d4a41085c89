package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const vapidSubject = "https://signet.example.com"

// verify reads a header as a push service does (RFC 8292, section 3), by a library that is not ours.
func verify(t *testing.T, header, audience, subject string, now time.Time) (jwt.MapClaims, error) {
	t.Helper()
	token, public, found := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	if !found {
		t.Fatalf("the header is %q", header)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), mustDecode(t, public))
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithExpirationRequired(), jwt.WithAudience(audience),
		jwt.WithSubject(subject), jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }))
	return claims, err
}

// The example of RFC 8292, section 2.4.
const exampleHeader = "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJl" +
	"eHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfn" +
	"K9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, " +
	"k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

func TestPushServicesVerifyWhoTheServerIs(t *testing.T) {
	_, err := verify(t, exampleHeader, "https://push.example.net", "mailto:push@example.com",
		time.Unix(1453523768, 0).Add(-time.Hour))
	if err != nil {
		t.Fatalf("the example of the standard is refused: %v", err)
	}

	key, err := DeriveKey([]byte("32 bytes that nobody else knows!"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	const origin = "https://push.example.net:8443"
	endpoint, err := url.Parse(origin + "/push/secret?of=it")
	if err != nil {
		t.Fatal(err)
	}
	header, err := key.Authorization(endpoint, vapidSubject, now)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := verify(t, header, origin, vapidSubject, now)
	if err != nil || len(claims) != 3 {
		t.Errorf("the claims are %v (%v)", claims, err)
	}
	ends, err := claims.GetExpirationTime()
	if err != nil || ends.Before(now.Add(time.Hour)) || ends.After(now.Add(24*time.Hour)) {
		t.Errorf("it ends at %v (%v)", ends, err)
	}
	others := exampleHeader[strings.LastIndex(exampleHeader, "k="):]
	for name, test := range map[string]struct {
		header, audience string
		at               time.Time
		want             error
	}{
		"another push service": {header, "https://other.example.net", now, jwt.ErrTokenInvalidAudience},
		"later":                {header, origin, now.Add(TokenLife + time.Second), jwt.ErrTokenExpired},
		"another's key":        {strings.Split(header, "k=")[0] + others, origin, now, jwt.ErrTokenSignatureInvalid},
	} {
		if _, err := verify(t, test.header, test.audience, vapidSubject, test.at); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	for range 200 { // r and s are numbers, of which some are shorter than 32 bytes
		header, err := key.Authorization(endpoint, "", now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify(t, header, origin, "", now); err != nil {
			t.Fatalf("%s: %v", header, err)
		}
	}
}
