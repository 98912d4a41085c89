package passkey

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"signet/internal/model"
)

// Party is the relying party: a name at which passkeys are made and used, and nowhere else. It does not change once
// made.
type Party struct {
	ID     string // the host of the server's public address
	Origin string // of its pages, as browsers send it
	kernel *webauthn.WebAuthn
}

// Why an address is none at which passkeys could be made.
var (
	ErrUnknown  = errors.New("the server does not know its public address: set base_url")
	ErrNoName   = errors.New("the server's public address is no name, and passkeys belong to a name: set base_url")
	ErrNotHTTPS = errors.New("the server's public address is not https, and browsers make no passkeys there: set base_url")
)

// NewParty makes the relying party of a server at a public address, which is a URL, or empty where it is not known.
// shown is what authenticators call it. On the server's own machine browsers take no address in numbers either: there
// it is localhost.
func NewParty(address, shown string) (*Party, error) {
	if address == "" {
		return nil, ErrUnknown
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, ErrUnknown
	}
	p := &Party{ID: strings.ToLower(u.Hostname())}
	if at, err := netip.ParseAddr(p.ID); err == nil {
		if !at.IsLoopback() || u.Scheme != "http" {
			return nil, ErrNoName
		}
		p.ID = localhost
	}
	if strings.Contains(p.ID, "*") { // of a certificate for many
		return nil, ErrNoName
	}
	if u.Scheme != "https" && p.ID != localhost && !strings.HasSuffix(p.ID, "."+localhost) {
		return nil, ErrNotHTTPS
	}
	p.Origin = strings.ToLower(u.Scheme) + "://" + p.ID
	if port := u.Port(); port != "" && port != usualPorts[u.Scheme] {
		p.Origin += ":" + port
	}
	p.kernel, err = webauthn.New(&webauthn.Config{
		RPID: p.ID, RPDisplayName: shown, RPOrigins: []string{p.Origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(),
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			UserVerification:   protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: patience, Registration: patience},
		// Managers of passwords tell of extensions that nobody asked for. Nothing is decided by them.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("the server's public address is no name for passkeys: %w", err)
	}
	return p, nil
}

const localhost = "localhost"

// usualPorts are those that an origin leaves out.
var usualPorts = map[string]string{"http": "80", "https": "443"}

// patience is how long browsers wait for an authenticator: as long as the challenge is good, as the store sees to.
var patience = webauthn.TimeoutConfig{Timeout: model.ChallengeLife, TimeoutUVD: model.ChallengeLife}
