package model

import (
	"fmt"
	"log/slog"
	"runtime"
)

// What people write, and their addresses, stay out of logs and messages: the types
// that hold them show their identifiers only. Only %#v, which is for tests, shows
// everything.

// String says what it is.
func (Email) String() string { return "(e-mail)" }

// LogValue says what it is.
func (e Email) LogValue() slog.Value { return slog.StringValue(e.String()) }

// String says what it is.
func (Phone) String() string { return "(phone)" }

// LogValue says what it is.
func (p Phone) LogValue() slog.Value { return slog.StringValue(p.String()) }

// String says of which kind it is, or which token.
func (a Address) String() string {
	if a.Kind == TokenAddress {
		return "token " + a.Token.String()
	}
	return "(" + a.Kind.String() + ")"
}

// LogValue says of which kind it is, or which token.
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String names the account by its token.
func (a Account) String() string { return "account " + a.ID.String() }

// LogValue names the account by its token.
func (a Account) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String names the group by its token.
func (g Group) String() string { return "group " + g.ID.String() }

// LogValue names the group by its token.
func (g Group) LogValue() slog.Value { return slog.StringValue(g.String()) }

// String names the account or the group by its token.
func (e Entity) String() string {
	switch {
	case e.Account != nil:
		return e.Account.String()
	case e.Group != nil:
		return e.Group.String()
	}
	return "no entity"
}

// LogValue names the account or the group by its token.
func (e Entity) LogValue() slog.Value { return slog.StringValue(e.String()) }

// String says what it is.
func (Content) String() string { return "(content)" }

// LogValue says what it is.
func (c Content) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String says what it is.
func (DataItem) String() string { return "(data)" }

// LogValue says what it is.
func (d DataItem) LogValue() slog.Value { return slog.StringValue(d.String()) }

// String says what it is.
func (Attachment) String() string { return "(attachment)" }

// LogValue says what it is.
func (a Attachment) LogValue() slog.Value { return slog.StringValue(a.String()) }

// String names the message by its token.
func (m Message) String() string { return "message " + m.ID.String() }

// LogValue names the message by its token.
func (m Message) LogValue() slog.Value { return slog.StringValue(m.String()) }

// String names the key, and nothing that its secret could be found from.
func (k Key) String() string { return "key " + k.Key }

// LogValue names the key.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// PanicText is what may be logged of a panic's value: which type it is and, of the
// runtime's own errors, what they say. Anything else may hold what a caller sent; its
// place is in the stack.
func PanicText(value any) string {
	if fault, ok := value.(runtime.Error); ok {
		return fault.Error()
	}
	return fmt.Sprintf("%T", value)
}
