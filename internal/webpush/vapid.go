package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// TokenLife is for how long a push service takes what Authorization returns: at most 24 h (RFC 8292, 2).
const TokenLife = 12 * time.Hour

// Key is by what push services know a server. Subscriptions that a browser made for it take messages from
// nobody else.
type Key struct {
	private *ecdsa.PrivateKey
	public  string
}

// DeriveKey returns the key that belongs to a secret of at least 32 random bytes: always the same.
func DeriveKey(secret []byte) (*Key, error) {
	if len(secret) < sha256.Size {
		return nil, errors.New("the secret is too short for a key")
	}
	for i := range 8 { // a number past the curve's order, one in 2^32, is no key
		scalar, err := hkdf.Key(sha256.New, secret, nil, "signet vapid "+strconv.Itoa(i), sha256.Size)
		if err != nil {
			return nil, err
		}
		if private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar); err == nil {
			return newKey(private)
		}
	}
	return nil, errors.New("the secret gives no key")
}

func newKey(private *ecdsa.PrivateKey) (*Key, error) {
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, fmt.Errorf("encode the key of the server: %w", err)
	}
	return &Key{private: private, public: encode(public)}, nil
}

// Public is what a browser subscribes with (applicationServerKey): 65 bytes in base64url.
func (k *Key) Public() string { return k.public }

// Authorization is the header of that name for an endpoint. subject is how the push service reaches whoever
// runs the server (a URL of https: or mailto:); "": it is not told.
func (k *Key) Authorization(endpoint *url.URL, subject string, now time.Time) (string, error) {
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub,omitempty"`
	}{endpoint.Scheme + "://" + endpoint.Host, now.Add(TokenLife).Unix(), subject})
	if err != nil {
		return "", err
	}
	token := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign for the push service: %w", err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "vapid t=" + token + "." + encode(signature[:]) + ", k=" + k.public, nil
}
