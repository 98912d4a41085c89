// Package webpushtest is the other end of Web Push for tests: a browser that subscribes, and a push service.
//
// It decrypts after the standards by other means than package webpush encrypts, and does not import that.
package webpushtest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"
)

// Browser is one with a subscription.
type Browser struct {
	private *ecdh.PrivateKey
	auth    []byte
}

// NewBrowser makes one.
func NewBrowser(t testing.TB) *Browser {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b := &Browser{private: private, auth: make([]byte, 16)}
	if _, err := rand.Read(b.auth); err != nil {
		t.Fatal(err)
	}
	return b
}

// BrowserOf returns the one with this private key and secret.
func BrowserOf(t testing.TB, private, auth []byte) *Browser {
	t.Helper()
	key, err := ecdh.P256().NewPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return &Browser{private: key, auth: auth}
}

// Keys are those of its subscription, in base64url.
func (b *Browser) Keys() (p256dh, auth string) {
	return base64.RawURLEncoding.EncodeToString(b.private.PublicKey().Bytes()),
		base64.RawURLEncoding.EncodeToString(b.auth)
}

// Open decrypts what was pushed (RFC 8291, 3.4, with HMAC in place of HKDF; RFC 8188, 2).
func (b *Browser) Open(sealed []byte) (string, error) {
	if len(sealed) < 21+65+16 || sealed[20] != 65 {
		return "", errors.New("the message is too short")
	}
	salt, sender, record := sealed[:16], sealed[21:21+65], sealed[21+65:]
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return "", err
	}
	shared, err := b.private.ECDH(public)
	if err != nil {
		return "", err
	}
	material := mac(mac(b.auth, shared), []byte("WebPush: info\x00"), b.private.PublicKey().Bytes(), sender, []byte{1})
	extracted := mac(salt, material)
	block, err := aes.NewCipher(mac(extracted, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16])
	if err != nil {
		return "", err
	}
	opener, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	padded, err := opener.Open(nil, mac(extracted, []byte("Content-Encoding: nonce\x00\x01"))[:12], record, nil)
	if err != nil {
		return "", err
	}
	text := bytes.TrimRight(padded, "\x00")
	if len(text) == 0 || text[len(text)-1] != 2 {
		return "", errors.New("the record is not the last one")
	}
	return string(text[:len(text)-1]), nil
}

func mac(key []byte, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(bytes.Join(parts, nil))
	return m.Sum(nil)
}
