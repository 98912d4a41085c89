package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// presenter shows queued rows to one reader, and remembers what it has looked up.
type presenter struct {
	service  *Service
	tx       *store.Tx
	actor    *model.Actor
	known    *messageReading
	prompt   bool                               // it answers errWaits rather than wait for the key ring
	muted    Muted                              // nil until it is needed
	met      map[model.AccountID]*access.Target // nil: there is no such account
	entities map[placed]model.Entity
}

// placed is an entity in an organization: an account looks different in each.
type placed struct {
	organization model.OrganizationID
	entity       model.EntityID
}

// event shows one row.
func (p *presenter) event(ctx context.Context, row *store.EventRow) (model.Event, error) {
	event := model.Event{Kind: row.Kind}
	if row.Message != nil {
		var err error
		event.Message, err = p.message(ctx, row)
		return event, err
	}
	stored, err := store.ParsePayload(row.Payload)
	if err != nil {
		return event, fmt.Errorf("read event %d: %w", row.Position, err)
	}
	at := time.UnixMilli(stored.Time).UTC()
	switch row.Kind {
	case model.EventStatus, model.EventGroupStatus:
		event.Status = &model.StatusChange{Message: row.MessageID, Account: stored.Account, Status: stored.Status, Time: at,
			Recalled: stored.Recalled}
	case model.EventEscalated:
		event.Escalated, err = escalatedChange(row.MessageID, &stored)
	case model.EventFriends:
		change := model.FriendChange{Added: stored.Added, Organization: row.Organization}
		change.Entity, err = p.entity(row.Organization, stored.Entity, stored.Group)
		change.Entity = then(change.Entity, stored.Name)
		event.Friend = &change
	case model.EventBang:
		change := model.MemberChange{Added: stored.Added, Sort: stored.Sort, Created: at}
		subject := cmp.Or(stored.Account, p.actor.Account)
		caller := cmp.Or(stored.Caller, subject) // clients know no event without a caller
		if change.Caller, err = p.entity(row.Organization, model.EntityID(caller), false); err != nil {
			return event, err
		}
		if change.Subject, err = p.entity(row.Organization, model.EntityID(subject), false); err != nil {
			return event, err
		}
		change.Target, err = p.entity(row.Organization, stored.Entity, true)
		change.Target = then(change.Target, stored.Name)
		event.Bang = &change
	case model.EventUpdate:
		var entity model.Entity
		entity, err = p.entity(row.Organization, stored.Entity, stored.Group)
		entity = then(entity, stored.Name)
		event.Entity, event.Changed = &entity, &model.GroupChange{Caller: stored.Caller, Sort: stored.Sort}
	case model.EventSettings:
		event.Settings = &model.SettingsChange{Account: p.actor.Account, Organization: row.Organization}
	case model.EventAdminRequest:
		event.AdminRequest = &model.AdminRequest{Account: stored.Account, State: stored.State,
			Organization: cmp.Or(stored.Organization, row.Organization)}
		if stored.Group {
			event.AdminRequest.Group = model.GroupID(stored.Entity)
		}
	case model.EventConversationMute:
		change := model.MuteChange{Account: p.actor.Account, Action: stored.Action}
		if stored.Action != "clear" {
			change.Mute = &model.Mute{Entity: stored.Entity, Group: stored.Group, Organization: row.Organization,
				Minutes: stored.Minutes, Start: at}
		}
		event.Mute = &change
	default:
		err = fmt.Errorf("read event %d: unknown kind %q", row.Position, row.Kind)
	}
	return event, err
}

// then is an entity with the name that it had then, where it is a group that the reader has
// left since, or that was deleted.
func then(e model.Entity, name string) model.Entity {
	if e.Group != nil && e.Group.Deleted {
		g := *e.Group
		g.Name = name
		e.Group = &g
	}
	return e
}

// errWaits says of a read for which others wait that it would take long: a message's key has to
// be looked for, or there is much to look at. It is run again by itself.
var errWaits = errors.New("this is no short read")

// message shows the message of a row. Most are as they were sent, New and not muted: all
// readers share these.
func (p *presenter) message(ctx context.Context, row *store.EventRow) (*model.Message, error) {
	if !row.Message.Opened {
		if p.prompt && !p.service.vault.Ready(row.Message) {
			return nil, errWaits
		}
		content, err := p.service.vault.OpenMessage(ctx, row.Message)
		if err != nil {
			return nil, err
		}
		row.Message.Content = content
		p.known.learn(row.Message)
	}
	if p.muted == nil {
		var err error
		if p.muted, err = mutedBy(p.tx, p.actor.Account, p.service.now()); err != nil {
			return nil, err
		}
	}
	muted := len(p.muted) > 0 && p.muted.Hush(&row.Message.Message, p.service.now())
	if row.Status == row.Message.Status && !muted {
		return &row.Message.Message, nil
	}
	m := row.Message.Message
	m.Status, m.Muted = row.Status, muted
	return &m, nil
}

// entity shows an account or a group as the reader may see it today, an account as
// this organization knows it. Once out of its
// sight, an entity is its token and name.
func (p *presenter) entity(organization model.OrganizationID, id model.EntityID, group bool) (model.Entity, error) {
	seen := placed{organization, id}
	if e, ok := p.entities[seen]; ok {
		return e, nil
	}
	load := p.accountEntity
	if group {
		load = p.groupEntity
	}
	e, err := load(organization, id)
	if err != nil {
		return e, err
	}
	if p.entities == nil {
		p.entities = map[placed]model.Entity{}
	}
	p.entities[seen] = e
	return e, nil
}

// meet reads accounts that are shown next, all with two statements.
func (p *presenter) meet(ids []model.AccountID) error {
	if len(ids) == 0 {
		return nil
	}
	accounts, err := p.tx.Accounts(ids)
	if err != nil {
		return err
	}
	memberships, err := p.tx.MembershipsOfEach(ids)
	if err != nil {
		return err
	}
	if p.met == nil {
		p.met = make(map[model.AccountID]*access.Target, len(ids))
	}
	for _, id := range ids {
		p.met[id] = nil
	}
	for i := range accounts {
		id := accounts[i].ID
		p.met[id] = &access.Target{Account: accounts[i], Memberships: memberships[id]}
	}
	return nil
}

func (p *presenter) accountEntity(organization model.OrganizationID, id model.EntityID) (model.Entity, error) {
	account := model.AccountID(id)
	if _, met := p.met[account]; !met {
		if err := p.meet([]model.AccountID{account}); err != nil {
			return model.Entity{}, err
		}
	}
	t := p.met[account]
	if t != nil && len(t.Memberships) == 0 {
		if ended, err := erasure.Erases(p.tx, account); err != nil {
			return model.Entity{}, err
		} else if ended {
			t = nil // only its rows are there yet
		}
	}
	return seenBy(p.actor, account, t, organization), nil
}

// seenBy shows an account to an actor as an organization knows it; nil is one that is
// gone. Of one that the actor may not see there are the token and the name.
func seenBy(actor *model.Actor, id model.AccountID, t *access.Target, organization model.OrganizationID) model.Entity {
	if t == nil {
		return model.Entity{Account: &model.Account{ID: id}, Organization: organization, Gone: true}
	}
	shown := *t
	if !actor.MaySee(id, t.Memberships) {
		shown.Account = model.Account{ID: id, DisplayName: t.DisplayName}
	}
	e := shown.SeenBy(actor, organization)
	e.Organization = organization
	return e
}

func (p *presenter) groupEntity(organization model.OrganizationID, id model.EntityID) (model.Entity, error) {
	g, found, err := p.tx.Group(model.GroupID(id))
	if err != nil {
		return model.Entity{}, err
	}
	if !found {
		return model.Entity{Group: &model.Group{ID: model.GroupID(id), Organization: organization},
			Organization: organization}, nil
	}
	rights, err := rightsInGroup(p.tx, p.actor, &g)
	if err != nil {
		return model.Entity{}, err
	}
	if g.Deleted || !rights.see {
		g = pastGroup(&g)
	} else if g.Members, g.Count, err = p.tx.FirstGroupMembers(g.ID, model.MostMembersTold); err != nil {
		return model.Entity{}, err
	}
	return model.Entity{Group: &g, Organization: g.Organization}, nil
}

// pastGroup is what there is of a group that its reader may not see any more.
func pastGroup(g *model.Group) model.Group {
	return model.Group{ID: g.ID, Organization: g.Organization, Name: g.Name, Deleted: true}
}
