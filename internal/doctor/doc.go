// Package doctor looks at an installation and says what is wrong with it, and what to do.
//
// It owns the list of findings (finding.go): each has a code that never changes, a severity,
// and a remedy. It looks at settings and the files that they name, the machine, the data
// directory or the database, the key ring, the bus, the place of the attachments, and what a
// server says of itself.
//
// It writes nothing: no file, no row, no lock that stays. No finding repeats a secret. It does
// not know how findings are shown, nor how a server is asked.
package doctor
