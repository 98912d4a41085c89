package passkey

import (
	"errors"
	"testing"

	"github.com/descope/virtualwebauthn"

	"signet/internal/model"
)

func TestPartyIsTheNameOfThePublicAddress(t *testing.T) {
	for address, want := range map[string]struct {
		id, origin string
		err        error
	}{
		"https://chat.example.com":      {id: "chat.example.com", origin: "https://chat.example.com"},
		"https://Chat.Example.com:8443": {id: "chat.example.com", origin: "https://chat.example.com:8443"},
		"https://chat.example.com:443/": {id: "chat.example.com", origin: "https://chat.example.com"},
		"https://example.com/chat":      {id: "example.com", origin: "https://example.com"},
		"http://localhost:8080":         {id: "localhost", origin: "http://localhost:8080"},
		"http://127.0.0.1:8080":         {id: "localhost", origin: "http://localhost:8080"},
		"http://[::1]:8080":             {id: "localhost", origin: "http://localhost:8080"},
		"":                              {err: ErrUnknown},
		"chat.example.com":              {err: ErrUnknown},
		"https://192.0.2.1":             {err: ErrNoName},
		"https://127.0.0.1":             {err: ErrNoName},
		"https://*.example.com":         {err: ErrNoName},
		"http://chat.example.com":       {err: ErrNotHTTPS},
		"http://192.0.2.1:8080":         {err: ErrNoName},
	} {
		p, err := NewParty(address, "Hospital")
		if !errors.Is(err, want.err) || (err == nil) != (want.err == nil) {
			t.Errorf("%q: the error is %v, want %v", address, err, want.err)
			continue
		}
		if err == nil && (p.ID != want.id || p.Origin != want.origin) {
			t.Errorf("%q: it is %s at %s, want %s at %s", address, p.ID, p.Origin, want.id, want.origin)
		}
	}
}

func TestCountersGoOn(t *testing.T) {
	for _, test := range []struct {
		before, now int64
		follows     bool
	}{{0, 0, true}, {0, 1, true}, {1, 2, true}, {7, 1 << 32, true}, {1, 1, false}, {2, 1, false}, {1, 0, false}} {
		if got := (Use{Counter: test.now}).Follows(test.before); got != test.follows {
			t.Errorf("%d after %d follows: %t", test.now, test.before, got)
		}
	}
}

// party is a relying party, with an authenticator as its pages use it.
func party(t testing.TB) (*Party, virtualwebauthn.RelyingParty) {
	t.Helper()
	p, err := NewParty("https://chat.example.com", "Hospital")
	if err != nil {
		t.Fatal(err)
	}
	return p, virtualwebauthn.RelyingParty{ID: p.ID, Origin: p.Origin}
}

// wrapped are options as browsers give them to authenticators.
func wrapped(asked Asked) string { return `{"publicKey":` + string(asked.Options) + `}` }

func TestAPasskeyIsMadeAndUsed(t *testing.T) {
	account := model.Account{ID: model.AccountID{1, 2, 3}, Username: "ann", DisplayName: "Ann Lee"}
	for name, kind := range map[string]virtualwebauthn.KeyType{
		"elliptic curve": virtualwebauthn.KeyTypeEC2, "RSA": virtualwebauthn.KeyTypeRSA,
	} {
		t.Run(name, func(t *testing.T) {
			p, at := party(t)
			device := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{
				UserHandle: account.ID[:], BackupEligible: true, BackupState: true})
			credential := virtualwebauthn.NewCredential(kind)
			// The library leaves out zeros at the beginning of coordinates, which no authenticator does.
			for kind == virtualwebauthn.KeyTypeEC2 && len(credential.Key.AttestationData()) != 77 {
				credential = virtualwebauthn.NewCredential(kind)
			}
			key := mustMake(t, p, at, device, credential, &account)
			mustSign(t, p, at, device, credential, &key)
		})
	}
}

// mustMake has an authenticator make a passkey of an account.
func mustMake(t *testing.T, p *Party, at virtualwebauthn.RelyingParty, device virtualwebauthn.Authenticator,
	credential virtualwebauthn.Credential, account *model.Account) model.Passkey {
	t.Helper()
	asked, err := p.AskToMake(account, nil)
	if err != nil {
		t.Fatal(err)
	}
	options, err := virtualwebauthn.ParseAttestationOptions(wrapped(asked))
	if err != nil || options.UserName != "ann" || options.UserID != string(account.ID[:]) {
		t.Fatalf("asked for is %+v, %v", options, err)
	}
	made, err := ParseMade([]byte(virtualwebauthn.CreateAttestationResponse(at, device, credential, *options)))
	if err != nil {
		t.Fatal(err)
	}
	if string(made.Mark()) != string(asked.Mark) {
		t.Error("the answer is to another challenge")
	}
	key, err := p.Accept(made, account)
	if err != nil {
		t.Fatal(err)
	}
	key.Account = account.ID
	if !key.Eligible || !key.Copied || key.RelyingParty != p.ID || string(key.Credential) != string(credential.ID) {
		t.Errorf("the passkey is %+v", key)
	}
	return key
}

// mustSign has an authenticator sign with a passkey, which is good at its own name only.
func mustSign(t *testing.T, p *Party, at virtualwebauthn.RelyingParty, device virtualwebauthn.Authenticator,
	credential virtualwebauthn.Credential, key *model.Passkey) {
	t.Helper()
	asked, err := p.AskToSign([]model.Passkey{*key, {RelyingParty: "elsewhere.example.com", Credential: []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	to, err := virtualwebauthn.ParseAssertionOptions(wrapped(asked))
	if err != nil || len(to.AllowCredentials) != 1 {
		t.Fatalf("asked for is %+v, %v", to, err)
	}
	credential.Counter = 7
	signed, err := ParseSigned([]byte(virtualwebauthn.CreateAssertionResponse(at, device, credential, *to)))
	if err != nil {
		t.Fatal(err)
	}
	if signed.Account() != key.Account || string(signed.Mark()) != string(asked.Mark) {
		t.Errorf("it is of %s", signed.Account())
	}
	if use, err := p.Verify(signed, key); err != nil || use != (Use{Counter: 7, Copied: true}) {
		t.Errorf("it tells %+v, %v", use, err)
	}
	elsewhere := *key
	elsewhere.RelyingParty = "elsewhere.example.com"
	if _, err := p.Verify(signed, &elsewhere); !errors.Is(err, WrongParty) {
		t.Errorf("of another name: %v", err)
	}
}

// FuzzAnswers: whatever is sent in place of an answer is refused with a fault.
func FuzzAnswers(f *testing.F) {
	p, at := party(f)
	account := model.Account{ID: model.AccountID{1}, Username: "ann"}
	device, credential := virtualwebauthn.NewAuthenticator(), virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	device.Options.UserHandle = account.ID[:]
	f.Add([]byte(virtualwebauthn.CreateAttestationResponse(at, device, credential,
		virtualwebauthn.AttestationOptions{Challenge: []byte("0123456789abcdef")})))
	f.Add([]byte(virtualwebauthn.CreateAssertionResponse(at, device, credential,
		virtualwebauthn.AssertionOptions{Challenge: []byte("0123456789abcdef")})))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{}}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		made, err := ParseMade(answer)
		if err == nil {
			_, err = p.Accept(made, &account)
		}
		if _, fault := errors.AsType[Fault](err); err != nil && !fault {
			t.Errorf("made: %v", err)
		}
		signed, err := ParseSigned(answer)
		if err == nil {
			_, err = p.Verify(signed, &model.Passkey{Account: account.ID, RelyingParty: p.ID, Credential: signed.Credential,
				PublicKey: []byte{0xa0}})
		}
		if _, fault := errors.AsType[Fault](err); err != nil && !fault {
			t.Errorf("signed: %v", err)
		}
	})
}
