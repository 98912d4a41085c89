package wire

import "signet/internal/model"

// Passkey is a passkey as it is shown: what it signs with, only its authenticator has.
type Passkey struct {
	Passkey      model.PasskeyID      `json:"passkey"`
	Label        string               `json:"label,omitempty"`
	CreatedTime  Time                 `json:"created_time"`
	LastUsed     Time                 `json:"last_used_time,omitzero"`
	Synced       bool                 `json:"synced"` // it may be on several devices of its owner
	RelyingParty string               `json:"relying_party"`
	Organization model.OrganizationID `json:"organization,omitempty"`
}

// ShownPasskey shows a passkey.
func ShownPasskey(p *model.Passkey) Passkey {
	return Passkey{Passkey: p.ID, Label: p.Label, CreatedTime: Time(p.Created), LastUsed: Time(p.LastUsed),
		Synced: p.Eligible, RelyingParty: p.RelyingParty, Organization: p.Scope}
}
