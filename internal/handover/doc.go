// Package handover passes the sockets of a running server on to the program that takes its
// place on the same machine, so that no client finds a closed port.
//
// It owns the conversation of the two: the socket in the data directory where the running
// server listens for it (SocketName), the messages, and the descriptors that go along. It does not
// know what is served on the sockets, when a server may let go of its data, nor how the program
// is started.
//
// # The conversation
//
//	new: take        its version and process
//	old: sockets     each with the setting that it serves; or refused, and why
//	new: prepared    its settings are right, and it knows the data; or refused
//	old: released    it accepts no connection any more, and has closed its data
//	new: serving     it has the data; or refused, and the old one goes on
//	old: connections those that waited for their next request, some at a time
//	old: done        it ends
//
// The two are of different versions, of which either may be the later one: messages get further fields,
// which those that do not know them pass over, and none is taken away.
//
// Where the conversation ends early, the other one knows that too: before "released" nothing has
// happened; after it the old server opens its data again.
//
// A command that only asks for an upgrade says "upgrade", and hears "done" or "refused".
//
// Descriptors are passed as ancillary data of a Unix socket (SCM_RIGHTS), which Windows does
// not have: there, and where the socket cannot be made, errors wrap errors.ErrUnsupported.
package handover
