// Package envelope seals what the nodes of one installation say to each other, whatever
// bus carries it, so that others on the same bus can read nothing and say nothing.
//
// It owns the form of a sealed message, the keys, and the numbers of the messages that
// were heard before. The keys follow from a secret in the store: whoever has a copy of the database
// can open the messages, which therefore name things and say nothing of them. It does
// not know what a message says, nor how it travels.
package envelope

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
	tagSize    = 16
)

// Overhead is by how many bytes a sealed message is longer than its text.
const Overhead = headSize + tagSize

// knownSenders bounds how many senders' keys are remembered.
const knownSenders = 1024

var errNotOurs = errors.New("the message is not sealed by this installation, or was heard before")

type senderName [senderSize]byte

// Envelope seals what this node sends and opens what others do. Seal may be called
// by several goroutines at a time, Open by one.
type Envelope struct {
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

// New returns what a run of a node seals with. The secret is the installation's own, the
// same on all nodes; the epoch is the store's.
func New(secret []byte, epoch string) (*Envelope, error) {
	e := &Envelope{secret: secret, epoch: epoch, others: map[senderName]*sender{}}
	_, _ = rand.Read(e.name[:]) // never fails: it ends the program instead
	var err error
	e.own, err = e.cipher(e.name)
	return e, err
}

// Installation names the store among others on the same bus, without telling its
// secret.
func Installation(secret []byte, epoch string) (string, error) {
	name, err := hkdf.Key(sha256.New, secret, nil, "signet bus installation "+epoch, 8)
	return hex.EncodeToString(name), err
}

// cipher is the one that a node of this name seals with.
func (e *Envelope) cipher(sender senderName) (cipher.AEAD, error) {
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

// Seal seals a text for a place: the subject or the channel that it travels under.
func (e *Envelope) Seal(place string, text []byte) []byte {
	number := e.sent.Add(1)
	out := make([]byte, 0, len(text)+Overhead)
	out = append(out, format)
	out = append(out, e.name[:]...)
	out = binary.BigEndian.AppendUint64(out, number)
	return e.own.Seal(out, nonce(number), text, []byte(place))
}

// Own reports whether this node sealed a message, by what its head says, and returns its
// number. It opens nothing: anybody can repeat what they heard.
func (e *Envelope) Own(sealed []byte) (number uint64, own bool) {
	name, number, ok := head(sealed)
	return number, ok && name == e.name
}

// head reads who sealed a message, and its number.
func head(sealed []byte) (name senderName, number uint64, ok bool) {
	if len(sealed) < headSize || sealed[0] != format {
		return name, 0, false
	}
	copy(name[:], sealed[1:])
	return name, binary.BigEndian.Uint64(sealed[1+senderSize:]), true
}

// Open opens a message that came to a place. One that was heard before does not open.
func (e *Envelope) Open(place string, sealed []byte) ([]byte, error) {
	name, number, ok := head(sealed)
	if !ok {
		return nil, errNotOurs
	}
	from, known := e.others[name]
	if !known {
		aead, err := e.cipher(name)
		if err != nil {
			return nil, err
		}
		from = &sender{aead: aead}
	}
	text, err := from.aead.Open(nil, nonce(number), sealed[headSize:], []byte(place))
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
