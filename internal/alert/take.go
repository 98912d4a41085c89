package alert

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// Options are what alerts are taken with.
type Options struct {
	Store *store.Store
	Cases *service.Service
	Clock func() time.Time
}

// Desk takes alerts. It is safe for concurrent use.
type Desk struct{ Options }

// New returns a desk.
func New(o Options) *Desk { return &Desk{o} }

// Told is what became of an alert.
type Told struct {
	Alert    *Alert
	Message  model.MessageID
	Repeated bool // it was told before
}

// Take sends a message for each alert: by the rules of the key's organization, but for what named says in place
// of them: the recipient, or the policy by which the message is sent on. An alert that nobody can get does not
// hold up the others, and is the error in the end; what was sent stays sent, and is not sent again when the
// notification is repeated.
func (d *Desk) Take(ctx context.Context, actor *model.Actor, named model.AlertRoute, n *Notification) (all []Told,
	err error) {
	scope := actor.Key.Scope
	if scope == "" {
		return nil, model.Forbiddenf("scope_required", "Alerts take a key of one organization.")
	}
	o, found, err := d.organization(ctx, scope)
	if err == nil && !found {
		err = model.Missing()
	}
	if err != nil {
		return nil, err
	}
	routes, err := o.Settings.AlertRoutes()
	if err != nil {
		return nil, err
	}
	var failed error
	for i := range n.Alerts {
		a := &n.Alerts[i]
		told, err := d.tell(ctx, actor, n, route(routes, named, a), a, &o)
		sent := !told.Message.IsZero()
		if sent {
			all = append(all, told)
		}
		switch {
		case err == nil:
		case sent || ofOne(err):
			failed = cmp.Or(failed, err)
		default:
			return all, err
		}
	}
	return all, failed
}

// ofOne reports whether an error is about one alert and who gets it, and says nothing of the others.
func ofOne(err error) bool {
	var refused *model.Error
	return errors.As(err, &refused) &&
		slices.Contains([]model.Kind{model.Invalid, model.Forbidden, model.NotFound}, refused.Kind)
}

func (d *Desk) organization(ctx context.Context, id model.OrganizationID) (o model.Organization, found bool,
	err error) {
	err = d.Store.View(ctx, func(tx *store.Tx) (err error) {
		o, found, err = tx.Organization(id)
		return err
	})
	return o, found, err
}

// route is who gets an alert; without a recipient: nobody.
func route(routes []model.AlertRoute, named model.AlertRoute, a *Alert) model.AlertRoute {
	if named.Recipient != "" {
		return named
	}
	for _, r := range routes {
		if r.Fits(a.Labels) {
			r.Escalate = cmp.Or(named.Escalate, r.Escalate)
			return r
		}
	}
	return model.AlertRoute{}
}

// tell sends the message for an alert, unless it was sent before. Where there is an error beside the message, it is
// why that is not sent on as the rule says.
func (d *Desk) tell(ctx context.Context, actor *model.Actor, n *Notification, to model.AlertRoute, a *Alert,
	o *model.Organization) (told Told, err error) {
	told.Alert = a
	if !a.Known() {
		return told, model.Invalidf("alert_invalid", "alerts", "The status of an alert is firing or resolved.")
	}
	before, err := d.episode(ctx, actor, n, a)
	if err != nil {
		return told, err
	}
	switch {
	case a.Resolved() && !before.fired && before.n > 0:
		told.Message, told.Repeated = before.resolved, true
		return told, nil
	case a.Resolved() && !before.fired && a.long(d.Clock()):
		return told, nil // its group is told again, for another alert; that this one is over is no news
	case !a.Resolved() && before.fired:
		told.Message, told.Repeated = before.firing, true
		return told, nil
	case to.Recipient == "":
		return told, model.Invalidf("alert_unrouted", "alerts", "No alert route of the organization fits the alert %q, and "+
			"no recipient is named.", a.Labels["alertname"])
	}
	command := service.SendCommand{Recipient: to.Recipient, SenderOrganization: o.ID, Body: a.text(),
		Priority: priority(&to, a, o), RequestID: n.request(a, a.Status, before.n)}
	switch {
	case a.Resolved():
		if err := d.answer(ctx, actor, before.firing, &command); err != nil {
			return told, err
		}
	case to.Escalate != "":
		command.Escalate = &service.EscalateCommand{Policy: to.Escalate}
	}
	told.Message, told.Repeated, err = d.send(ctx, actor, command)
	return told, err
}

// send sends a message about an alert. One that cannot be sent on as the rule says is sent without that; the error
// says why, beside the message.
func (d *Desk) send(ctx context.Context, actor *model.Actor, command service.SendCommand) (message model.MessageID,
	repeated bool, err error) {
	var unheard error
	sent, err := d.Cases.Send(ctx, actor, command)
	var refused *model.Error
	if command.Escalate != nil && errors.As(err, &refused) {
		unheard, command.Escalate = err, nil
		sent, err = d.Cases.Send(ctx, actor, command)
	}
	if err != nil && command.ReplyTo != "" && errors.Is(err, model.Invalidf("reply_to_unknown", "", "")) {
		command.ReplyTo = "" // it has ended meanwhile
		sent, err = d.Cases.Send(ctx, actor, command)
	}
	if errors.Is(err, model.Invalidf("request_id_reused", "", "")) { // somebody else told of it a moment ago
		return d.sent(ctx, actor, command.RequestID)
	}
	return sent.Message, sent.Repeated, cmp.Or(err, unheard)
}

// episode is how often an alert was resolved before, and what was told of it since. Prometheus may be away for so
// long that an alert ends by its endsAt, and fires again with the startsAt that it had.
type episode struct {
	n        int
	resolved model.MessageID // told of the end of the one before
	firing   model.MessageID
	fired    bool // firing was sent; it may be gone since
}

func (d *Desk) episode(ctx context.Context, actor *model.Actor, n *Notification, a *Alert) (e episode, err error) {
	after := d.Clock().Add(-model.RepeatWindow)
	err = d.Store.View(ctx, func(tx *store.Tx) error {
		e = episode{}
		for {
			over, ended, err := tx.Request(actor.Account, n.request(a, "resolved", e.n), after)
			if err != nil {
				return err
			}
			if !ended {
				break
			}
			e.n, e.resolved = e.n+1, over.Message
		}
		first, fired, err := tx.Request(actor.Account, n.request(a, "firing", e.n), after)
		e.firing, e.fired = first.Message, fired
		return err
	}, store.Short)
	return e, err
}

// sent returns the message that was sent under a Request-ID.
func (d *Desk) sent(ctx context.Context, actor *model.Actor, request string) (id model.MessageID, found bool,
	err error) {
	after := d.Clock().Add(-model.RepeatWindow)
	err = d.Store.View(ctx, func(tx *store.Tx) error {
		first, there, err := tx.Request(actor.Account, request, after)
		id, found = first.Message, there
		return err
	})
	return id, found, err
}

// answer has a message answer the one that told of the alert, where that is there still: to whom it went. That
// one is not sent on any more.
func (d *Desk) answer(ctx context.Context, actor *model.Actor, first model.MessageID,
	command *service.SendCommand) error {
	if first.IsZero() {
		return nil
	}
	m, err := d.Cases.Message(ctx, actor, first)
	switch {
	case model.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case m.Recalled:
		return nil
	}
	command.ReplyTo, command.Recipient = m.ID.String(), m.Recipient.String()
	if err := d.Cases.CancelEscalation(ctx, actor, first); err != nil && !model.IsNotFound(err) {
		return err
	}
	return nil
}

// priority is that of the message: as the route says, or as the alert's severity does. Who reads that
// something is over need not be woken.
func priority(to *model.AlertRoute, a *Alert, o *model.Organization) *int {
	p := 0
	switch {
	case a.Resolved() || !model.Allows(o.Settings.PriorityMessaging):
	case to.Priority != nil:
		p = *to.Priority
	case a.urgent():
		p = 1
	}
	return &p
}
