// Package bench measures the built server with the load generator of
// `signet-bench`, on the embedded store and on PostgreSQL, and writes what came out into
// docs/performance.md: tables between markers, and plots beside the page.
//
// `make bench` runs it whole; BENCH_QUICK=1 makes that a short one whose page is
// written to bin/bench/ instead. As one of the tests it runs on a scale at which
// nothing can be measured, so that it keeps working.
//
// It owns no code of the server and asserts no time: what must not get worse is
// guarded by counts in the tests of the packages concerned.
package bench
