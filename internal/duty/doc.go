// Package duty works out who is on duty: whose turn of a rotation it is at a time, in the time zone of
// the people who stand it, what overrides change, and when the next hand-over is. It writes that as a
// calendar, too.
//
// It owns what a rota means. It is pure: it reads no clock and no store, and does not know that a
// rota is a group's, who may set it, or how groups get their members (service). It has the time
// zone data with it, for machines without any.
package duty
