// Package openidtest gives tests providers of OpenID Connect: one in the process of the test, whose tokens it can forge
// in every way, and a real one, zitadel/oidc's, as a process (directory provider).
//
// It knows the protocol from the provider's side only. The real one is a module of its own, which Go builds the first
// time and keeps in its cache. It ends with the test binary, however that ends.
package openidtest
