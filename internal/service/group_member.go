package service

import (
	"context"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// AddGroupMembers puts accounts into a group; one that is there stays there
// (contract, call 9).
func (s *Service) AddGroupMembers(ctx context.Context, actor *model.Actor, id model.GroupID, addresses []string) error {
	if len(addresses) == 0 {
		return membersRequired()
	}
	now := s.now()
	return s.changeGroup(ctx, actor, id, func(tx *store.Tx, actor *model.Actor) ([]model.AccountID, error) {
		g, rights, err := groupOf(tx, actor, id)
		if err != nil {
			return nil, err
		}
		named, err := s.membersNamed(tx, actor, g.Organization, addresses)
		if err != nil {
			return nil, err
		}
		alone := len(named) == 1 && named[0] == actor.Account
		if !rights.change && !(g.Public && alone) {
			return nil, model.NotAllowed()
		}
		entering := slices.DeleteFunc(named, func(a model.AccountID) bool { return slices.Contains(g.Members, a) })
		if err := s.withinGroupLimit(len(g.Members) + len(entering)); err != nil {
			return nil, err
		}
		history, err := history(tx, &g, entering, now)
		if err != nil {
			return nil, err
		}
		if err := s.addToGroup(tx, actor, &g, entering, history, true, now); err != nil {
			return nil, err
		}
		if rights.member || !rights.change { // the rest may only join what is public
			return g.Members, nil
		}
		return g.Members, s.recordOnGroup(ctx, tx, actor, model.ActionGroupMemberAdd, g.Organization, id)
	})
}

func membersRequired() *model.Error {
	return model.Invalidf("members_required", "members", "Members are required.")
}

// RemoveGroupMembers takes accounts out of a group; one that is not there is
// fine. A member may always take out itself (contract, call 10).
func (s *Service) RemoveGroupMembers(ctx context.Context, actor *model.Actor, id model.GroupID,
	addresses []string) error {
	if len(addresses) == 0 {
		return membersRequired()
	}
	return s.changeGroup(ctx, actor, id, func(tx *store.Tx, actor *model.Actor) ([]model.AccountID, error) {
		g, rights, err := groupOf(tx, actor, id)
		if err != nil {
			return nil, err
		}
		if !rights.change {
			return nil, model.NotAllowed()
		}
		var leaving []model.AccountID
		for _, address := range addresses {
			account, err := s.access.ResolveAccount(tx, actor, address)
			switch {
			case model.IsNotFound(err):
			case err != nil:
				return nil, err
			case slices.Contains(g.Members, account) && !slices.Contains(leaving, account):
				leaving = append(leaving, account)
			}
		}
		told, err := s.removeFromGroup(tx, actor, &g, leaving, true)
		if err != nil || rights.member {
			return told, err
		}
		return told, s.recordOnGroup(ctx, tx, actor, model.ActionGroupMemberRemove, g.Organization, id)
	})
}

// enterGroup puts accounts into a group and into their rosters, and tells each
// of them with a friends event. It tells nobody else.
func (s *Service) enterGroup(tx *store.Tx, g *model.Group, entering []model.AccountID) error {
	if len(entering) == 0 {
		return nil
	}
	position, err := tx.Position(len(entering), entering...)
	if err != nil {
		return err
	}
	if err := tx.AddGroupMembers(g, entering, position); err != nil {
		return err
	}
	added := store.Payload{Added: true, Entity: g.Entity(), Group: true}
	return tx.InsertEvents(entering, position, g.Organization, model.EventFriends, added.Encode())
}

// history lists what of a group's earlier messages those who enter it get. It locks
// these, and the queues of all whom the change concerns, so that it comes before
// anything is changed.
func history(tx *store.Tx, g *model.Group, entering []model.AccountID, now time.Time) (messages []store.MessageRow,
	err error) {
	if g.ReplayHistory && len(entering) > 0 {
		if messages, err = tx.ReplayableMessages(g.ID, now, replayLimit); err != nil {
			return nil, err
		}
	}
	return messages, tx.LockQueues(append(slices.Clone(g.Members), entering...)...)
}

// addToGroup adds accounts that are not in the group, with its history, and
// tells everybody, unless the caller does. g.Members has them afterwards.
func (s *Service) addToGroup(tx *store.Tx, actor *model.Actor, g *model.Group, entering []model.AccountID,
	history []store.MessageRow, tell bool, now time.Time) error {
	if len(entering) == 0 {
		return nil
	}
	if err := s.enterGroup(tx, g, entering); err != nil {
		return err
	}
	g.Members = append(g.Members, entering...)
	if tell {
		if err := s.tell(tx, g, actor.Account, entering, g.Members, true, now); err != nil {
			return err
		}
	}
	for _, account := range entering {
		if err := replayHistory(tx, account, history); err != nil {
			return err
		}
	}
	return nil
}

// replayHistory queues earlier messages of a group that an account never had.
func replayHistory(tx *store.Tx, account model.AccountID, history []store.MessageRow) error {
	if len(history) == 0 {
		return nil
	}
	position, err := tx.Position(len(history), account)
	if err != nil {
		return err
	}
	for i := range history {
		row := &history[i]
		_, had, err := tx.Delivery(row.Organization, row.ID, account)
		if err != nil {
			return err
		}
		if had || row.Sender == account {
			continue
		}
		at := position + int64(i)
		if err := tx.InsertDelivery(row, account, at, true); err != nil {
			return err
		}
		if err := tx.InsertEvent(account, at, row.Organization, model.EventGroupMessage, row.ID, nil); err != nil {
			return err
		}
		if err := tx.NoteReceived(row, account); err != nil {
			return err
		}
	}
	return nil
}

// removeFromGroup takes members out of a group and tells them and those who
// stay, unless the caller does. It returns all of them; g.Members has those who
// stay.
func (s *Service) removeFromGroup(tx *store.Tx, actor *model.Actor, g *model.Group, leaving []model.AccountID,
	tell bool) ([]model.AccountID, error) {
	if len(leaving) == 0 {
		return nil, nil
	}
	if g.Members == nil {
		members, err := tx.GroupMembers(g.ID)
		if err != nil {
			return nil, err
		}
		g.Members = members
	}
	told := slices.Clone(g.Members)
	if tell {
		if err := s.tell(tx, g, actor.Account, leaving, told, false, s.now()); err != nil {
			return nil, err
		}
	}
	if err := s.exitGroup(tx, g, leaving); err != nil {
		return nil, err
	}
	if err := tx.RemoveGroupMembers(g.ID, leaving); err != nil {
		return nil, err
	}
	g.Members = slices.DeleteFunc(g.Members, func(a model.AccountID) bool { return slices.Contains(leaving, a) })
	return told, nil
}

// exitGroup tells each of the accounts that leave a group, or whose group is deleted,
// that it is not in their roster any more, with a friends event.
func (s *Service) exitGroup(tx *store.Tx, g *model.Group, leaving []model.AccountID) error {
	position, err := tx.Position(1, leaving...)
	if err != nil {
		return err
	}
	gone := store.Payload{Entity: g.Entity(), Group: true}
	return tx.InsertEvents(leaving, position, g.Organization, model.EventFriends, gone.Encode())
}

// tell queues a bang for every reader and every account that came or went, or,
// for a crowd, one update for every reader.
func (s *Service) tell(tx *store.Tx, g *model.Group, caller model.AccountID, subjects, readers []model.AccountID,
	added bool, now time.Time) error {
	if len(subjects) > crowd {
		return tellAll(tx, g, readers...)
	}
	position, err := tx.Position(len(subjects), readers...)
	if err != nil {
		return err
	}
	for i, subject := range subjects {
		change := store.Payload{Added: added, Caller: caller, Account: subject, Entity: g.Entity(), Time: now.UnixMilli()}
		if err := tx.InsertEvents(readers, position+int64(i), g.Organization, model.EventBang, change.Encode()); err != nil {
			return err
		}
	}
	return nil
}

// tellEach queues one bang for each member of a new group, itself as subject.
func (s *Service) tellEach(tx *store.Tx, g *model.Group, caller model.AccountID, members []model.AccountID,
	now time.Time) error {
	if len(members) == 0 {
		return nil
	}
	position, err := tx.Position(1, members...)
	if err != nil {
		return err
	}
	for _, member := range members {
		change := store.Payload{Added: true, Caller: caller, Account: member, Entity: g.Entity(), Time: now.UnixMilli()}
		if err := tx.InsertEvent(member, position, g.Organization, model.EventBang, model.MessageID{},
			change.Encode()); err != nil {
			return err
		}
	}
	return nil
}

// tellAll queues an update of the group for its members, or for these readers.
func tellAll(tx *store.Tx, g *model.Group, readers ...model.AccountID) error {
	if readers == nil {
		readers = g.Members
	}
	if len(readers) == 0 {
		return nil
	}
	position, err := tx.Position(1, readers...)
	if err != nil {
		return err
	}
	update := store.Payload{Entity: g.Entity(), Group: true}
	return tx.InsertEvents(readers, position, g.Organization, model.EventUpdate, update.Encode())
}
