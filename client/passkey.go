package client

import (
	"context"
	"time"
)

// Passkey is a credential of WebAuthn by which an account signs in, in a browser.
type Passkey struct {
	Passkey     string    `json:"passkey"`         // its token
	Label       string    `json:"label,omitempty"` // what its owner calls it
	CreatedTime time.Time `json:"created_time"`
	// LastUsedTime is zero where it was never used.
	LastUsedTime time.Time `json:"last_used_time,omitzero"`
	Synced       bool      `json:"synced"` // it may be on several devices of its owner
	// RelyingParty is the name of the server when it was made, at which alone it is good.
	RelyingParty string `json:"relying_party"`
	// Organization is the scope of the keys that it signs in to; empty: all of the account's.
	Organization string `json:"organization,omitempty"`
}

// Passkeys lists the passkeys of an account that the caller may manage (GET /user/:user/passkey).
func (c *Client) Passkeys(ctx context.Context, user string) ([]Passkey, error) {
	return list[Passkey](ctx, c, get("user", user, "passkey"))
}

// RemovePasskey ends a passkey at once, with the sessions that came of it (DELETE /user/:user/passkey/:passkey).
func (c *Client) RemovePasskey(ctx context.Context, user, passkey string) error {
	return c.run(ctx, remove("user", user, "passkey", passkey))
}

// PasskeyAllowance is leave to make one passkey.
type PasskeyAllowance struct {
	ExpiresTime time.Time `json:"expires_time"`
}

// AllowPasskey lets an account whose passkey is lost make one with its password alone, within a day
// (POST /user/:user/passkey/allow).
func (c *Client) AllowPasskey(ctx context.Context, user string) (*PasskeyAllowance, error) {
	return fetch[PasskeyAllowance](ctx, c, post(struct{}{}, "user", user, "passkey", "allow").harmless())
}
