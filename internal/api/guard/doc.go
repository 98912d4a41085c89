// Package guard decides whether a call may go on before anything is done for it:
// it counts failed logins, the rate of each key, its uploads and the memory of bodies, and tells
// foreign pages from the server's own (contract, section 1).
//
// It owns the counters, which are of this node and in bounded memory, and the
// codes of its refusals. It must not know who an account is, what a call does, or
// how an answer is written; it returns a *model.Error.
package guard

// The codes of refusals. They are stable.
const (
	CodeOriginRefused   = "origin_refused"    // 403: a foreign page
	CodeTooManyFailures = "too_many_failures" // 429: failed logins
	CodeRateLimited     = "rate_limited"      // 429: requests a second
	CodeTooManyBodies   = "too_many_bodies"   // 503: bodies in memory
	CodeUploadsBusy     = "uploads_busy"      // 503: uploads of a key
)
