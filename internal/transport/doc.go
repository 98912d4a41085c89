// Package transport is how bytes reach the server: TLS and its certificates, the
// proxies in front, how many connections a client may have, and how long it may
// keep them waiting; and how sockets and connections outlive a server of theirs.
//
// It decides which proxies it believes about a client's address; no other package
// looks at RemoteAddr or at X-Forwarded-For. It does not know the interface, nor the
// settings by their names.
package transport
