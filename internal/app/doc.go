// Package app is the life of a server: it puts the parts together, listens,
// serves, and stops without losing what was under way.
//
// It owns the data directory as a whole (who may use it, operator.json), the
// listening sockets, the time limits of connections, the answers for probes and
// monitoring (/healthz, /readyz, /metrics), and the order of stopping. It does
// not know the endpoints of the interface, nor what is in the store.
//
// In the data directory it owns
//
//	operator.json   how a client on this machine reaches the server as its
//	                operator: base_url, api_key, api_secret (mode 0600)
//
// Open does everything that can fail, so that a server which listens will
// serve. Run serves until its context ends, then stops in this order: new
// requests are refused with 503; event streams end; running requests finish, or
// are cut off when shutdown.grace is over; background tasks end; the store is
// closed; the directory is unlocked.
package app
