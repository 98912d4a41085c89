package model

import "time"

// Limits of passkeys (contract, section 9).
const (
	MaxPasskeys       = 20              // of an account
	ChallengeLife     = 5 * time.Minute // for which a challenge may be answered, once
	Recent            = Elevation       // for which a sign-in counts as just made
	PasskeyAllowance  = 24 * time.Hour  // for which an administrator's leave to make a passkey is good, once
	MaxCredential     = 1023            // bytes of a credential's identifier (WebAuthn level 3, section 4)
	MaxPasskeyKey     = 2048            // bytes of a public key: an RSA key of 4,096 bits has 530
	MaxPasskeyAnswers = 64 << 10        // bytes of what an authenticator answers
)

// Passkey is a credential of WebAuthn: the public half of a key that an authenticator keeps. It gives access
// as a password does, to what a key of its Scope would open.
type Passkey struct {
	ID           PasskeyID
	Account      AccountID
	Credential   []byte // its identifier, which the authenticator chose
	PublicKey    []byte // COSE
	RelyingParty string // the name of the server's address when it was made, at which alone it is good
	Eligible     bool   // it may be copied to other devices of its owner, as passkeys of an operating system are
	Scope        OrganizationID
	Parent       string // the key of the session that made it, and with which it ends; empty: it ends with none
	Created      time.Time

	Label      string
	Transports []string  // how its authenticator can be reached, for browsers
	Copied     bool      // it had been copied when it was last used
	Counter    int64     // of the authenticator's signatures; 0: it does not count
	LastUsed   time.Time // zero: never since it was made
}

// Key is a key that opens what a sign-in with the passkey does. It has no secret, and no row.
func (p *Passkey) Key() Key {
	return Key{Key: p.ID.String(), Account: p.Account, Scope: p.Scope, Parent: p.Parent, Created: p.Created}
}

// Proof says by what a sign-in was proven, as the row of its key has it.
type Proof string

// The proofs that are no passkey.
const (
	ProofOther    Proof = ""         // a key, the link of a first start, another server
	ProofPassword Proof = "password" // a password alone
)

// ProofOf is the proof by a passkey.
func ProofOf(id PasskeyID) Proof { return Proof(id.String()) }

// MaxProof is how many bytes a proof has at most.
const MaxProof = 36

// Challenge is what an authenticator is to sign. It is answered once, by any server that shares the store.
type Challenge struct {
	Mark    []byte // SHA-256 of it
	Purpose ChallengePurpose
	Account AccountID // whose answer counts; zero: whose passkey it is
	Key     string    // of the session that asked; empty: there was none
	Expires time.Time
}

// ChallengePurpose is what an answer to a challenge is for. The numbers are stored.
type ChallengePurpose int

// The purposes.
const (
	ToMakePasskey ChallengePurpose = 1
	ToSignIn      ChallengePurpose = 2 // or to elevate a session, where the challenge has one
)
