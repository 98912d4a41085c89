package passkey

import (
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"signet/internal/model"
)

// Made is the answer to AskToMake, before anything of it is believed.
type Made struct {
	parsed *protocol.ParsedCredentialCreationData
}

// ParseMade reads what RegistrationResponseJSON of a browser holds.
func ParseMade(answer []byte) (*Made, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", Malformed, err)
	}
	return &Made{parsed}, nil
}

// Mark is that of the challenge to which it answers.
func (m *Made) Mark() []byte { return MarkOf(m.parsed.Response.CollectedClientData.Challenge) }

// Accept returns the passkey that the answer made, without who has it, if it is good. The challenge is taken to be one
// of ours. The error is a Fault.
func (p *Party) Accept(m *Made, account *model.Account) (k model.Passkey, err error) {
	data := &m.parsed.Response.AttestationObject.AuthData
	if err := p.check(&m.parsed.Response.CollectedClientData, data, protocol.CreateCeremony); err != nil {
		return k, err
	}
	session := webauthn.SessionData{Challenge: m.parsed.Response.CollectedClientData.Challenge, RelyingPartyID: p.ID,
		UserID: account.ID[:], UserVerification: protocol.VerificationRequired,
		CredParams: webauthn.CredentialParametersDefault()}
	made, err := p.kernel.CreateCredential(&owner{Account: account}, session, m.parsed)
	if err != nil {
		return k, fmt.Errorf("%w: %w", NotSigned, err)
	}
	if len(made.ID) == 0 || len(made.ID) > model.MaxCredential || len(made.PublicKey) > model.MaxPasskeyKey {
		return k, Malformed
	}
	return model.Passkey{Credential: made.ID, PublicKey: made.PublicKey, RelyingParty: p.ID,
		Eligible: made.Flags.BackupEligible, Copied: made.Flags.BackupState, Counter: int64(made.Authenticator.SignCount),
		Transports: transports(made.Transport)}, nil
}

// Signed is the answer to AskToSign, before anything of it is believed.
type Signed struct {
	Credential []byte // by which passkey
	parsed     *protocol.ParsedCredentialAssertionData
}

// ParseSigned reads what AuthenticationResponseJSON of a browser holds.
func ParseSigned(answer []byte) (*Signed, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", Malformed, err)
	}
	return &Signed{parsed.RawID, parsed}, nil
}

// Mark is that of the challenge to which it answers.
func (s *Signed) Mark() []byte { return MarkOf(s.parsed.Response.CollectedClientData.Challenge) }

// Account is whose passkey the authenticator says that it is; zero: it does not say.
func (s *Signed) Account() (id model.AccountID) {
	if handle := s.parsed.Response.UserHandle; len(handle) == len(id) {
		copy(id[:], handle)
	}
	return id
}

// Use is what an answer told of its passkey.
type Use struct {
	Counter int64 // of the authenticator's signatures; 0: it does not count
	Copied  bool  // the passkey has been copied
}

// Verify checks that an answer was signed by a passkey. The challenge is taken to be one of ours. Whether the counter
// has gone on is for the transaction that notes it: Use.Follows. The error is a Fault.
func (p *Party) Verify(s *Signed, k *model.Passkey) (Use, error) {
	data := &s.parsed.Response.AuthenticatorData
	if err := p.check(&s.parsed.Response.CollectedClientData, data, protocol.AssertCeremony); err != nil {
		return Use{}, err
	}
	switch {
	case k.RelyingParty != p.ID:
		return Use{}, WrongParty
	case data.Flags.HasBackupEligible() != k.Eligible:
		return Use{}, WrongBackup
	}
	account := &model.Account{ID: k.Account}
	session := webauthn.SessionData{Challenge: s.parsed.Response.CollectedClientData.Challenge, RelyingPartyID: p.ID,
		UserID: k.Account[:], AllowedCredentialIDs: [][]byte{k.Credential}, UserVerification: protocol.VerificationRequired}
	if _, err := p.kernel.ValidateLogin(&owner{account, []model.Passkey{*k}}, session, s.parsed); err != nil {
		return Use{}, fmt.Errorf("%w: %w", NotSigned, err)
	}
	return Use{Counter: int64(data.Counter), Copied: data.Flags.HasBackupState()}, nil
}

// Follows reports whether an authenticator that had counted so many signatures may have made this one (WebAuthn level
// 3, section 6.1.1). One that never counts says 0.
func (u Use) Follows(counter int64) bool {
	return u.Counter > counter || u.Counter == 0 && counter == 0
}
