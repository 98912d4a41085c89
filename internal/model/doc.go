// Package model holds the nouns of a messaging platform and their rules:
// accounts, organizations, groups, messages, events, keys, addresses, and the
// errors that callers may see.
//
// It owns what is true without a database or a network: limits, orders of
// statuses, shapes of addresses. It knows nothing of SQL, HTTP or JSON on the
// wire, and imports the standard library only.
package model
