// Package clientreplay replays what published clients of the interface send,
// byte for byte, against the whole server, and compares what they read of the
// answers and events: every field by its name, its type and its value.
//
// It owns the recordings (testdata) and what the answers to them are. It knows
// the interface from outside, through internal/app/apptest, and nothing of how
// the server is made. It holds no code but tests.
package clientreplay
