// Package manual writes manual pages: one for the program, one for each of its commands with
// what is below it, and one for the configuration file. It takes them from the command line
// itself and from the settings, so that they say what the program does.
//
// It owns the form of the pages (troff with the macros of man(7)) and their names. It does
// not know what the commands do, and writes no files.
package manual
