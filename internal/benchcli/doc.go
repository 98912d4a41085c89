// Package benchcli is the command line of signet-bench: each scenario is a command, a struct
// whose fields are its flags.
//
// It owns what is printed to people, and to scripts with --json, and the exit codes: 0, all
// operations succeeded; 1, something failed or somebody interrupted it; 2, the command line
// is wrong. How a server is put under load is package load's.
package benchcli
