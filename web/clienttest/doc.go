// Package clienttest tests the TypeScript client (web/src/client) as its users run it:
// compiled, in Node.js, against the built server. Its tests in TypeScript stand beside
// this file; the Go test starts the server, cuts their connections, and runs them.
//
// It needs Node.js 20 or later, with npm, which gets the compiler the first time, and
// Chromium.
package clienttest
