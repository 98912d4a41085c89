// Package identity has the members of organizations sign in with the provider of OpenID Connect that their organization
// names (contract, section 9).
//
// It owns how a provider is set up, what a sign-in is on its way, whose account a person has for whom a provider
// vouches, and when such sessions end. The protocol is package openid's; keys, sessions and passwords are access's, and
// accounts people's. It does not know HTTP, nor who may be called: it has a client and a check of both.
//
// What a sign-in needs is in the store, under the hash of what the browser brings back, so that any server can end what
// another one began. It is there once, and for model.SignInLife.
package identity
