// Package app is the life of a server: it puts the parts together, listens,
// serves, and stops without losing what was under way.
//
// It owns the data directory as a whole (which server uses it, the operator account of
// its first start), the listening sockets, the time limits of connections, the answers
// for probes and monitoring (/healthz, /readyz, /metrics), and the order of stopping. It
// does not know the endpoints of the interface, nor what is in the store.
//
// Open does everything that can fail, so that a server which listens will
// serve. Run serves until its context ends, then stops in this order: /readyz answers 503,
// and for shutdown.delay nothing else changes; new requests are refused with 503; event
// streams end; running requests finish, or are cut off when shutdown.grace is over;
// background tasks end; the store is closed; the directory is unlocked.
package app
