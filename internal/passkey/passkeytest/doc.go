// Package passkeytest gives tests an authenticator in software, as browsers ask one: it makes a passkey and signs with
// it.
//
// It knows WebAuthn from the authenticator's side only. It is imported by tests only.
package passkeytest
