package live

import (
	"context"
	"slices"

	"signet/internal/model"
	"signet/internal/trace"
)

// Bus carries what the hub of one node says to the hubs of the others. It may lose
// notices, and deliver them twice: each is a hint. None of its methods waits for
// the network.
type Bus interface {
	// Publish tells the other nodes. Notices of one node arrive in their order.
	Publish(Notice)

	// Listen says that this node has readers of a topic from now on, so that notices
	// about it come here; Ignore that it has none any more. Where they come only some
	// time later, the readers of the account are woken then, for what was said meanwhile.
	Listen(Topic)
	Ignore(Topic)

	// Connected reports whether the other nodes can be reached.
	Connected() bool

	// Barred says why the other nodes cannot be reached, and will not be until somebody
	// changes how things are set up; nil: they can, or it is only a matter of time.
	Barred() error
}

// Topic is what readers hear of: an account, or the live signals of one feature for it.
type Topic struct {
	Account model.AccountID
	Feature string // empty: everything that is for all readers of the account
}

// NoticeKind is what a notice says.
type NoticeKind string

const (
	NoticeWake   NoticeKind = "wake"   // the queues of the accounts may have something
	NoticeSignal NoticeKind = "signal" // a live event for streams of the accounts
	NoticeEnd    NoticeKind = "end"    // subscriptions of the accounts end
	NoticeForget NoticeKind = "forget" // what is remembered of the accounts' keys and places is no longer so
)

// Notice is what one hub says to the others. A kind that a node does not know is
// passed over: nodes of two versions may run together.
type Notice struct {
	Kind     NoticeKind        `json:"kind"`
	Accounts []model.AccountID `json:"accounts,omitempty"`
	Signal   *Signal           `json:"signal,omitempty"`
	Ending   *Ending           `json:"ending,omitempty"`

	// Trace is the span in which it was said, and those of what was said with it, as
	// traceparents; empty: none is recorded.
	Trace []string `json:"trace,omitempty"`

	spans []trace.Span // of the notice, until it is sent
}

// mostTraces is how many spans a notice names: what is said together is small beside it.
const mostTraces = 8

// Join adds to a notice another one of its kind, which names nothing but accounts.
func (n *Notice) Join(other Notice) {
	n.Accounts = append(n.Accounts, other.Accounts...)
	n.Trace = append(n.Trace, other.Trace...)
	n.Trace = n.Trace[:min(len(n.Trace), mostTraces):min(len(n.Trace), mostTraces)]
	n.spans = append(n.spans, other.spans...)
}

// Sent says that the bus has given the notice to the others, or else dropped it. A bus calls it
// once for each notice that it took, and may call it for a copy.
func (n *Notice) Sent(dropped bool) {
	for _, span := range n.spans {
		if dropped {
			span.Fail("dropped")
		}
		span.End()
	}
}

// The features of live signals, each of which a stream asks for by its name (contract,
// section 6).
const (
	FeatureTyping     = "is-typing"
	FeaturePresence   = "presence"
	FeatureSelfCopies = "self-copies"
)

// FeaturePresenceReplay asks, with FeaturePresence, who is present when a stream begins. Nothing is signalled for it.
const FeaturePresenceReplay = "presence-replay"

var features = []string{FeatureTyping, FeaturePresence, FeatureSelfCopies}

// Signal is a live event for the readers of some accounts. It names things and says
// nothing of them, since the bus is no place for what people wrote: whoever shows the
// event reads the message or the account, as far as its reader may see it.
type Signal struct {
	ID      string          `json:"id"` // of the event; Hub.Signal makes it
	Kind    model.EventKind `json:"kind"`
	Feature string          `json:"feature,omitempty"` // only for readers who asked for it; empty: for all

	Message  model.MessageID `json:"message,omitzero"`   // message, group_message
	Account  model.AccountID `json:"account,omitzero"`   // update
	Typing   *model.Typing   `json:"typing,omitempty"`   // message:is_typing
	Presence *model.Presence `json:"presence,omitempty"` // presence

	// Within are the organizations of typing and presence, in which readers with a key of a
	// scope hear it. Scoped: no others do.
	Within []model.OrganizationID `json:"within,omitempty"`
	Scoped bool                   `json:"scoped,omitempty"`
}

// Reaches reports whether readers with a key of this scope may hear the signal; an empty
// scope is none.
func (s *Signal) Reaches(scope model.OrganizationID) bool {
	if scope == "" {
		return !s.Scoped
	}
	return s.Within == nil || slices.Contains(s.Within, scope)
}

// Ending says which subscriptions of an account end. The zero value is all.
type Ending struct {
	Reason  Reason           `json:"reason"`
	Key     string           `json:"key,omitempty"`     // only those that were opened with it
	Keep    model.SecretMark `json:"keep,omitzero"`     // of these not those that were opened with this secret
	Streams []model.StreamID `json:"streams,omitempty"` // only these

	Scope model.OrganizationID `json:"scope,omitempty"` // only those that were opened with a key of this scope
}

func (e *Ending) covers(s *Subscription) bool {
	return (e.Key == "" || e.Key == s.Key && (e.Keep == model.SecretMark{} || e.Keep != s.Secret)) &&
		(e.Scope == "" || e.Scope == s.Scope) && (e.Streams == nil || s.Stream && slices.Contains(e.Streams, s.ID))
}

// Connect connects the hub to those of other nodes. It comes before the first
// subscription.
func (h *Hub) Connect(bus Bus) { h.bus = bus }

// OnForget sets what is called when another node says that accounts changed. It
// comes before Connect.
func (h *Hub) OnForget(forget func(...model.AccountID)) { h.forget = forget }

// Barred says why what other nodes say does not arrive at once, and will not as things are
// set up. A hub without a bus has no other nodes.
func (h *Hub) Barred() error {
	if h.bus == nil {
		return nil
	}
	return h.bus.Barred()
}

// Connected reports whether what other nodes say arrives at once. A hub without a
// bus is not connected.
func (h *Hub) Connected() bool { return h.bus != nil && h.bus.Connected() }

// Missed returns a channel that receives when notices of other nodes may have been
// lost: the queues are to be looked at.
func (h *Hub) Missed() <-chan struct{} { return h.missed }

// Trace sets what traces what other nodes say, if they traced it. It comes before Connect.
func (h *Hub) Trace(tracer *trace.Tracer) { h.tracer = tracer }

// Hear takes in what another node said. It affects this node only.
func (h *Hub) Hear(n Notice) {
	_, span := h.tracer.Receive(context.Background(), trace.BusReceive, n.Trace)
	if span.Recorded() {
		span.Set(trace.Notice(string(n.Kind)), trace.Accounts(len(n.Accounts)))
		defer span.End()
	}
	switch {
	case n.Kind == NoticeWake:
		h.wake(n.Accounts)
	case n.Kind == NoticeSignal && n.Signal != nil:
		h.signal(n.Signal, n.Accounts)
	case n.Kind == NoticeEnd && n.Ending != nil:
		h.end(n.Ending, n.Accounts)
	case n.Kind == NoticeForget && h.forget != nil:
		h.forget(n.Accounts...)
	}
}

// Miss is called by the bus when notices may have been lost.
func (h *Hub) Miss() {
	select {
	case h.missed <- struct{}{}:
	default: // a look is due already
	}
}

// publish tells the other nodes, if there may be any.
func (h *Hub) publish(ctx context.Context, n Notice) {
	if h.bus == nil || len(n.Accounts) == 0 {
		return
	}
	if _, span := trace.Send(ctx, trace.BusSend); span.Recorded() {
		span.Set(trace.Notice(string(n.Kind)), trace.Accounts(len(n.Accounts)))
		n.Trace, n.spans = []string{span.Parent()}, []trace.Span{span}
	}
	h.bus.Publish(n)
}
