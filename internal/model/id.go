package model

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strings"
)

// ID is a 128-bit identifier, written as a UUID (RFC 9562). The kind makes an
// account's identifier and a message's different types.
type ID[K any] [16]byte

type (
	accountKind struct{}
	groupKind   struct{}
	messageKind struct{}
	blobKind    struct{}
	entityKind  struct{}
	streamKind  struct{}
	nodeKind    struct{}

	subscriptionKind struct{}
	webhookKind      struct{}
	passkeyKind      struct{}
)

// The identifiers of the platform's objects. An EntityID is that of an account
// or of a group: what a message can be sent to.
type (
	AccountID = ID[accountKind]
	GroupID   = ID[groupKind]
	MessageID = ID[messageKind]
	BlobID    = ID[blobKind]
	EntityID  = ID[entityKind]
	StreamID  = ID[streamKind]
	NodeID    = ID[nodeKind]

	SubscriptionID = ID[subscriptionKind]
	WebhookID      = ID[webhookKind]
	PasskeyID      = ID[passkeyKind]
)

// OrganizationID is the token of an organization: 24 characters of [A-Za-z0-9].
type OrganizationID string

// IsZero reports whether the identifier names nothing.
func (id ID[K]) IsZero() bool { return id == ID[K]{} }

// String returns the canonical lower-case form of 36 characters.
func (id ID[K]) String() string {
	b, _ := id.AppendText(make([]byte, 0, 36))
	return string(b)
}

// AppendText appends the canonical form. The error is always nil.
func (id ID[K]) AppendText(b []byte) ([]byte, error) {
	var text [36]byte
	hex.Encode(text[0:8], id[0:4])
	text[8] = '-'
	hex.Encode(text[9:13], id[4:6])
	text[13] = '-'
	hex.Encode(text[14:18], id[6:8])
	text[18] = '-'
	hex.Encode(text[19:23], id[8:10])
	text[23] = '-'
	hex.Encode(text[24:36], id[10:16])
	return append(b, text[:]...), nil
}

// MarshalText writes the canonical form.
func (id ID[K]) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText reads the canonical form.
func (id *ID[K]) UnmarshalText(text []byte) error {
	parsed, ok := parseID[K](string(text))
	if !ok {
		return fmt.Errorf("not a UUID: %q", text)
	}
	*id = parsed
	return nil
}

// Scan reads the sixteen bytes that a database column holds.
func (id *ID[K]) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(id) {
		return fmt.Errorf("scan identifier: want 16 bytes, got %T", src)
	}
	copy(id[:], b)
	return nil
}

// Value returns the sixteen bytes that a database column holds.
func (id ID[K]) Value() (driver.Value, error) { return id[:], nil }

// ParseAccountID reads a user token; ok is false for anything but a UUID in its
// canonical form, in either case.
func ParseAccountID(s string) (AccountID, bool) { return parseID[accountKind](s) }

// ParseGroupID reads a group token.
func ParseGroupID(s string) (GroupID, bool) { return parseID[groupKind](s) }

// ParseMessageID reads a message token.
func ParseMessageID(s string) (MessageID, bool) { return parseID[messageKind](s) }

// ParseBlobID reads the identifier of an attachment's or avatar's bytes.
func ParseBlobID(s string) (BlobID, bool) { return parseID[blobKind](s) }

// ParseEntityID reads a token that may be a user's or a group's.
func ParseEntityID(s string) (EntityID, bool) { return parseID[entityKind](s) }

// ParseWebhookID reads the token of a webhook.
func ParseWebhookID(s string) (WebhookID, bool) { return parseID[webhookKind](s) }

// ParsePasskeyID reads the token of a passkey.
func ParsePasskeyID(s string) (PasskeyID, bool) { return parseID[passkeyKind](s) }

// ParseOrganizationID reads an organization token.
func ParseOrganizationID(s string) (OrganizationID, bool) {
	if len(s) != 24 {
		return "", false
	}
	for i := range len(s) {
		c := s[i]
		if !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z') {
			return "", false
		}
	}
	return OrganizationID(s), true
}

func parseID[K any](s string) (id ID[K], ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	n, err := hex.Decode(id[:], []byte(strings.ReplaceAll(s, "-", "")))
	if err != nil || n != len(id) {
		return ID[K]{}, false
	}
	return id, true
}
