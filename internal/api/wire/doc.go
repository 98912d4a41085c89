// Package wire is how the interface shows things: the JSON of contract sections 3, 6 and
// 7. Its shapes are a promise: a field is never renamed and never changes its type.
//
// It owns names, types and the writing of JSON. A shape belongs here if more than one place
// writes it: two endpoints, an event and an answer, an archive, or a command that exports what
// calls show; or if it is written by hand, as what is asked for most is. Another one that a
// single endpoint writes stands beside this endpoint in package api. It
// must not know requests, nor who may see what: it shows what it is given.
package wire
