// Package webpush is what the standards of Web Push say, without a connection: how a message is
// encrypted for a browser (RFC 8291, RFC 8188), and how a server shows a push service who it is
// (VAPID, RFC 8292).
//
// It owns the form of a subscription as browsers hand it out, and the key of the server. It does not
// know what is pushed, to whom, when, or how it is sent.
package webpush
