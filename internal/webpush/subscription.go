package webpush

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
)

// EndpointLimit is how many bytes an endpoint may have.
const EndpointLimit = 2048

// authSize is how many bytes the secret of a subscription has (RFC 8291, 3.2).
const authSize = 16

// Subscription is where a browser takes messages, and for whom they are encrypted.
type Subscription struct {
	Endpoint *url.URL
	Browser  *ecdh.PublicKey // p256dh
	Auth     []byte          // 16 bytes, which the browser and the server share
}

// The errors of ParseSubscription, by what is wrong.
var (
	ErrEndpoint = errors.New("the endpoint is no URL of up to 2048 bytes")
	ErrBrowser  = errors.New("p256dh is no public key of P-256 (65 bytes, in base64url)")
	ErrAuth     = errors.New("auth is not 16 bytes in base64url")
)

// ParseSubscription reads what a browser's PushSubscription has, as its toJSON writes it.
func ParseSubscription(endpoint, p256dh, auth string) (s Subscription, err error) {
	if s.Endpoint, err = url.Parse(endpoint); err != nil || len(endpoint) > EndpointLimit || s.Endpoint.Host == "" ||
		s.Endpoint.Fragment != "" {
		return Subscription{}, ErrEndpoint
	}
	key, err := decode(p256dh)
	if err != nil {
		return Subscription{}, ErrBrowser
	}
	if s.Browser, err = ecdh.P256().NewPublicKey(key); err != nil {
		return Subscription{}, ErrBrowser
	}
	if s.Auth, err = decode(auth); err != nil || len(s.Auth) != authSize {
		return Subscription{}, ErrAuth
	}
	return s, nil
}

// decode reads base64url, with or without what fills it up.
func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
