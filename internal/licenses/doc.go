// Package licenses knows what the program is made of, beside its own code: the modules of Go
// that are linked, what the pages in a browser are built with, and data; each with its
// licence.
//
// It owns notices.txt, which go generate writes from the licences of these parts, and only if
// each is one that may be in the program (deploy/release/licenses says which). It does not
// know what the parts do.
package licenses

//go:generate go -C ../../deploy/release run ./licenses ../..
