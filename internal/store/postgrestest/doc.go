// Package postgrestest gives tests a real PostgreSQL. It knows how to start a
// server from the machine's own binaries, and how to give each test a schema of its
// own; it knows nothing of the store.
//
// The first test of a test binary that asks for a database starts a server, on a
// free port of 127.0.0.1, with its data in a directory of its own; all tests of the
// binary share it. It ends with the test binary, however that ends, and its data
// with it: a shell waits for the end of a pipe that the binary holds open. With
// SIGNET_TEST_DATABASE set to the address of a database, that is used instead, and
// the schemas are dropped.
//
// Without either a test fails, and says what to install.
package postgrestest
