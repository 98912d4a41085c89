// Package output is how answers go out: the headers that each one has, JSON bodies, compressed where
// that is asked for, errors, long lists piece by piece, files and their ranges, and ZIP archives at a
// least speed (contract, section 1).
//
// It owns the form of an answer, and remembers its status, how many bytes were written, and whether
// the connection takes any more. It must not know what a call is, who makes it, or
// which endpoint answers: it is given a writer, the request as net/http has it, and what to send.
package output
