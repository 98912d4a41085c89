// Package load puts a server under load and measures what it does and what it
// costs: how many operations a second, how long each takes, and what CPU time and
// memory the server's processes need for them.
//
// It owns the scenarios (scenario.go lists them), the pace of their operations, the
// counting, what is read of processes from the operating system, and the floor: an
// HTTP server with nothing behind it, which puts the other figures in proportion. It
// makes an organization with people of its own and removes it.
//
// It sees a server as every caller does. Setting up goes through the Go client;
// the calls that are measured are HTTP/1.1, written once (request.go) and their answers
// read by fasthttp (connection.go), because on a machine that the server shares, the
// generator's CPU is missing there.
//
// # Two paces
//
// Closed: each connection begins its next operation when the last one has ended.
// That finds out how much a server can do. Its latencies flatter, for a server
// that hangs for a second is asked nothing during that second.
//
// Open, with a rate: operations are to begin at fixed times, whether or not earlier
// ones have ended, and latency counts from the time at which an operation was due. So
// it includes waiting for a free connection, as for a person who sends a message.
// Operations that never began count with the time they waited.
package load
