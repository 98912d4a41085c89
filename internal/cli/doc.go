// Package cli is the command line of signet: one file a command, each a struct
// whose fields are its flags and whose Run method does the work.
//
// It owns what is printed to people and the exit codes. It does not know how
// anything is done: a server is app.Open, the client commands are the client
// package.
//
// A command is added by a field in commands (root.go). Its Run method may ask
// for a context.Context, which ends at SIGINT and SIGTERM, and for the *console; for a
// *config.Config or a *client.Client if the command has a method ProvideConfig or ProvideClient.
//
// exit.go has the exit codes, and how errors are told to people and to programs.
package cli
