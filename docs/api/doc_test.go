// Package apidocs holds the pages of this directory to what they say: the
// examples are carried out, the tables name the calls that there are and the
// tests that prove them, the codes of errors are those of the source. It holds
// no code but tests.
package apidocs
