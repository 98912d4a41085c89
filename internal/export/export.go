// Package export reads what an archive of an account's data holds (Articles 15 and 20 of
// the GDPR), part by part, in short transactions and with little in memory.
//
// For the command line it reads what a legal hold keeps of an organization.
//
// It owns what belongs into an archive, in which order it is read, and how many archives
// are made at a time. Which messages an archive holds is decided by the calls that show
// them to the person (service), and who may have it, by access. It does not know how an
// archive is written.
package export

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"signet/internal/access"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/store/rota"
)

const (
	// messagePage is how many messages are in memory at a time, with their statuses: those
	// of a group's message are as many as the group has members.
	messagePage = 50
	// conversationPage is how many conversations are.
	conversationPage = 100
	// auditWindow is how many lines of a chain are looked at together.
	auditWindow = 2000
)

// Exporter makes archives. It is safe for concurrent use.
type Exporter struct {
	store   *store.Store
	access  *access.Control
	service *service.Service

	places places

	Counts Counts
}

// Counts add up the archives of a server by how they ended.
type Counts struct {
	Whole  atomic.Int64
	Left   atomic.Int64 // the client went away before the end
	Failed atomic.Int64
	Bytes  atomic.Int64 // of all of them
}

// Running is how many archives are being made.
func (x *Exporter) Running() int { return x.places.taken() }

// New returns an exporter.
func New(kept *store.Store, control *access.Control, cases *service.Service, clock func() time.Time) *Exporter {
	return &Exporter{store: kept, access: control, service: cases, places: newPlaces(clock)}
}

// Archive is an archive that is being made. Its parts are read one after the other, by one
// goroutine; Conversations comes before Groups, Messages and Attachments.
type Archive struct {
	access.Export
	Exported access.Exported // as it was when the archive was begun

	exporter *Exporter
	actor    *model.Actor
	talks    []talk // some 100 bytes for each conversation
	leave    func()
}

// talk is a conversation of which there are messages, or that is with a group.
type talk struct {
	entity       model.EntityID
	organization model.OrganizationID
	last         int64 // sort of the newest message that the person saw at first; 0: none
	member       bool  // of a group
	files        bool  // there are attachments
}

// Begin begins the archive of an account, which leaves a line in the audit log. The caller
// closes it.
func (x *Exporter) Begin(ctx context.Context, actor *model.Actor, address string) (a *Archive, err error) {
	leave, err := x.places.enter(actor)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			leave()
		}
	}()
	a = &Archive{exporter: x, actor: actor, leave: leave}
	if a.Export, err = x.access.BeginExport(ctx, actor, address); err != nil {
		return nil, err
	}
	a.Exported, err = x.access.Exported(ctx, actor, a.Export)
	return a, err
}

// Written counts the archive, of which so many bytes were written, by the problem that ended
// it and whether its client had left: then its account waits before it begins another.
func (a *Archive) Written(bytes int64, problem error, left bool) {
	c := &a.exporter.Counts
	c.Bytes.Add(bytes)
	switch {
	case problem == nil:
		c.Whole.Add(1)
	case left:
		c.Left.Add(1)
		a.exporter.places.pause(a.actor.Account)
	default:
		c.Failed.Add(1)
	}
}

// Close ends the work, finished or not.
func (a *Archive) Close() { a.leave() }

// page reads one page as the person, whose rights and whose reader's rights are asked
// about before, and pauses for as long as that took.
func (a *Archive) page(ctx context.Context, read func(person *model.Actor) error) error {
	begun := time.Now()
	of, err := a.exporter.access.Exported(ctx, a.actor, a.Export)
	if model.IsNotFound(err) { // which is not what read did not find
		err = errors.New("the account is gone")
	}
	if err == nil {
		err = read(of.Reader)
	}
	if err != nil {
		return err
	}
	pause := time.NewTimer(time.Since(begun))
	defer pause.Stop()
	select {
	case <-pause.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Conversations passes each conversation of the person to fn. One that moves to the
// beginning of the list while its pages are read is looked for there again.
func (a *Archive) Conversations(ctx context.Context, fn func(*service.Conversation) error) error {
	type key struct {
		organization model.OrganizationID
		entity       model.EntityID
	}
	seen := map[key]bool{}
	for known, again := int64(-1), true; again; {
		newest := int64(-1)
		again = false
		command := service.ConversationsCommand{PageSize: conversationPage}
		for pages := 0; ; pages++ {
			var found []service.Conversation
			err := a.page(ctx, func(person *model.Actor) (err error) {
				found, command.Continuation, err = a.exporter.service.Conversations(ctx, person, command)
				return err
			})
			if err != nil {
				return err
			}
			ended := command.Continuation == ""
			for i := range found {
				c := &found[i].Conversation
				newest = max(newest, c.LastSort)
				ended = ended || c.LastSort <= known
				at := key{c.Organization, c.Entity}
				if seen[at] {
					continue
				}
				seen[at] = true
				a.note(&found[i])
				if err := fn(&found[i]); err != nil {
					return err
				}
			}
			if ended {
				break
			}
			again = true // what is on later pages may have moved meanwhile
		}
		known = newest
	}
	return nil
}

func (a *Archive) note(c *service.Conversation) {
	t := talk{entity: c.Conversation.Entity, organization: c.Conversation.Organization,
		member: c.Conversation.Group && !c.Conversation.Past}
	if c.LastMessage != nil {
		t.last = c.LastMessage.Sort
	}
	if t.member || t.last > 0 {
		a.talks = append(a.talks, t)
	}
}

// Groups passes each group that the person is in to fn.
func (a *Archive) Groups(ctx context.Context, fn func(*model.Group) error) error {
	for i := range a.talks {
		if !a.talks[i].member {
			continue
		}
		var g model.Group
		err := a.page(ctx, func(person *model.Actor) (err error) {
			g, err = a.exporter.service.Group(ctx, person, model.GroupID(a.talks[i].entity))
			return err
		})
		if model.IsNotFound(err) {
			continue // it has left it since
		}
		if err == nil {
			err = fn(&g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Duty passes each place at which a rota names the person to fn.
func (a *Archive) Duty(ctx context.Context, fn func(*rota.Place) error) error {
	var places []rota.Place
	err := a.page(ctx, func(person *model.Actor) (err error) {
		places, err = a.exporter.service.DutyPlaces(ctx, person)
		return err
	})
	for i := 0; i < len(places) && err == nil; i++ {
		err = fn(&places[i])
	}
	return err
}

// Messages passes each message that the person may see to fn, conversation after
// conversation, of each the oldest first, with the statuses that the person is shown, and its
// escalation where the person has it escalated; nil where not.
func (a *Archive) Messages(ctx context.Context,
	fn func(*model.Message, []model.StatusRow, *model.Escalation) error) error {
	for i := range a.talks {
		t := &a.talks[i]
		err := a.history(ctx, t, func(person *model.Actor, found []model.Message) error {
			ids := make([]model.MessageID, len(found))
			for i := range found {
				ids[i] = found[i].ID
			}
			statuses, err := a.exporter.service.MessageStatuses(ctx, person, ids)
			if err != nil {
				return err
			}
			for i := range found {
				if len(statuses) == 0 {
					break
				}
				if statuses[0].Message != found[i].ID {
					continue // it is gone since
				}
				t.files = t.files || found[i].Attachment != nil
				escalation, err := a.escalation(ctx, person, &found[i])
				if err != nil {
					return err
				}
				if err := fn(&found[i], statuses[0].Rows, escalation); err != nil {
					return err
				}
				statuses = statuses[1:]
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// escalation returns how the person has a message sent on; nil where it does not, or the message is gone since.
func (a *Archive) escalation(ctx context.Context, person *model.Actor, m *model.Message) (*model.Escalation, error) {
	if !m.Escalates {
		return nil, nil
	}
	e, err := a.exporter.service.Escalation(ctx, person, m.ID)
	if model.IsNotFound(err) {
		return nil, nil
	}
	return &e, err
}

// history passes the messages of a conversation to fn, page by page, up to the newest that
// there was at first: so it ends, however fast others write.
func (a *Archive) history(ctx context.Context, t *talk, fn func(*model.Actor, []model.Message) error) error {
	after, more := int64(0), t.last > 0
	for more && after < t.last {
		var found service.History
		var reader *model.Actor
		err := a.page(ctx, func(person *model.Actor) (err error) {
			reader = person
			found, err = a.exporter.service.History(ctx, person, service.HistoryCommand{
				Entity: t.entity.String(), Organization: t.organization, After: &after, Limit: messagePage,
			})
			return err
		})
		if model.IsNotFound(err) {
			return nil // the person sees nothing of it any more
		}
		if err != nil {
			return err
		}
		more = found.More
		if n := len(found.Messages); n > 0 {
			after = found.Messages[n-1].Sort
		}
		found.Messages = slices.DeleteFunc(found.Messages, func(m model.Message) bool { return m.Sort > t.last })
		if len(found.Messages) == 0 {
			return nil
		}
		if err := fn(reader, found.Messages); err != nil {
			return err
		}
	}
	return nil
}

// Lost counts the attachments that are not in an archive as they should be.
type Lost struct {
	Missing int // their files are not there, or their messages are gone by now
	Damaged int // their files are not what was kept: only their beginning is there
}

// Attachments passes the file of each message to fn, which reads it to its end.
func (a *Archive) Attachments(ctx context.Context, fn func(m *model.Message, file io.Reader) error) (l Lost,
	err error) {
	for i := range a.talks {
		if t := &a.talks[i]; t.files {
			err := a.history(ctx, t, func(_ *model.Actor, found []model.Message) error {
				for i := range found {
					if found[i].Attachment == nil {
						continue
					}
					if err := a.attachment(ctx, &found[i], &l, fn); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return l, err
			}
		}
	}
	return l, nil
}

func (a *Archive) attachment(ctx context.Context, m *model.Message, l *Lost,
	fn func(*model.Message, io.Reader) error) error {
	var file blob.Blob
	err := a.page(ctx, func(person *model.Actor) (err error) {
		_, file, err = a.exporter.service.Attachment(ctx, person, m.ID)
		return err
	})
	if model.IsNotFound(err) || model.IsLost(err) || content.Unreadable(err) {
		l.Missing++
		return nil
	}
	if err != nil {
		return err
	}
	err = fn(m, file)
	if content.Unreadable(err) {
		l.Damaged++
		err = nil
	}
	return errors.Join(err, file.Close())
}

// Audit passes the lines of the audit log by the person, and on it, to fn: of its organizations
// and, where the archive tells of all, of the organization that created the account and the
// platform, with the names that the person had. Of what others did it does not tell with which
// key, or from where, if the archive is the person's own.
func (a *Archive) Audit(ctx context.Context, fn func(*model.AuditEntry, *model.AuditNames) error) error {
	var chains []model.OrganizationID
	for _, m := range a.Exported.Memberships {
		chains = append(chains, m.Organization)
	}
	if a.Exported.All {
		chains = append(chains, a.Exported.CreatedBy, "")
	}
	slices.Sort(chains)
	for _, chain := range slices.Compact(chains) {
		if err := a.chain(ctx, chain, fn); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) chain(ctx context.Context, chain model.OrganizationID,
	fn func(*model.AuditEntry, *model.AuditNames) error) error {
	kept := a.exporter.store
	var after, end int64
	err := kept.View(ctx, func(tx *store.Tx) (err error) {
		first, err := auditlog.Entries(tx, auditlog.Query{Chain: chain}, 1)
		if err != nil || len(first) == 0 {
			return err
		}
		after = first[0].Number - 1
		end, err = auditlog.End(tx, chain)
		return err
	})
	for ; err == nil && after < end; after += auditWindow {
		var found []auditlog.Row
		err = a.page(ctx, func(person *model.Actor) (err error) {
			if found = nil; !a.Exported.All && !person.MemberOf(chain) {
				return nil // nor is it shown any more
			}
			found, err = store.Read(ctx, kept, func(tx *store.Tx) ([]auditlog.Row, error) {
				return auditlog.Entries(tx, auditlog.Query{Chain: chain, After: after, Before: min(after+auditWindow, end) + 1,
					About: a.Account}, auditWindow)
			})
			return err
		})
		for i := range found {
			e, names := &found[i].AuditEntry, found[i].Renamed()
			if e.User != a.Account {
				names = nil // they are another person's
			}
			if a.Own && e.Account != a.Account {
				e.Key, e.Address, e.RequestID = "", "", ""
			}
			if err == nil {
				err = fn(e, names)
			}
		}
	}
	return err
}
