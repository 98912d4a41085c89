package passkey

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
)

// Fault is why an answer of an authenticator is refused, as metrics and the audit log name it.
type Fault string

// The closed set of faults.
const (
	Malformed   Fault = "malformed"         // it is none, or says what no answer may
	NotAsked    Fault = "challenge"         // nobody asked for it, or too long ago, or it was answered before
	WrongOrigin Fault = "origin"            // it was given to a page of another address
	WrongParty  Fault = "relying_party"     // for another name
	NotVerified Fault = "user_verification" // the authenticator did not make sure that it was its owner
	Unknown     Fault = "unknown"           // no account has its passkey, or another account than the one that was asked
	WrongBackup Fault = "backup"            // it says of copies what it could not have been made with
	NotSigned   Fault = "signature"         // its signature is wrong
	Behind      Fault = "counter"           // the authenticator has signed less than before: there are two of it
)

// Faults are all of them.
var Faults = []Fault{Malformed, NotAsked, WrongOrigin, WrongParty, NotVerified, Unknown, WrongBackup, NotSigned, Behind}

func (f Fault) Error() string { return "the answer of the authenticator is refused: " + string(f) }

// check looks for what the library would refuse too, in words of its own, to tell which it was.
func (p *Party) check(client *protocol.CollectedClientData, data *protocol.AuthenticatorData,
	ceremony protocol.CeremonyType) error {
	party := sha256.Sum256([]byte(p.ID))
	switch flags := data.Flags; {
	case client.Type != ceremony:
		return Malformed
	case client.Origin != p.Origin || client.CrossOrigin || client.TopOrigin != "":
		return WrongOrigin
	case subtle.ConstantTimeCompare(party[:], data.RPIDHash) != 1:
		return WrongParty
	case !flags.HasUserPresent() || !flags.HasUserVerified():
		return NotVerified
	case flags.HasBackupState() && !flags.HasBackupEligible():
		return WrongBackup
	}
	return nil
}

// transports are the ways to an authenticator that browsers know, in an order that does not matter.
func transports(given []protocol.AuthenticatorTransport) (out []string) {
	for _, transport := range given {
		text := string(transport)
		known := text != "" && len(text) <= 16 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-") == ""
		if known && len(out) < 8 && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
