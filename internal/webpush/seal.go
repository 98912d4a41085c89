package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

const (
	// recordSize is what the head names as the size of a record. There is one, which is shorter.
	recordSize = 4096
	saltSize   = 16
	tagSize    = 16
	// lastRecord marks the end of the text in the last record; zeros follow it.
	lastRecord = 2
)

// Encoding is the Content-Encoding of what Seal returns.
const Encoding = "aes128gcm"

// Seal encrypts a text for the browser. It is padded, so that the texts of up to length bytes give the same
// number of bytes: a push service does not learn which one it was.
func (s *Subscription) Seal(text []byte, length int) ([]byte, error) {
	if length > recordSize-tagSize-1 || len(text) > length {
		return nil, fmt.Errorf("a text of %d bytes is to be pushed as one of %d", len(text), length)
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var salt [saltSize]byte
	if _, err := rand.Read(salt[:]); err != nil {
		return nil, err
	}
	return s.seal(text, length, key, salt)
}

// seal is Seal with a key and a salt, each of which is for one text only.
func (s *Subscription) seal(text []byte, length int, key *ecdh.PrivateKey, salt [saltSize]byte) ([]byte, error) {
	own := key.PublicKey().Bytes()
	secret, nonce, err := s.derive(key, own, salt)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	// RFC 8188, 2.1: salt, record size, length of the key's identifier, and that: the public key.
	out := make([]byte, 0, saltSize+4+1+len(own)+length+1+tagSize)
	out = append(out, salt[:]...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(out, byte(len(own)))
	out = append(out, own...)
	record := make([]byte, length+1)
	record[copy(record, text)] = lastRecord
	return sealer.Seal(out, nonce, record, nil), nil
}

// derive returns the key and the nonce with which the record is encrypted (RFC 8291, 3.4).
func (s *Subscription) derive(key *ecdh.PrivateKey, own []byte, salt [saltSize]byte) (secret, nonce []byte, err error) {
	shared, err := key.ECDH(s.Browser)
	if err != nil {
		return nil, nil, err
	}
	info := "WebPush: info\x00" + string(s.Browser.Bytes()) + string(own)
	material, err := hkdf.Key(sha256.New, shared, s.Auth, info, sha256.Size)
	if err != nil {
		return nil, nil, err
	}
	if secret, err = hkdf.Key(sha256.New, material, salt[:], "Content-Encoding: aes128gcm\x00", 16); err != nil {
		return nil, nil, err
	}
	nonce, err = hkdf.Key(sha256.New, material, salt[:], "Content-Encoding: nonce\x00", 12)
	return secret, nonce, err
}
