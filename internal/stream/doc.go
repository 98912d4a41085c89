// Package stream keeps event streams: each is a cursor over its account's queue, which
// one goroutine reads and writes to a client until either ends.
//
// It owns the open streams of this server, who is present, and what the servers on one
// store know of each other. The queue is the truth: what the hub says is when to look
// into it, or what would be found there. It does not know HTTP, nor how an event is
// written: a Sink does.
package stream
