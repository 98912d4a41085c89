// Package api serves the interface over HTTP: one table of routes (routes.go),
// one short function for each of its endpoints, and the adapter that all of
// them share.
//
// The adapter owns what is the same for every call (contract, section 1): it
// finds the route, refuses foreign pages, checks credentials, counts the rate,
// reads the three content types into one set of fields, streams files to where
// they are kept, writes the envelope, errors and headers, and logs and counts.
// It does so in the order in which the contract lets one error win over
// another; adapter.go shows that order.
//
// An endpoint takes what it needs from a call, asks a service, and returns an
// answer. The package knows nothing of SQL, of how secrets are compared or of
// who may do what: that is the service's. It holds no state but the counters of
// the rate and of failed logins, which are of this node only.
package api
