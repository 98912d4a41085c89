// Package client is a Go client of the Messaging Service REST Interface,
// version 2.
//
//	c, err := client.New("https://messages.example.org", key, secret)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	sent, err := c.Send(ctx, client.Outgoing{Recipient: "bob@example.com", Body: "Bed 12 is free."})
//
// It has one method for each call, and owns what a caller would otherwise write
// again every time: credentials, repeats that cannot do a thing twice, typed
// errors, attachments that are never whole in memory, and an event stream that
// survives a lost connection without losing an event.
//
// A [Client] and all that it returns, but for a [Download], may be used by
// several goroutines at once.
//
// # Errors
//
// What the server refuses is an [*Error], which matches the sentinels of this
// package by status or code:
//
//	if errors.Is(err, client.ErrNotFound) { ... }
//
// A wrong argument that never left the program matches [ErrArgument]; an answer
// that is not one of the interface matches [ErrProtocol].
//
// # Repeats
//
// An attempt that failed for want of a connection, or with 429, 502, 503 or 504,
// is made again as [RetryPolicy] says, where that is safe: for reads, for
// changes that have no further effect when made twice, and for every send and forward,
// because these carry a Request-ID under which the server makes one message
// only. What would do something twice (creating an account, a group, a key) is
// repeated only after an answer that says it was not carried out (429), or when
// no connection came about at all. The repeat of a removal may find that the
// first attempt had been carried out after all, and then answers
// [ErrNotFound].
//
// # Time
//
// Every call ends with its context. Besides, an attempt is given up when the
// server stays silent for longer than [WithTimeout] allows; a transfer that
// moves may take as long as it needs.
//
// The package knows the wire and nothing of the server behind it: it imports
// none of the server's packages and has its own copies of the wire types, so
// that an accidental change of the server's answers is noticed.
package client
