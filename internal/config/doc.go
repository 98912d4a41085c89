// Package config holds every setting of a server: its key, type, default,
// limits and documentation, in one place each (settings.go).
//
// A setting is taken from the first of these that has it: the command line, the
// environment, the configuration file, the default. A server starts with none of
// them. Mistakes that would go unnoticed are errors: a misspelt key in the file, a
// misspelt variable, a value of the wrong type.
//
// The package owns the form of the file and the names of the variables. It
// knows nothing of what the settings do, and imports nothing of the project.
package config

//go:generate go test -run ^TestDocumentationPage$ -update .
