package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"signet/internal/model"
	"signet/internal/store/subscriptions"
	"signet/internal/webpush"
)

// storedSubscription is the part of a subscription that is sealed.
type storedSubscription struct {
	Endpoint string `json:"endpoint"`
	P256DH   string `json:"p256dh"`
	Auth     string `json:"auth"`
}

// sealer seals where browsers are reached, and makes what stands for an account or a browser.
type sealer struct {
	aead          cipher.AEAD
	marks, topics []byte
}

func newSealer(secret []byte) (s sealer, err error) {
	keys := make([][]byte, 3)
	for i, purpose := range []string{"signet push subscriptions", "signet push marks", "signet push topics"} {
		if keys[i], err = hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size); err != nil {
			return s, err
		}
	}
	block, err := aes.NewCipher(keys[0])
	if err != nil {
		return s, err
	}
	s.aead, err = cipher.NewGCM(block)
	s.marks, s.topics = keys[1], keys[2]
	return s, err
}

// bound is what a sealed subscription is bound to: whose it is, and of which browser.
func bound(account model.AccountID, mark []byte) []byte {
	return append(append([]byte("push_subscriptions"), account[:]...), mark...)
}

// close seals a subscription for the row of an account's browser.
func (s *sealer) close(account model.AccountID, mark []byte, what storedSubscription) ([]byte, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, s.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return s.aead.Seal(nonce, nonce, text, bound(account, mark)), nil
}

// open is the reverse.
func (s *sealer) open(row *subscriptions.Subscription) (webpush.Subscription, error) {
	size := s.aead.NonceSize()
	if len(row.Sealed) < size {
		return webpush.Subscription{}, errors.New("the subscription is not sealed")
	}
	text, err := s.aead.Open(nil, row.Sealed[:size], row.Sealed[size:], bound(row.Account, row.Mark))
	if err != nil {
		return webpush.Subscription{}, fmt.Errorf("open subscription %s: %w", row.ID, err)
	}
	return parse(text, row)
}

// mark stands for a browser: the same for the same endpoint.
func (s *sealer) mark(endpoint string) []byte { return code(s.marks, []byte(endpoint)) }

// topic stands for an account: of pushes with the same one a push service keeps the last. It has at most
// 32 characters of base64url (RFC 8030, 5.4), and tells nobody whose it is.
func (s *sealer) topic(account model.AccountID) string {
	return base64.RawURLEncoding.EncodeToString(code(s.topics, account[:])[:24])
}

func code(key, text []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(text)
	return m.Sum(nil)
}
