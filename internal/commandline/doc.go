// Package commandline is what the command lines of signet and signet-bench have in common:
// which server a command calls and by which key, lengths of time as flags, and text that is
// safe to show on a terminal.
//
// It does not know what the commands do, nor how they call.
//
// Both have their flags from Kong, in third_party, whose patch lets the linker leave out methods
// that nothing calls.
package commandline

//go:generate ../../third_party/update
