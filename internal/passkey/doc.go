// Package passkey is what WebAuthn (level 3) asks of a relying party: what an authenticator is asked for, and whether
// its answer is good. User verification is required, and each passkey can be found by its authenticator without a name.
//
// It owns the relying party, which is the server's public address, and the reasons for which answers are refused. It
// knows no store: who keeps challenges and passkeys, and whose they are, package access knows.
package passkey
