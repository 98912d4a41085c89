package client

import (
	"context"
	"log/slog"
	"time"
)

// KeyKind says which endpoints a key opens.
type KeyKind string

// The kinds of key.
const (
	RegularKey        KeyKind = "regular"
	AdministrativeKey KeyKind = "administrative"
)

// Key is an API key of an account, without its secret.
type Key struct {
	APIKey       string    `json:"api_key"`
	Kind         KeyKind   `json:"kind"`
	CreatedTime  time.Time `json:"created_time"`
	LastUsedTime time.Time `json:"last_used_time,omitzero"` // zero: never
	// LastUsedAddress is the client's address then; empty: not known.
	LastUsedAddress string    `json:"last_used_address,omitempty"`
	ExpiresTime     time.Time `json:"expires_time,omitzero"` // zero: never
	IssuedBy        string    `json:"issued_by,omitempty"`   // token of another account that issued it
	// AllowedNetworks are where it may be used from, in CIDR notation; none: everywhere.
	AllowedNetworks []string `json:"allowed_networks,omitempty"`
	// Organization is the only one that it acts in; empty: all of the account's.
	Organization string `json:"organization,omitempty"`
	Label        string `json:"label,omitempty"` // what people call it
	// Device is what a sign-in calls it, or the browser of a session; empty: it came of none.
	Device  string `json:"device,omitempty"`
	Session bool   `json:"session,omitempty"` // of a browser, which alone may use it
	// The limits of its own; 0: none, nil: the server's.
	MessagesPerDay    *int `json:"messages_per_day,omitempty"`
	RequestsPerSecond *int `json:"requests_per_second,omitempty"`
}

// IssuedKey is a new key with its secret, which no call shows again.
type IssuedKey struct {
	APIKey      string    `json:"api_key"`
	APISecret   string    `json:"api_secret"`
	Kind        KeyKind   `json:"kind,omitempty"` // not told by RotateKey
	CreatedTime time.Time `json:"created_time,omitzero"`
	ExpiresTime time.Time `json:"expires_time,omitzero"` // zero: never
	Label       string    `json:"label,omitempty"`
	// AllowedNetworks are where it may be used from, in CIDR notation; none: everywhere.
	AllowedNetworks []string `json:"allowed_networks,omitempty"`
	// Organization is the only one that it acts in; empty: all of the account's.
	Organization string `json:"organization,omitempty"`
}

// LogValue keeps the secret out of logs.
func (k IssuedKey) LogValue() slog.Value { return slog.StringValue("key " + k.APIKey) }

// NewKey is a key to issue.
type NewKey struct {
	Kind              KeyKind       `json:"kind,omitempty"`                // empty: regular
	Label             string        `json:"label,omitempty"`               // what people call it; up to 100 characters
	ExpiresIn         time.Duration `json:"-"`                             // whole seconds; 0: never
	Password          string        `json:"password,omitempty"`            // of the account: for an administrative key with a regular one
	MessagesPerDay    *int          `json:"messages_per_day,omitempty"`    // operators only; 0: no limit; nil: the server's
	RequestsPerSecond *int          `json:"requests_per_second,omitempty"` // operators only; 0: no limit; nil: the server's
	// AllowedNetworks are where the key may be used from: addresses, or networks in
	// CIDR notation, within those of the caller's key. None: the same as that one.
	AllowedNetworks []string `json:"allowed_networks,omitempty"`
	// Organization is the only one that the key is to act in. Empty: all of the account's,
	// or, where an administrator issues it, its own.
	Organization string `json:"organization,omitempty"`
}

// LogValue keeps the password out of logs.
func (k NewKey) LogValue() slog.Value { return slog.StringValue("new key " + string(k.Kind)) }

// CreateKey issues a key for an account (POST /user/:user/key): for oneself, or for
// an account that the caller manages.
func (c *Client) CreateKey(ctx context.Context, user string, k NewKey) (*IssuedKey, error) {
	return fetch[IssuedKey](ctx, c, post(struct {
		NewKey
		Seconds int `json:"expires_in,omitempty"`
	}{k, whole(k.ExpiresIn, time.Second)}, "user", user, "key"))
}

// Keys lists the keys of an account (GET /user/:user/key).
func (c *Client) Keys(ctx context.Context, user string) ([]Key, error) {
	return list[Key](ctx, c, get("user", user, "key"))
}

// RevokeKey ends a key at once, and the streams opened with it (DELETE
// /user/:user/key/:key).
func (c *Client) RevokeKey(ctx context.Context, user, key string) error {
	return c.run(ctx, remove("user", user, "key", key))
}

// Rotation says how a key gets a new secret.
type Rotation struct {
	Grace    *time.Duration // how long the old secret still works, up to 24 h; nil: an hour
	Password string         // of the account: for an administrative key with a regular one
}

// LogValue keeps the password out of logs.
func (r Rotation) LogValue() slog.Value { return slog.StringValue("rotation") }

// RotateKey gives a key a new secret (POST /user/:user/key/:key/rotate).
func (c *Client) RotateKey(ctx context.Context, user, key string, r Rotation) (*IssuedKey, error) {
	var in struct {
		Grace    *int   `json:"grace,omitempty"`
		Password string `json:"password,omitempty"`
	}
	in.Password = r.Password
	if r.Grace != nil {
		in.Grace = new(whole(*r.Grace, time.Second))
	}
	return fetch[IssuedKey](ctx, c, post(in, "user", user, "key", key, "rotate"))
}

// KeyLimits are new limits of a key: a number, where 0 is no limit, or [DefaultLimit]. What
// is empty stays as it is.
type KeyLimits struct {
	MessagesPerDay    string `json:"messages_per_day,omitempty"`
	RequestsPerSecond string `json:"requests_per_second,omitempty"`
}

// DefaultLimit puts a limit back to what the server's settings say.
const DefaultLimit = "default"

// LimitKey gives a key other limits, and those that share its counters (POST
// /user/:user/key/:key). Operators only.
func (c *Client) LimitKey(ctx context.Context, user, key string, limits KeyLimits) error {
	return c.run(ctx, post(limits, "user", user, "key", key).harmless())
}

// LabelKey says what people call a key; empty: nothing (POST /user/:user/key/:key). Whoever
// may revoke the key may do it.
func (c *Client) LabelKey(ctx context.Context, user, key, label string) error {
	in := struct {
		Label string `json:"label"`
	}{label}
	return c.run(ctx, post(in, "user", user, "key", key).harmless())
}

// whole counts units of time, rounded up, so that a short time never becomes none.
func whole(d, unit time.Duration) int { return int((d + unit - 1) / unit) }
