package store

import (
	"cmp"
	"fmt"

	"signet/internal/model"
)

const groupColumns = `g.group_token, g.organization, g.name, g.description, g.avatar, g.created_by, g.created,
	g.replay_history, g.is_public, g.everyone, g.duty, g.directory, g.external_id, CASE WHEN ` + OfStanding + `g.organization)) THEN g.deleted ELSE 1 END`

func scanGroup(g *model.Group, row Row) error {
	var created int64
	if err := row.Scan(&g.ID, &g.Organization, &g.Name, &g.Description, &g.Avatar, &g.CreatedBy, &created,
		&g.ReplayHistory, &g.Public, &g.Everyone, &g.Duty, &g.Directory, &g.ExternalID, &g.Deleted); err != nil {
		return err
	}
	g.Created = FromMillis(created)
	return nil
}

// InsertGroup adds a group without members and without a rota. It returns ErrConflict where a directory keeps
// the group, and another one of that name.
func (tx *Tx) InsertGroup(g *model.Group) error {
	return tx.putGroup(g, `INSERT INTO groups (group_token, organization, name, description, avatar, created_by, created,
		replay_history, is_public, everyone, duty, directory, folded, external_id, deleted, sent, sent_priority,
			last_message, last_sort)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, 0, 0, 0, 0, 0)`,
		g.ID, g.Organization, g.Name, g.Description, g.Avatar, g.CreatedBy, Millis(g.Created), g.ReplayHistory, g.Public,
		g.Everyone, g.Directory, directoryName(g), g.ExternalID)
}

// UpdateGroup stores what may change of a group, its deletion included. It returns ErrConflict as InsertGroup
// does.
func (tx *Tx) UpdateGroup(g *model.Group) error {
	return tx.putGroup(g,
		`UPDATE groups SET name = ?, folded = ?, description = ?, avatar = ?, replay_history = ?, is_public = ?,
			external_id = ?, deleted = ? WHERE group_token = ?`,
		g.Name, directoryName(g), g.Description, g.Avatar, g.ReplayHistory, g.Public, g.ExternalID, g.Deleted, g.ID)
}

// Group returns a group without its members; a deleted one too.
func (tx *Tx) Group(id model.GroupID) (model.Group, bool, error) {
	asked, err := tx.AskGroup(id)
	if err == nil {
		err = tx.Await()
	}
	return asked.Row, asked.Found, err
}

// AskGroup asks for a group.
func (tx *Tx) AskGroup(id model.GroupID) (*Asked[model.Group], error) {
	return AskFirst(tx, `SELECT `+groupColumns+` FROM groups g WHERE g.group_token = ?`, []any{id}, scanGroup)
}

// GroupOfEveryone finds the group that always holds all members of an organization.
func (tx *Tx) GroupOfEveryone(organization model.OrganizationID) (id model.GroupID, found bool, err error) {
	found, err = tx.One(`SELECT group_token FROM groups WHERE organization = ? AND everyone = 1 AND deleted = 0`,
		[]any{organization}, &id)
	return id, found, err
}

// MembersOfEach lists the members of several groups, of each in the order in which they joined.
func (tx *Tx) MembersOfEach(ids []model.GroupID) (map[model.GroupID][]model.AccountID, error) {
	out := make(map[model.GroupID][]model.AccountID, len(ids))
	err := tx.Query(`SELECT group_token, account FROM group_members WHERE group_token IN (?*)
		ORDER BY group_token, joined, account`, []any{ids}, func(row Row) error {
		var group model.GroupID
		var account model.AccountID
		err := row.Scan(&group, &account)
		out[group] = append(out[group], account)
		return err
	})
	return out, err
}

// GroupMembers lists the members of a group, in the order in which they joined.
// Of a deleted group it lists who was in it at the end.
func (tx *Tx) GroupMembers(id model.GroupID) ([]model.AccountID, error) {
	return Column[model.AccountID](tx,
		`SELECT account FROM group_members WHERE group_token = ? ORDER BY joined, account`, id)
}

// NewestMember returns the last member of a group, where there is one and positions of
// different queues are not in one order by themselves.
func (tx *Tx) NewestMember(id model.GroupID) (newest []model.AccountID, err error) {
	if !tx.Locks() {
		return nil, nil
	}
	var account model.AccountID
	found, err := tx.One(`SELECT account FROM group_members WHERE group_token = ? ORDER BY joined DESC, account DESC
		LIMIT 1`, []any{id}, &account)
	if found {
		newest = append(newest, account)
	}
	return newest, err
}

// FirstGroupMembers is GroupMembers where a group has at most so many; else it returns
// none, and how many there are.
func (tx *Tx) FirstGroupMembers(id model.GroupID, most int) (out []model.AccountID, count int, err error) {
	n, err := tx.CountGroupMembers(id)
	if err != nil || n > most {
		return nil, n, err
	}
	out, err = tx.GroupMembers(id)
	return out, 0, err
}

// Readers are the members of a group but the sender of a message, in no particular order.
type Readers struct {
	Accounts []model.AccountID
	Ready    []model.AccountID // those of them that do not wait for earlier messages
	Member   bool              // the sender is a member too
	Behind   bool              // something is still to be done to the group in pieces
}

// GroupReaders lists the readers of a group. It is for the way of a message.
func (tx *Tx) GroupReaders(organization model.OrganizationID, id model.GroupID,
	sender model.AccountID) (r Readers, err error) {
	if err = tx.AskGroupReaders(organization, id, sender, &r); err == nil {
		err = tx.Await()
	}
	return r, err
}

// AskGroupReaders is GroupReaders of which the answer is in r after Await.
func (tx *Tx) AskGroupReaders(organization model.OrganizationID, id model.GroupID, sender model.AccountID,
	r *Readers) error {
	*r = Readers{}
	var account model.AccountID
	var history int64
	dest := []any{&account, &history, &r.Behind}
	return tx.Ask(`SELECT account, history, EXISTS (SELECT 1 FROM pieces WHERE organization = ? AND group_token = ?)
		FROM group_members WHERE group_token = ?`, []any{organization, Optional(id), id}, func(row Row) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		switch {
		case account == sender:
			r.Member = true
		case history == 0:
			r.Ready = append(r.Ready, account)
			fallthrough
		default:
			r.Accounts = append(r.Accounts, account)
		}
		return nil
	})
}

// IsGroupMember reports whether an account is in a group.
func (tx *Tx) IsGroupMember(id model.GroupID, account model.AccountID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM group_members WHERE group_token = ? AND account = ?`, []any{id, account}, &one)
}

// CountGroupMembers returns how many accounts are in a group.
func (tx *Tx) CountGroupMembers(id model.GroupID) (n int, err error) {
	_, err = tx.One(`SELECT COUNT(*) FROM group_members WHERE group_token = ?`, []any{id}, &n)
	return n, err
}

// AddGroupMembers puts accounts into a group, and the group into their rosters. Their
// order is that of the slice, from a position on. Nothing of the group that is there, or
// that they had when they were in it before, counts with them. What was sent after history
// is still to be queued with them (Replay); 0 is nothing. Of its notes they get those of a stay
// without an end; where it is zero, those from now on.
func (tx *Tx) AddGroupMembers(g *model.Group, accounts []model.AccountID, position, history int64, stay Stay) error {
	for i, account := range accounts {
		joined := position + int64(i)
		floor := cmp.Or(history, joined)
		if stay.From == 0 {
			stay = Stay{History: joined, From: joined}
		}
		if err := tx.Post(
			`INSERT INTO group_members (group_token, account, organization, joined, since, seen, seen_priority, last_message,
				last_sort, floor, updated, history, notes, notes_history)
			SELECT ?, ?, g.organization, ?, sent, sent, sent_priority, 0, COALESCE(p.last_sort, 0),
			CASE WHEN p.last_sort > 0 AND p.floor < ? THEN p.floor ELSE ? END, 0, ?, ?, ?
			FROM groups g LEFT JOIN past_members p ON p.account = ? AND p.group_token = g.group_token WHERE g.group_token = ?
			ON CONFLICT (group_token, account) DO NOTHING`, g.ID, account, joined, floor, floor, history, stay.From,
			stay.History, account, g.ID); err != nil {
			return err
		}
	}
	return nil
}

// RemoveGroupMembers takes accounts out of a group. What they were told that it is now, and
// have not read, is nothing to them any more. Its messages that they got stay theirs, and its notes
// up to a sort, as long as they are in the organization: who has left that has nothing of it any more,
// also where it has come back before its turn.
func (tx *Tx) RemoveGroupMembers(id model.GroupID, accounts []model.AccountID, until int64) error {
	if err := tx.deleteUpdates(id, accounts); err != nil {
		return err
	}
	if err := tx.Post(`INSERT INTO past_members (account, group_token, organization, name, floor, last_message, last_sort,
			stays)
		SELECT p.account, p.group_token, p.organization, g.name, p.floor, g.last_message, `+memberLastSort+`,
		CASE WHEN p.notes_history < 0 THEN '(' || CAST(-1 - p.notes_history AS TEXT)
			ELSE '[' || CAST(p.notes_history AS TEXT) END || ',' || CAST(p.notes AS TEXT) || ?
		FROM group_members p JOIN groups g ON g.group_token = p.group_token
		JOIN memberships m ON m.organization = p.organization AND m.account = p.account AND m.since <= p.joined
		WHERE p.group_token = ? AND p.account IN (?*)
		ON CONFLICT (account, group_token) DO UPDATE SET name = excluded.name, floor = excluded.floor,
		last_message = excluded.last_message, last_sort = excluded.last_sort,
		stays = SUBSTR(past_members.stays || excluded.stays,
			CAST(CASE WHEN LENGTH(past_members.stays || excluded.stays) > ?
				THEN LENGTH(past_members.stays || excluded.stays) - ? ELSE 1 END AS INTEGER))`, fmt.Sprintf(",%d]", until), id, accounts, mostStays, mostStays); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM group_members WHERE group_token = ? AND account IN (?*)`, id, accounts)
}

// ClearGroup has an account that is in a group no more, or in one that was deleted, see
// nothing of it up to a position any more.
func (tx *Tx) ClearGroup(account model.AccountID, organization model.OrganizationID, id model.GroupID,
	position int64) error {
	if err := tx.ClearConversation(account, organization, model.EntityID(id), position); err != nil {
		return err
	}
	if err := tx.Post(`UPDATE past_members SET floor = last_sort, stays = REPLACE(stays, '[', '(')
		WHERE account = ? AND group_token = ?`, account, id); err != nil {
		return err
	}
	// The row of a member stays when its group is deleted, and so would the rest of the history go on coming.
	return tx.Post(`UPDATE group_members SET history = 0, notes_history = CASE WHEN notes_history < 0 THEN notes_history
		ELSE -1 - notes_history END, floor = (SELECT CASE WHEN g.sent > group_members.since THEN g.last_sort
		ELSE group_members.last_sort END FROM groups g WHERE g.group_token = group_members.group_token)
		WHERE group_token = ? AND account = ?`, id, account)
}

// PastGroupName returns the name that a group had when an account left it; found is false where it never
// did.
func (tx *Tx) PastGroupName(account model.AccountID, id model.GroupID) (name string, found bool, err error) {
	found, err = tx.One(`SELECT name FROM past_members WHERE account = ? AND group_token = ?`, []any{account, id}, &name)
	return name, found, err
}

// deletePastMember forgets which groups of an organization an account was in.
func (tx *Tx) deletePastMember(account model.AccountID, organization model.OrganizationID) error {
	return tx.Post(`DELETE FROM past_members WHERE account = ? AND organization = ?`, account, organization)
}

// GroupsOf lists the groups of an organization that an account is in.
func (tx *Tx) GroupsOf(account model.AccountID, organization model.OrganizationID) ([]model.Group, error) {
	return tx.groups(
		`g.deleted = 0 AND g.group_token IN (SELECT group_token FROM group_members WHERE account = ? AND organization = ?)
			ORDER BY g.group_token`, account, organization)
}

// GroupsAmong returns those of the groups that exist, deleted ones too.
func (tx *Tx) GroupsAmong(ids []model.GroupID) ([]model.Group, error) {
	return tx.groups(`g.group_token IN (?*)`, ids)
}

// GroupsIn lists all groups of an organization.
func (tx *Tx) GroupsIn(organization model.OrganizationID) ([]model.Group, error) {
	return tx.groups(`g.organization = ? ORDER BY g.group_token`, organization)
}

// FirstGroupsIn lists up to limit groups of an organization, in the order of their tokens.
func (tx *Tx) FirstGroupsIn(organization model.OrganizationID, limit int) ([]model.Group, error) {
	return tx.groups(`g.organization = ? ORDER BY g.group_token LIMIT ? + 0`, organization, limit)
}

func (tx *Tx) groups(where string, args ...any) ([]model.Group, error) {
	return List(tx, `SELECT `+groupColumns+` FROM groups g WHERE `+where, args,
		scanGroup)
}
