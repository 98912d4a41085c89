// Package continuation seals the places from which clients read on in long lists
// (contract, section 5.2). A client brings one back for the next page, cannot look into
// it, and gets nowhere with one that it changed or that another list gave.
//
// It owns the form and the key. It does not know what a place is: a list names the last
// entry of a page, not how many came before, so that what is added or removed meanwhile
// moves nothing.
package continuation

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"signet/internal/model"
)

// most is the longest text, in bytes, that is looked at: far longer than one that holds
// the longest names.
const most = 8 << 10

// List is what a continuation is bound to.
type List struct {
	// Secret is the installation's, so that every node, and the next start, opens what
	// this one sealed.
	Secret []byte
	// Purpose is the list and the form of its places, such as "search continuation 1".
	// The number changes with the form.
	Purpose string
	// Asked is who asks, and for what: texts, numbers and lists of these.
	Asked []any
}

// Invalid answers a continuation that the list did not give.
func Invalid() *model.Error {
	return model.Invalidf("continuation_invalid", "continuation", "The continuation is none that this call gave.")
}

// Seal writes a place, which encodes as JSON, for a client.
func (l *List) Seal(place any) (string, error) {
	aead, err := l.cipher()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(place)
	if err != nil {
		return "", fmt.Errorf("encode a continuation: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, text, l.binding())), nil
}

// Open reads into place what a client brought back. Anything but what was sealed for
// this list is Invalid.
func (l *List) Open(text string, place any) error {
	if len(text) > most {
		return Invalid()
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	// Line ends are skipped by the decoder.
	if err != nil || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(text) {
		return Invalid()
	}
	aead, err := l.cipher()
	if err != nil {
		return err
	}
	opened, err := aead.Open(nil, nil, sealed, l.binding())
	if err != nil || json.Unmarshal(opened, place) != nil {
		return Invalid()
	}
	return nil
}

func (l *List) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, l.Secret, nil, l.Purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of continuations: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the key of continuations: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (l *List) binding() []byte {
	asked, err := json.Marshal(l.Asked)
	if err != nil {
		panic(err) // texts, numbers and lists of them always encode
	}
	sum := sha256.Sum256(asked)
	return sum[:]
}
