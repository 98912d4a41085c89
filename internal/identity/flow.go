package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// kind is what a person goes to a provider for, or what is kept of a person who came back.
type kind string

const (
	signsIn  kind = "sign_in"
	commands kind = "command" // signs a command line in
	tries    kind = "test"
	elevates kind = "elevate"

	gives  kind = "code" // what a command line exchanges for a key
	tried  kind = "tested"
	logged kind = "logout" // a logout token that was carried out
)

// usedLogout is what is kept of a logout token that was carried out.
const usedLogout = `{"kind":"` + string(logged) + `"}`

// flow is what a server, whichever it is, has to know of a sign-in that another began.
type flow struct {
	Kind    kind   `json:"kind"`
	Version int64  `json:"version,omitempty"` // of the provider when it began, with the issuer
	Browser []byte `json:"browser,omitempty"` // SHA-256 of what the cookie of the browser says that began it
	Return  string `json:"return,omitempty"`

	Nonce    string `json:"nonce,omitempty"`
	Verifier string `json:"verifier,omitempty"`
	Redirect string `json:"redirect,omitempty"`

	Account model.AccountID `json:"account,omitzero"`  // whose session it is that tries, or is elevated; or who came
	Session string          `json:"session,omitempty"` // the key of that session
	Test    string          `json:"test,omitempty"`

	Port      int    `json:"port,omitempty"`      // on which a command line listens
	Given     string `json:"given,omitempty"`     // by which it knows the answer to be its own
	Challenge string `json:"challenge,omitempty"` // of which it has the verifier

	Issuer  string    `json:"issuer,omitempty"`
	Subject string    `json:"subject,omitempty"` // of who came
	SID     string    `json:"sid,omitempty"`
	At      time.Time `json:"at,omitzero"` // when

	Result *Tried `json:"result,omitempty"`
}

// token is under what a flow is found: the hash of a text that its kind begins with, so that what is good for one thing
// is good for no other.
func token(what, text string) []byte {
	sum := sha256.Sum256([]byte(what + ":" + text))
	return sum[:]
}

// The texts that flows are found by.
const (
	byState = "state"
	byCode  = "code"
	byTest  = "test"
	byID    = "logout"

	byEnd    = "ended"
	byEndOne = "ended session"
)

// unknownSignIn is the one answer to who comes back with what is over, was never begun, or was begun elsewhere.
func unknownSignIn() *model.Error {
	return model.Forbiddenf("sign_in_unknown", "This sign-in is over, or was begun in another browser: begin again.")
}

// put keeps a flow under a token.
func (s *Identities) put(tx *store.Tx, organization model.OrganizationID, token []byte, f *flow) error {
	said, err := json.Marshal(f)
	if err != nil {
		return err
	}
	ok, err := tx.PutSignIn(&store.SignIn{Token: token, Organization: organization, Said: string(said),
		Created: s.now()})
	if err == nil && !ok {
		err = fmt.Errorf("a sign-in of organization %s has a token that is taken", organization)
	}
	return err
}

// keep is put in a transaction of its own.
func (s *Identities) keep(ctx context.Context, organization model.OrganizationID, token []byte, f *flow) error {
	return s.Store.Update(ctx, func(tx *store.Tx) error { return s.put(tx, organization, token, f) })
}

// take returns a flow that nobody else gets from then on.
func (s *Identities) take(ctx context.Context, organization model.OrganizationID, token []byte) (f *flow, err error) {
	err = s.Store.Update(ctx, func(tx *store.Tx) error {
		f = nil
		row, found, err := tx.TakeSignIn(organization, token, s.now().Add(-model.SignInLife))
		if err != nil || !found {
			return err
		}
		f = new(flow)
		return json.Unmarshal([]byte(row.Said), f)
	})
	if err == nil && f == nil {
		err = unknownSignIn()
	}
	return f, err
}
