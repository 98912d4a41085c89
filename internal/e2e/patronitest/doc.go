// Package patronitest gives tests a PostgreSQL that survives the loss of a machine: three servers under Patroni, with
// etcd, in synchronous mode, as processes on 127.0.0.1; with PgBouncer before each where a test asks for it.
//
// It owns the processes, the links between them, each of which can be cut, and what can happen to the server that leads
// (Faults). It says when another one leads and confirms writes. It must not know the store, nor what the tests write.
// It is imported by tests only.
//
// The programs are Debian's: patroni, etcd-server, pgbouncer, and PostgreSQL 15 or later. install.sh gets what is
// missing. No service of these packages has to run. All processes end with the test binary, however that ends, and
// their data with them.
package patronitest
