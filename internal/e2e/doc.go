// Package e2e tests the program from outside, as operators and clients use it: the
// built binary, real processes, signals, files and sockets.
//
// It owns what can be shown only there: that nothing confirmed is lost when the
// process is killed, that a full disk harms nothing, that memory stays flat,
// that stopping is graceful, that the README's quick start works as printed. It
// knows the interface from outside, through package client and the wire, and
// nothing of how the server is made; what one call answers is tested beside the
// code that answers it. It holds no code but tests.
package e2e
