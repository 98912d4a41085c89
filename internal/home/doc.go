// Package home knows where the parts of an installation are: what the files in a data
// directory are called, which of them the settings put elsewhere, and how the key ring and
// the master key that they name are opened.
//
// In the data directory it owns
//
//	operator.json   how a client on this machine reaches the server as its
//	                operator: base_url, api_key, api_secret (mode 0600)
//	audit.key       what signs the checkpoints of the audit log
//	moved.json      that the installation was moved to a database, and when
//
// Servers (internal/app) and the commands beside them (internal/offline) share it. It
// must not know how a server runs, nor what a command does with what it finds.
package home
