package natsbus

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"sync/atomic"
)

// A sealed message is: format (1 byte), sender (16), number (8), ciphertext with tag.
// Each run of a node draws a name and has a key of its own, under which it numbers
// its messages: so no nonce comes twice.
const (
	format     = 1
	senderSize = 16
	numberSize = 8
	headSize   = 1 + senderSize + numberSize
)

// knownSenders bounds how many senders' keys are remembered.
const knownSenders = 1024

var errNotOurs = errors.New("the message is not sealed by this installation, or was heard before")

type senderName [senderSize]byte

// envelope seals what this node sends and opens what others do. seal may be called
// by several goroutines at a time, open by one.
type envelope struct {
	secret []byte
	epoch  string
	name   senderName
	own    cipher.AEAD
	sent   atomic.Uint64
	others map[senderName]*sender
}

// sender is another node that messages came from.
type sender struct {
	aead cipher.AEAD
	seen seen
}

func newEnvelope(secret []byte, epoch string) (*envelope, error) {
	e := &envelope{secret: secret, epoch: epoch, others: map[senderName]*sender{}}
	_, _ = rand.Read(e.name[:]) // never fails: it ends the program instead
	var err error
	e.own, err = e.cipher(e.name)
	return e, err
}

// installation names the store among others on the same NATS, without telling its
// secret.
func installation(secret []byte, epoch string) (string, error) {
	name, err := hkdf.Key(sha256.New, secret, nil, "signet bus installation "+epoch, 8)
	return hex.EncodeToString(name), err
}

// cipher is the one that a node of this name seals with.
func (e *envelope) cipher(sender senderName) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, e.secret, sender[:], "signet bus key "+e.epoch, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func nonce(number uint64) []byte {
	n := make([]byte, 12)
	binary.BigEndian.PutUint64(n[4:], number)
	return n
}

func (e *envelope) seal(subject string, text []byte) []byte {
	number := e.sent.Add(1)
	out := make([]byte, 0, headSize+len(text)+e.own.Overhead())
	out = append(out, format)
	out = append(out, e.name[:]...)
	out = binary.BigEndian.AppendUint64(out, number)
	return e.own.Seal(out, nonce(number), text, []byte(subject))
}

func (e *envelope) open(subject string, sealed []byte) ([]byte, error) {
	if len(sealed) < headSize || sealed[0] != format {
		return nil, errNotOurs
	}
	var name senderName
	copy(name[:], sealed[1:])
	number := binary.BigEndian.Uint64(sealed[1+senderSize:])
	from, known := e.others[name]
	if !known {
		aead, err := e.cipher(name)
		if err != nil {
			return nil, err
		}
		from = &sender{aead: aead}
	}
	text, err := from.aead.Open(nil, nonce(number), sealed[headSize:], []byte(subject))
	if err != nil || !from.seen.first(number) {
		return nil, errNotOurs
	}
	if !known { // only a sender that can seal is remembered
		if len(e.others) >= knownSenders {
			clear(e.others)
		}
		e.others[name] = from
	}
	return text, nil
}
