package model

import (
	"slices"
	"time"
)

// WebhookSignature is how the requests of a webhook are signed, by its name in Standard Webhooks.
type WebhookSignature string

// The signatures.
const (
	SignatureHMAC    WebhookSignature = "v1"  // HMAC-SHA256, by a secret that the receiver has too
	SignatureEd25519 WebhookSignature = "v1a" // Ed25519, of which the receiver has the public half
)

// WebhookEnd is why the server disabled a webhook. The zero value is that it did not.
type WebhookEnd string

// The reasons, as they are stored and shown.
const (
	WebhookGone   WebhookEnd = "gone"      // the receiver answered 410
	WebhookSilent WebhookEnd = "silent"    // for WebhookPatience no answer was a 2xx
	WebhookKey    WebhookEnd = "key_ended" // the key ended with which its account made it
)

// Limits of webhooks (contract, section 8).
const (
	MaxWebhooks        = 10                 // of an account
	MaxWebhookURL      = 2048               // characters
	WebhookPatience    = 5 * 24 * time.Hour // without a 2xx, after which a webhook is disabled
	WebhookKept        = 7 * 24 * time.Hour // for which events are kept for webhooks
	WebhookDeliveries  = 100                // of the last deliveries of a webhook that are kept
	WebhookGrace       = time.Hour          // for which the old secret signs too after a rotation, unless it says
	MaxWebhookGrace    = 24 * time.Hour
	MaxWebhookPatience = 24 * time.Hour // between two tries
)

// Webhook is a URL to which the events of an account go. It gives access as a key does: to what a
// regular key of its Scope would read, from the day of its making on.
type Webhook struct {
	ID          WebhookID
	Account     AccountID
	URL         string
	Events      []EventKind // that go there; empty: all
	Full        bool        // with what the events say; else only tokens and times
	Acknowledge bool        // a 2xx acknowledges the event
	Signature   WebhookSignature

	Scope    OrganizationID // the only organization whose events it gets; empty: all of the account's
	Parent   string         // the key with which its account made it, and with which it ends; empty: somebody else made it
	IssuedBy AccountID      // who made it, where that was not its account
	Noticed  int64          // where in the account's queue the notice of its making is (Actor.Notices); 0: there is none
	Created  time.Time

	Enabled bool
	Ended   WebhookEnd // why the server disabled it
}

// Wants reports whether events of a kind go there.
func (w *Webhook) Wants(kind EventKind) bool {
	return len(w.Events) == 0 || slices.Contains(w.Events, kind)
}

// Key is a key that opens what the webhook does. It has no secret, and no row.
func (w *Webhook) Key() Key {
	return Key{Key: w.ID.String(), Account: w.Account, Kind: Regular, Scope: w.Scope, Parent: w.Parent,
		IssuedBy: w.IssuedBy, Noticed: w.Noticed, Created: w.Created, SecretHash: []byte{}, PreviousHash: []byte{}}
}

// WebhookKinds are the kinds of events that are queued, and so go to webhooks.
var WebhookKinds = []EventKind{EventMessage, EventGroupMessage, EventStatus, EventGroupStatus, EventFriends, EventBang,
	EventUpdate, EventSettings, EventAdminRequest, EventConversationMute, EventEscalated}
