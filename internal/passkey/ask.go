package passkey

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"signet/internal/model"
)

// Asked is what a browser is to ask an authenticator for.
type Asked struct {
	Options json.RawMessage // as parseCreationOptionsFromJSON and parseRequestOptionsFromJSON of browsers take it
	Mark    []byte          // of its challenge
}

// MarkOf is what stands for a challenge in the store: who reads it there cannot have it signed.
func MarkOf(challenge string) []byte {
	sum := sha256.Sum256([]byte(challenge))
	return sum[:]
}

// AskToMake asks for a new passkey of an account, which has others already: an authenticator keeps no second one.
func (p *Party) AskToMake(account *model.Account, others []model.Passkey) (Asked, error) {
	made, _, err := p.kernel.BeginRegistration(&owner{account, others},
		webauthn.WithExclusions(p.descriptors(others)))
	if err != nil {
		return Asked{}, fmt.Errorf("ask for a passkey: %w", err)
	}
	return asked(made.Response, made.Response.Challenge.String())
}

// AskToSign asks for a signature by one of some passkeys; by any that the authenticator has, where there are none.
func (p *Party) AskToSign(allowed []model.Passkey) (Asked, error) {
	made, _, err := p.kernel.BeginDiscoverableLogin(webauthn.WithAllowedCredentials(p.descriptors(allowed)))
	if err != nil {
		return Asked{}, fmt.Errorf("ask for a signature: %w", err)
	}
	return asked(made.Response, made.Response.Challenge.String())
}

func asked(options any, challenge string) (Asked, error) {
	encoded, err := json.Marshal(options)
	return Asked{encoded, MarkOf(challenge)}, err
}

// Of returns those of the passkeys that are good at this address.
func (p *Party) Of(passkeys []model.Passkey) (out []model.Passkey) {
	for _, k := range passkeys {
		if k.RelyingParty == p.ID {
			out = append(out, k)
		}
	}
	return out
}

// descriptors name the passkeys that are good at this address.
func (p *Party) descriptors(passkeys []model.Passkey) (out []protocol.CredentialDescriptor) {
	for _, k := range p.Of(passkeys) {
		d := protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: k.Credential}
		for _, transport := range k.Transports {
			d.Transport = append(d.Transport, protocol.AuthenticatorTransport(transport))
		}
		out = append(out, d)
	}
	return out
}

// owner is an account with its passkeys, as the library asks for it.
type owner struct {
	*model.Account
	passkeys []model.Passkey
}

// WebAuthnID is what authenticators keep of the account. Its token is no secret, and tells nothing of a person.
func (o *owner) WebAuthnID() []byte { return o.ID[:] }

// WebAuthnName is by what its owner tells it from other accounts here.
func (o *owner) WebAuthnName() string {
	name := o.Username
	if len(o.Emails) > 0 {
		name = cmp.Or(name, o.Emails[0].Address)
	}
	return cmp.Or(name, o.DisplayName, o.ID.String())
}

func (o *owner) WebAuthnDisplayName() string { return cmp.Or(o.DisplayName, o.WebAuthnName()) }

func (o *owner) WebAuthnCredentials() (out []webauthn.Credential) {
	for i := range o.passkeys {
		k := &o.passkeys[i]
		flags := protocol.FlagUserPresent | protocol.FlagUserVerified
		if k.Eligible {
			flags |= protocol.FlagBackupEligible
		}
		out = append(out, webauthn.Credential{ID: k.Credential, PublicKey: k.PublicKey,
			Flags:         webauthn.NewCredentialFlags(flags),
			Authenticator: webauthn.Authenticator{SignCount: uint32(k.Counter)}})
	}
	return out
}
