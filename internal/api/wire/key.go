package wire

import (
	"net/netip"

	"signet/internal/model"
)

// Key is a key as it is listed, without its secret.
type Key struct {
	APIKey       string          `json:"api_key"`
	Kind         string          `json:"kind"`
	CreatedTime  Time            `json:"created_time"`
	LastUsedTime Time            `json:"last_used_time,omitzero"`
	LastAddress  netip.Addr      `json:"last_used_address,omitzero"`
	ExpiresTime  Time            `json:"expires_time,omitzero"`
	IssuedBy     model.AccountID `json:"issued_by,omitzero"`
	Networks     []string        `json:"allowed_networks,omitempty"`

	Organization model.OrganizationID `json:"organization,omitempty"`

	Label   string `json:"label,omitempty"`
	Device  string `json:"device,omitempty"`
	Session bool   `json:"session,omitempty"`
	Current bool   `json:"current,omitempty"` // it is the session that asks

	// Where they are not the server's settings.
	MessagesPerDay    *int `json:"messages_per_day,omitempty"`
	RequestsPerSecond *int `json:"requests_per_second,omitempty"`
}

// ShownKey shows a key.
func ShownKey(k *model.Key) Key {
	return Key{
		APIKey: k.Key, Kind: k.Kind.String(), CreatedTime: Time(k.Created), LastUsedTime: Time(k.LastUsed),
		LastAddress: k.LastAddress,
		ExpiresTime: Time(k.Expires), IssuedBy: k.IssuedBy, Networks: k.Networks.Strings(), Organization: k.Scope,
		Label: k.Label, Device: k.Device, Session: k.Session,
		MessagesPerDay: k.MessagesPerDay, RequestsPerSecond: k.RequestsPerSecond,
	}
}
