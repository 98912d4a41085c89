// Package completion completes command lines in bash, zsh and fish. A shell asks the program
// itself, so that it offers the commands and flags of the program that is installed.
//
// It owns what is offered, and the scripts by which the shells ask. It does not know what
// the commands do, reads no server's data, and makes no call: names of people and
// organizations are not completed.
package completion
