package model

import (
	"fmt"
	"log/slog"
	"runtime"
)

// What people write, and their addresses, stay out of logs and messages: the types
// that hold them show their identifiers only, as text and in the log. Only %#v, which is for tests, shows
// everything.

func (Email) String() string         { return "(e-mail)" }
func (e Email) LogValue() slog.Value { return slog.StringValue(e.String()) }

func (Phone) String() string         { return "(phone)" }
func (p Phone) LogValue() slog.Value { return slog.StringValue(p.String()) }

func (a Address) String() string {
	if a.Kind == TokenAddress {
		return "token " + a.Token.String()
	}
	return "(" + a.Kind.String() + ")"
}
func (a Address) LogValue() slog.Value { return slog.StringValue(a.String()) }

func (a Account) String() string       { return "account " + a.ID.String() }
func (a Account) LogValue() slog.Value { return slog.StringValue(a.String()) }

func (g Group) String() string       { return "group " + g.ID.String() }
func (g Group) LogValue() slog.Value { return slog.StringValue(g.String()) }

func (e Entity) String() string {
	switch {
	case e.Account != nil:
		return e.Account.String()
	case e.Group != nil:
		return e.Group.String()
	}
	return "no entity"
}
func (e Entity) LogValue() slog.Value { return slog.StringValue(e.String()) }

func (Content) String() string         { return "(content)" }
func (c Content) LogValue() slog.Value { return slog.StringValue(c.String()) }

func (DataItem) String() string         { return "(data)" }
func (d DataItem) LogValue() slog.Value { return slog.StringValue(d.String()) }

func (Attachment) String() string         { return "(attachment)" }
func (a Attachment) LogValue() slog.Value { return slog.StringValue(a.String()) }

func (m Message) String() string       { return "message " + m.ID.String() }
func (m Message) LogValue() slog.Value { return slog.StringValue(m.String()) }

func (k Key) String() string       { return "key " + k.Key }
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
