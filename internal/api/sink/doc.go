// Package sink is how events go out to those who stay connected: as server-sent events, in the answer
// of a call or on its connection after it, and as text frames of a WebSocket (contract, section 6).
// Its types are the sinks of streams.
//
// It owns the form of each transport, how long a write may take, the memory of what is about to be
// written, which transport a request asks for, and what a client is told at the end. It must not know
// who reads, which events there are for them, what an acknowledgement does, or how a call is counted
// and logged.
package sink

// CodeUpgradeInvalid is of requests for a WebSocket that are none: 400. It is stable.
const CodeUpgradeInvalid = "upgrade_invalid"
