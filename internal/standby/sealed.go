package standby

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// sealedMark is what each object of a pair in a bucket begins with: its form.
var sealedMark = []byte("signet1\n")

// aeadOf returns what seals an object. Its key is made of the secret that both servers have and of the object's
// name: one that was put in the place of another does not open.
func aeadOf(secret, name string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "signet standby bucket 1 "+name, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// sealObject returns content as it lies in a bucket under a name.
func sealObject(secret, name string, content []byte) ([]byte, error) {
	aead, err := aeadOf(secret, name)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(sealedMark), len(sealedMark)+len(content)+aead.Overhead())
	copy(out, sealedMark)
	return aead.Seal(out, nil, content, sealedMark), nil
}

// openObject returns what was sealed under a name.
func openObject(secret, name string, sealed []byte) ([]byte, error) {
	rest, found := bytes.CutPrefix(sealed, sealedMark)
	if !found {
		return nil, fmt.Errorf("%s in the bucket was put there by no server of this version", name)
	}
	aead, err := aeadOf(secret, name)
	if err != nil {
		return nil, err
	}
	content, err := aead.Open(nil, nil, rest, sealedMark)
	if err != nil {
		return nil, fmt.Errorf("%s in the bucket does not open: the secret of standby.key is another one than at the server "+
			"that put it there, or somebody has cut it off, changed it, or put it in the place of another", name)
	}
	return content, nil
}
