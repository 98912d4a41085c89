// Package bench measures the built server with the load generator of
// `signet-bench`, on the embedded store and on PostgreSQL, and writes what came out into
// docs/performance.md: tables between markers, and plots beside the page. It also compares
// two versions of the server, which are measured in turn.
//
// Further it measures several servers on one PostgreSQL, one with millions of messages, and
// one that is used for an hour, for docs/performance/scale.md.
//
// `make bench` runs the first whole; BENCH_QUICK=1 makes that a short one whose page is
// written to bin/bench/ instead. `make bench-ratchet` compares, and `make bench-scale` and `make
// soak` measure the rest; README.md says how. As tests they run on a scale at which nothing can
// be measured, so that they keep working.
//
// It owns no code of the server, and no other test asserts a time: what must not get worse is
// guarded by counts in the tests of the packages concerned.
package bench
