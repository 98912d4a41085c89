// Package bench measures the built server over HTTP beside a floor: the same
// HTTP stack with nothing behind it. `make bench` runs it; docs/performance.md
// holds what came out and how to read it.
//
// It owns no code of the server and asserts no time: what must not get worse is
// guarded by counts in the tests of the packages concerned.
package bench
