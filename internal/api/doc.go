// Package api serves the interface over HTTP: one table of routes (routes.go),
// one short function for each of its endpoints, and the adapter that all of
// them share.
//
// The adapter owns what is the same for every call (contract, section 1): it
// finds the route, refuses what guard refuses, checks credentials, reads the
// request by input, answers by output, and
// logs and counts. The steps are in the order in which the contract lets one error win
// over another; adapter.go shows it. What a stream writes goes out by sink.
//
// An endpoint takes what it needs from a call, asks a service, and returns an
// answer. The package knows nothing of SQL, of how secrets are compared or of
// who may do what: that is the service's. It holds no state but guard's counters.
package api
