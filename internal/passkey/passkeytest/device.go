package passkeytest

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/descope/virtualwebauthn"
)

// Device is an authenticator with one passkey of one server. It serves one sign-in at a time.
type Device struct {
	party         virtualwebauthn.RelyingParty
	authenticator virtualwebauthn.Authenticator
	passkey       virtualwebauthn.Credential
}

// New returns a device whose browser shows pages of an origin, such as https://chat.example.com.
func New(t testing.TB, origin string) *Device {
	t.Helper()
	at, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	return &Device{virtualwebauthn.RelyingParty{ID: at.Hostname(), Origin: origin}, virtualwebauthn.NewAuthenticator(),
		newCredential()}
}

// newCredential makes a passkey. The library writes coordinates of keys without the zeros at their beginning, which no
// authenticator leaves out: it makes another one then, as of 1 key in 128.
func newCredential() virtualwebauthn.Credential {
	const whole = 77 // bytes of a public key
	for {
		c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}

// Answer is the body of a finish.
type Answer struct {
	Credential json.RawMessage `json:"credential"`
}

// asked is the answer of a begin.
func asked(t testing.TB, begun string) string {
	t.Helper()
	var out struct{ Reply json.RawMessage }
	if err := json.Unmarshal([]byte(begun), &out); err != nil {
		t.Fatalf("%s: %v", begun, err)
	}
	return string(out.Reply)
}

// Make makes the passkey that the body of a begin asks for, and keeps whose it is.
func (d *Device) Make(t testing.TB, begun string) Answer {
	t.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(asked(t, begun))
	if err != nil {
		t.Fatalf("%s: %v", begun, err)
	}
	d.authenticator.Options.UserHandle = []byte(options.UserID)
	made := virtualwebauthn.CreateAttestationResponse(d.party, d.authenticator, d.passkey, *options)
	return Answer{json.RawMessage(made)}
}

// Sign signs what the body of a begin asks for. The passkey counts on.
func (d *Device) Sign(t testing.TB, begun string) Answer {
	t.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(asked(t, begun))
	if err != nil {
		t.Fatalf("%s: %v", begun, err)
	}
	d.passkey.Counter++
	return Answer{json.RawMessage(virtualwebauthn.CreateAssertionResponse(d.party, d.authenticator, d.passkey, *options))}
}
