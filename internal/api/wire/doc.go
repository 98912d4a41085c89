// Package wire is how the interface shows things: the JSON of contract sections 3, 6 and
// 7. Its shapes are a promise: a field is never renamed and never changes its type.
//
// It owns names, types and the writing of JSON. It knows nothing of requests, nor of who
// may see what: it shows what it is given.
package wire
