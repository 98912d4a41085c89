// Package openid is a relying party of OpenID Connect: it sends people to the issuer that their organization signs in
// with, takes what the issuer says of them, and checks it.
//
// It owns the protocol: discovery, the code flow with PKCE (S256), state and nonce, the checks of an ID token and of a
// logout token, and in which claims issuers say what. It knows neither accounts nor organizations, keeps nothing but
// what issuers publish, and calls out by the client that it is given.
//
// # Use
//
//	party := openid.New(guard.Client(), clock)
//	url, err := party.Begin(ctx, issuer, openid.Request{State: state, Nonce: nonce, Verifier: verifier})
//	person, err := party.Finish(ctx, issuer, openid.Answer{Code: code, Nonce: nonce, Verifier: verifier})
//
// Errors are ErrUnreachable where the issuer does not answer, or not as one does, and ErrRefused where what it says, or
// what somebody says in its name, proves nothing.
package openid
