// Package trace follows a call, or a task in the background, through the parts of the
// server: a trace has a span for each of them, and one for each transaction, file and notice
// on the way.
//
// It owns which spans there are, which attributes they may have (attribute.go), how a
// trace comes in and goes on with other programs (traceparent, W3C Trace Context), and by
// what the lines of one call are known in the log. It does not know where spans are sent
// (package otlp), nor what a call is about: a span says which part worked, for how long and
// how that ended, and nothing of people or of what they write.
//
// Where there are no traces, nothing is allocated here, and a part asks its context once.
package trace
