package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"signet/internal/backlog"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/escalation"
)

// EscalationKind is the work of escalations: a job for each, which is due when its next step is.
func (s *Service) EscalationKind() *backlog.Kind {
	return &backlog.Kind{Number: store.Escalate, Name: "escalations", Step: s.escalate}
}

// escalate does the next step of an escalation, in the transaction of its job: so it happens once, whatever
// is killed. It sends as call 11 does, in the sender's name, and asks what call 11 asks of the recipients.
func (s *Service) escalate(tx *store.Tx, j *store.Job) (backlog.Next, error) {
	key, err := escalation.Subject(tx, j.Subject)
	if err != nil {
		return backlog.Next{}, err
	}
	r := &stepRun{service: s, tx: tx, now: s.now(), begun: time.Now()}
	next, err := r.run(key, j)
	next.Rows = r.rows
	return next, err
}

// run does what is due, and says when the next step is.
func (r *stepRun) run(key store.MessageKey, j *store.Job) (backlog.Next, error) {
	found, err := r.find(key)
	if err != nil || !found {
		return backlog.Over(), err
	}
	if r.due.After(j.Due) { // those are erased whom the step would have asked that the job waited for
		return backlog.At(r.due), nil
	}
	if open, err := r.stillOpen(); err != nil || !open {
		return backlog.Over(), err
	}
	due := r.due
	if r.step == nil {
		err = r.exhaust()
	} else {
		err = r.do()
	}
	if err != nil || r.e.State == model.EscalationCancelled {
		return backlog.Over(), err
	}
	next := backlog.Over()
	if r.step != nil {
		_, then := r.e.Next()
		next = backlog.At(then)
	}
	next.Done = func() { r.tell(due) }
	return next, nil
}

// stepRun is a step while it is done.
type stepRun struct {
	service *Service
	tx      *store.Tx
	now     time.Time
	begun   time.Time // by the machine's clock: how long it takes is counted

	e      model.Escalation
	step   *model.EscalationStep // nil: all were done
	due    time.Time             // when the step is, or the end
	row    store.MessageRow      // the message
	sender *model.Actor          // as far as the step asks: where its account belongs
	groups map[model.EntityID]*stepGroup
	first  int64 // the first of the positions that were handed out

	sent []delivery
	told []model.AccountID
	rows int // that were written, about
}

// stepGroup is a group that a step asks.
type stepGroup struct {
	group   model.Group
	readers store.Readers
	open    bool // the sender may write to it
}

// find reads the escalation of a job, and locks what its step depends on: the groups that it asks, the
// message, and what earlier steps sent on. Whoever marks one of these, or ends the escalation, has it locked
// too.
func (r *stepRun) find(key store.MessageKey) (found bool, err error) {
	if found, err = r.read(key); err != nil || !found || !r.tx.Locks() {
		return found, err
	}
	r.rows = backlog.Rows // what another job locks first this one would lock last, and both would wait for each other
	var groups []model.GroupID
	if r.step != nil {
		for _, to := range r.step.To {
			if to.Group {
				groups = append(groups, model.GroupID(to.Entity))
			}
		}
	}
	if len(groups) > 0 {
		if err := r.tx.LockGroups(groups...); err != nil {
			return false, err
		}
	}
	if err := r.tx.LockMessages([]model.OrganizationID{key.Organization}, r.e.Messages()...); err != nil {
		return false, err
	}
	return r.read(key)
}

// read reads the escalation, if it is open, with its message, if that is there.
func (r *stepRun) read(key store.MessageKey) (found bool, err error) {
	if r.e, found, err = escalation.Of(r.tx, key.Organization, key.ID); err != nil || !found {
		return false, err
	}
	if r.e.State != model.EscalationOpen {
		return false, nil
	}
	r.row, found, err = r.tx.Message([]model.OrganizationID{key.Organization}, key.ID, r.now)
	r.e.Sender, r.e.Sent = r.row.Sender, r.row.Created
	r.step, r.due = r.e.Next()
	return found, err
}

// stillOpen locks the queues to which the step writes, and asks whether the message can still be sent on by
// its sender. Where it can't, the escalation ends.
func (r *stepRun) stillOpen() (open bool, err error) {
	if r.row.Recalled {
		return false, r.end(model.EscalationRecalled)
	}
	queues := []model.AccountID{r.e.Sender}
	positions := 1
	r.groups = map[model.EntityID]*stepGroup{}
	if r.step != nil {
		for _, to := range r.step.To {
			queues = append(queues, model.AccountID(to.Entity)) // a group has a queue's place of its own
			if to.Group {
				g, err := r.readGroup(model.GroupID(to.Entity))
				if err != nil {
					return false, err
				}
				r.groups[to.Entity] = g
				queues = append(queues, g.readers.Accounts...)
			}
		}
		positions += len(r.step.To)
	}
	if r.first, err = r.tx.Position(positions, queues...); err != nil {
		return false, err
	}
	memberships, err := r.tx.MembershipsIn(r.e.Organization, []model.AccountID{r.e.Sender})
	if err != nil {
		return false, err
	}
	if len(memberships) == 0 || r.row.Sort <= memberships[0].Since { // it has left, and perhaps come back
		return false, r.end(model.EscalationCancelled)
	}
	r.sender = &model.Actor{Account: r.e.Sender, Memberships: memberships}
	return true, nil
}

func (r *stepRun) end(state model.EscalationState) error {
	return escalation.End(r.tx, r.e.Organization, r.e.Message, state, r.now)
}

// readGroup reads a group, which is locked.
func (r *stepRun) readGroup(id model.GroupID) (*stepGroup, error) {
	g, found, err := r.tx.Group(id)
	if err != nil {
		return nil, err
	}
	out := &stepGroup{group: g}
	if found && !g.Deleted {
		out.readers, err = r.tx.GroupReaders(r.e.Organization, id, r.e.Sender)
		out.open = out.readers.Member
	}
	return out, err
}

// exhaust ends an escalation of which all steps were done, and tells the sender.
func (r *stepRun) exhaust() error {
	if err := r.end(model.EscalationExhausted); err != nil {
		return err
	}
	return r.tellSender(0, nil)
}

// do sends the message on to those whom the step asks and to whom its sender may still write.
func (r *stepRun) do() error {
	targets, organization, err := r.reachable()
	if err != nil {
		return err
	}
	var asked []model.EntityID
	if len(targets) > 0 {
		said, err := r.open()
		if content.Unreadable(err) { // only an older state of the store still has the row
			r.e.State = model.EscalationCancelled
			return r.end(r.e.State)
		}
		if err != nil {
			return err
		}
		for n, to := range targets {
			sent, err := r.send(to, said, organization, r.first+int64(n))
			if err != nil {
				return err
			}
			to.Sent = sent
			asked = append(asked, to.Entity)
		}
	}
	r.step.Done, r.e.Done = r.now, r.step.Number
	if err := escalation.NoteStep(r.tx, &r.e, r.step); err != nil {
		return err
	}
	return r.tellSender(r.step.Number, asked)
}

// reachable returns those of a step to whom the sender may write now: people may have left the organization
// since, groups may have been deleted, and forwarding turned off.
func (r *stepRun) reachable() (out []*model.EscalationTarget, o model.Organization, err error) {
	o, found, err := r.tx.Organization(r.e.Organization)
	if err != nil || !found || !model.Allows(o.Settings.Forward) ||
		r.row.Blob != (model.BlobID{}) && !model.Allows(o.Settings.Attachments) {
		return nil, o, err
	}
	var accounts []model.AccountID
	for _, to := range r.step.To {
		if !to.Group {
			accounts = append(accounts, model.AccountID(to.Entity))
		}
	}
	members, err := r.tx.MembersAmong(r.e.Organization, accounts)
	if err != nil {
		return nil, o, err
	}
	for i := range r.step.To {
		to := &r.step.To[i]
		if g := r.groups[to.Entity]; to.Group {
			if g.open && (!g.group.Everyone || writesToEveryone(r.sender, r.e.Organization)) {
				out = append(out, to)
			}
		} else if slices.Contains(members, model.AccountID(to.Entity)) {
			out = append(out, to)
		}
	}
	return out, o, nil
}

// open reads what the message says, which waits for nothing.
func (r *stepRun) open() (said model.Content, err error) {
	vault := r.service.vault
	if !vault.Ready(&r.row) {
		row := r.row
		return said, backlog.Unready(func(ctx context.Context) error {
			_, err := vault.OpenMessage(ctx, &row)
			if content.Unreadable(err) {
				err = nil // the step finds out
			}
			return err
		})
	}
	said, err = vault.OpenMessage(context.Background(), &r.row)
	said.ReplyTo = model.MessageID{} // which its new readers have nothing of
	return said, err
}

// send sends the message on to one of those whom the step asks.
func (r *stepRun) send(to *model.EscalationTarget, said model.Content, organization model.Organization,
	position int64) (model.MessageID, error) {
	place := &destination{entity: to.Entity, organization: organization}
	readers := store.Readers{Accounts: []model.AccountID{model.AccountID(to.Entity)}}
	readers.Ready = readers.Accounts
	if to.Group {
		g := r.groups[to.Entity]
		place.group, readers = &g.group, g.readers
	}
	priority := 1
	if !model.Allows(organization.Settings.PriorityMessaging) { // turned off since: it is to be heard all the same
		priority = 0
	}
	row, err := newRow(r.sender, &draft{content: said, priority: &priority, source: &r.row}, place, r.now)
	if err != nil {
		return model.MessageID{}, err
	}
	row.Escalation = model.EscalationPart{Message: r.e.Message, Step: r.step.Number}
	row.Sort, row.InTurn = position, len(readers.Ready) < len(readers.Accounts)
	vault := r.service.vault
	sealed, ready, err := vault.SealPrompt(row, &said)
	if err != nil {
		return row.ID, err
	}
	if !ready {
		return row.ID, backlog.Unready(func(ctx context.Context) error { return vault.GetKey(ctx, row) })
	}
	row.Sealed = sealed
	d := delivery{row: *row, content: said, copies: len(readers.Accounts), looks: true}
	if to.Group {
		d.plan = r.service.fanout.Plan(r.tx, r.now)
	}
	if err := r.service.insert(r.tx, &d, &readers); err != nil {
		return row.ID, err
	}
	r.rows += stepRows + 2*d.copies
	r.sent = append(r.sent, d)
	return row.ID, nil
}

// stepRows is how many rows a message writes besides its copies and their events.
const stepRows = 4

// tellSender queues the event of a step.
func (r *stepRun) tellSender(step int, asked []model.EntityID) error {
	names := make([]string, len(asked))
	for i, id := range asked {
		names[i] = id.String()
	}
	r.told = []model.AccountID{r.e.Sender}
	r.rows += 3
	position := r.first
	if r.step != nil {
		position += int64(len(r.step.To))
	}
	payload := store.Payload{Step: step, To: strings.Join(names, " "), Time: r.now.UnixMilli()}
	return r.tx.InsertEvent(r.e.Sender, position, r.e.Organization, model.EventEscalated, r.e.Message, payload.Encode())
}

// tell counts what the step did, once that is on disk, and wakes whom it concerns.
func (r *stepRun) tell(due time.Time) {
	s, ctx := r.service, context.Background()
	s.counts.Escalated.Delay.Observe(max(r.now.Sub(due), 0).Nanoseconds())
	if r.step == nil {
		s.counts.Escalated.Exhausted.Add(1)
	} else {
		s.counts.Escalated.Steps.Add(1)
	}
	for i := range r.sent {
		d := &r.sent[i]
		s.counts.Sent.add(d.row.Group, 1)
		s.counts.Copies.add(d.row.Group, d.copies)
		s.tally.Sent(&d.row.Message, d.copies, time.Since(r.begun))
		if d.plan != nil {
			r.told = append(r.told, d.plan.Told...)
		} else {
			r.told = append(r.told, model.AccountID(d.row.Recipient))
		}
		m := d.message()
		s.signalSelfCopy(ctx, &m)
	}
	s.hub.Wake(ctx, r.told...)
}

// escalatedChange shows the event of a step.
func escalatedChange(message model.MessageID, stored *store.Payload) (*model.EscalatedChange, error) {
	change := &model.EscalatedChange{Message: message, Step: stored.Step, To: []model.EntityID{},
		Time: time.UnixMilli(stored.Time).UTC()}
	for _, name := range strings.Fields(stored.To) {
		id, ok := model.ParseEntityID(name)
		if !ok {
			return nil, fmt.Errorf("%q is no token", name)
		}
		change.To = append(change.To, id)
	}
	return change, nil
}
