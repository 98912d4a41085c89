// Package webhook brings the events of accounts to URLs, as Standard Webhooks 1.0.0 says: each in a signed
// POST, in the order of the queue, the next one after a 2xx.
//
// It owns the webhooks of accounts and how far each has come, what is POSTed, when is tried again, and when
// it is given up. A webhook reads its account's queue as a stream does (service), by a place of its own; it
// is managed by whom keys are (access). What goes out passes a client that is given to it, which lets
// nothing reach where it should not (internal/egress).
//
// # How a delivery begins
//
// Whoever queues an event does nothing for webhooks. The hub is told which accounts have some, and stirs
// when one of these gets something. Then a job is noted for each of its webhooks that has none; the jobs of
// internal/backlog go to whichever server is free, one at a time for a webhook, and are taken up by another
// one where a server is killed. A job delivers until nothing is left, a try fails, or its turn is over. It
// notes how far it has come after some events, so that after a crash the last of them are POSTed once more,
// under the same webhook-id.
package webhook
