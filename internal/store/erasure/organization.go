package erasure

import (
	"slices"
	"strings"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/sealing"
)

// EndOrganization ends an organization, whatever it holds: from the commit on it has no
// members, no roles, no groups and no keys of its scope, and what is queued of it is read by
// nobody. The rest is to be erased: its members, what is beside them, its messages, its groups.
func EndOrganization(tx *store.Tx, id model.OrganizationID) error {
	tx.NoteWithdrawn()
	tx.NoteEveryone()
	if err := tx.Post(`DELETE FROM organizations WHERE organization = ?`, id); err != nil {
		return err
	}
	if err := tx.Post(`INSERT INTO organization_erasures (organization) VALUES (?)`, id); err != nil {
		return err
	}
	if err := tx.NoteAccessOfAll(); err != nil { // of its members, who are perhaps very many
		return err
	}
	return tx.NoteJob(&store.Job{Kind: store.EraseOrganization, Subject: []byte(id)})
}

// NoteTraces notes that what accounts keep of an organization that ends is to be erased, and the
// accounts that it created and that are in no other one, unless these stay.
func NoteTraces(tx *store.Tx, id model.OrganizationID, keepAccounts bool) error {
	state := []byte{0, 0}
	if keepAccounts {
		state[0] = 1
	}
	return tx.NoteJob(&store.Job{Kind: store.EraseTraces, Subject: []byte(id), State: state})
}

// BeingErased reports whether something is left of a deleted organization. While a
// transaction that asks goes on, no other one erases any of it.
func BeingErased(tx *store.Tx, id model.OrganizationID) (bool, error) {
	var one int64
	return tx.One(`SELECT 1 FROM organization_erasures WHERE organization = ? `+tx.Lock(), []any{id}, &one)
}

// memberRows is how many rows go with a member of a deleted organization, where it has
// nothing of it: its membership, a role, and the event that tells it.
const memberRows = 3

// endRows is how many of these are left where it has no role.
const endRows = 2

// Erased counts the rows of a deleted organization that went, by table.
type Erased map[string]int64

// EraseMembers takes the next members out of a deleted organization, with what they have of
// it, and tells them; it writes about so many rows. ended are those that are out: where one
// has very much, there are none yet. more is false where there were none.
func EraseMembers(tx *store.Tx, id model.OrganizationID, rows int) (ended []model.AccountID, erased Erased, more bool,
	err error) {
	tx.NoteWithdrawn()
	erased = Erased{}
	accounts, err := store.Column[model.AccountID](tx, `SELECT account FROM memberships WHERE organization = ? ORDER BY account
		LIMIT ? + 0`, id, max(rows/memberRows, 1))
	if err != nil || len(accounts) == 0 {
		return nil, erased, false, err
	}
	position, err := tx.Position(1, accounts...)
	if err != nil {
		return nil, nil, false, err
	}
	for _, query := range []string{
		`DELETE FROM conversations WHERE (account, organization, entity) IN (SELECT account, organization, entity
			FROM conversations WHERE account IN (?*) AND organization = ? LIMIT ? + 0)`,
		`DELETE FROM mutes WHERE (account, organization, entity) IN (SELECT account, organization, entity
			FROM mutes WHERE account IN (?*) AND organization = ? LIMIT ? + 0)`,
		`DELETE FROM past_members WHERE (account, group_token) IN (SELECT account, group_token
			FROM past_members WHERE account IN (?*) AND organization = ? LIMIT ? + 0)`,
		`DELETE FROM roles WHERE (organization, account, role) IN (SELECT organization, account, role
			FROM roles WHERE account IN (?*) AND organization = ? LIMIT ? + 0)`,
	} {
		n, err := eraseSome(tx, erased, query, accounts, id, rows)
		if rows -= n; err != nil || rows <= 0 {
			return nil, erased, true, err
		}
	}
	n, err := eraseQueued(tx, erased, id, accounts, position, rows)
	if rows -= n; err != nil || rows <= 0 {
		return nil, erased, true, err
	}
	ended = accounts[:min(max(rows/endRows, 1), len(accounts))]
	return ended, erased, true, endMembers(tx, erased, id, ended, position)
}

// eraseQueued takes events of a deleted organization out of the queues of members, and returns
// how many rows that wrote. A queue that is not short is marked.
func eraseQueued(tx *store.Tx, erased Erased, id model.OrganizationID, accounts []model.AccountID, position int64,
	rows int) (written int, err error) {
	tx.NoteWithdrawn()
	number := tx.Existing(id)
	long, err := store.Column[model.AccountID](tx, `SELECT m.account FROM memberships m WHERE m.organization = ?
		AND m.account IN (?*) AND (SELECT 1 FROM events e WHERE e.account = m.account LIMIT 1 OFFSET ? + 0) IS NOT NULL`,
		id, accounts, shortQueue)
	if err != nil {
		return 0, err
	}
	if err := tx.MarkEventsOf(long, id, position); err != nil {
		return 0, err
	}
	written, err = eraseSome(tx, erased, `DELETE FROM kept_events WHERE (account, position) IN (SELECT account, position
		FROM kept_events WHERE account IN (?*) AND organization_number = ? AND position <= ? LIMIT ? + 0)`, accounts, number,
		position, rows)
	if written += len(long); err != nil || written >= rows {
		return written, err
	}
	short := slices.DeleteFunc(slices.Clone(accounts), func(a model.AccountID) bool { return slices.Contains(long, a) })
	if len(short) == 0 {
		return written, nil
	}
	n, err := eraseSome(tx, erased, `DELETE FROM events WHERE (account, position) IN (SELECT account, position
		FROM events WHERE account IN (?*) AND organization_number = ? AND position <= ? LIMIT ? + 0)`, short, number,
		position, rows-written)
	return written + n, err
}

// endMembers takes accounts that have no more than their membership out of a deleted
// organization, and tells them. One that was erased meanwhile is told nothing.
func endMembers(tx *store.Tx, erased Erased, id model.OrganizationID, accounts []model.AccountID,
	position int64) error {
	tx.NotePeople(accounts...)
	// Who remembers them as members finds out by the organization's row, until that goes.
	if err := tx.RaiseAccess(accounts...); err != nil {
		return err
	}
	if err := tx.NoteGrowth(accounts...); err != nil {
		return err
	}
	// It names no organization: they are in this one no more.
	err := tx.Post(`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
		SELECT account, ?, ?, ?, ?, ?, 0 FROM memberships WHERE organization = ? AND account IN (?*)`, position,
		tx.Existing(""), store.KindNumber(model.EventSettings), model.MessageID{}, string(store.Payload{}.Encode()), id,
		accounts)
	if err != nil {
		return err
	}
	_, err = eraseSome(tx, erased, `DELETE FROM memberships WHERE organization = ? AND account IN (?*)`, id, accounts)
	return err
}

// eraseSome runs a statement that removes some rows of a table, and counts them.
func eraseSome(tx *store.Tx, out Erased, query string, args ...any) (int, error) {
	n, err := tx.Exec(query, args...)
	if n > 0 {
		out[strings.Fields(query)[2]] += n // DELETE FROM table
	}
	return int(n), err
}

// EraseBesides removes the next of what a deleted organization without members has besides
// groups and messages: about so many rows, from a kind on, which is 0 at first. Whoever goes on
// with the kind at which it was does not look through all that went before. more is false where
// nothing was left.
func EraseBesides(tx *store.Tx, id model.OrganizationID, from, rows int) (erased Erased, at int, more bool, err error) {
	erased = Erased{}
	if from == 0 {
		if n, err := eraseKeys(tx, id, rows); err != nil || n > 0 {
			return erased, 0, true, err
		}
	}
	for i, query := range []string{
		`DELETE FROM join_requests WHERE (organization, account) IN (SELECT organization, account
			FROM join_requests WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM scim_people WHERE (organization, account) IN (SELECT organization, account
			FROM scim_people WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM roles WHERE (organization, account, role) IN (SELECT organization, account, role
			FROM roles WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM metadata WHERE (organization, entity) IN (SELECT organization, entity
			FROM metadata WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM search_entities WHERE (organization, entity) IN (SELECT organization, entity
			FROM search_entities WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM search_words WHERE (organization, kind, prefix, display_name, entity, word) IN
			(SELECT organization, kind, prefix, display_name, entity, word
			FROM search_words WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM escalation_policies WHERE (organization, name) IN (SELECT organization, name
			FROM escalation_policies WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM figures WHERE (organization, step, begun, node) IN (SELECT organization, step, begun, node
			FROM figures WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM webhook_deliveries WHERE (account, webhook, number) IN (SELECT d.account, d.webhook, d.number
			FROM webhooks w CROSS JOIN webhook_deliveries d WHERE w.organization = ? AND w.organization <> ''
			AND d.account = w.account AND d.webhook = w.webhook LIMIT ? + 0)`,
		`DELETE FROM webhooks WHERE (account, webhook) IN (SELECT account, webhook
			FROM webhooks WHERE organization = ? AND organization <> '' LIMIT ? + 0)`,
		`DELETE FROM provider_domains WHERE domain IN (SELECT domain
			FROM provider_domains WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM subjects WHERE (organization, issuer, subject) IN (SELECT organization, issuer, subject
			FROM subjects WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM subject_keys WHERE (organization, api_key) IN (SELECT organization, api_key
			FROM subject_keys WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM providers WHERE organization IN (SELECT organization
			FROM providers WHERE organization = ? LIMIT ? + 0)`,
		`DELETE FROM passkeys WHERE (account, passkey) IN (SELECT account, passkey
			FROM passkeys WHERE organization = ? AND organization <> '' LIMIT ? + 0)`,
	} {
		if i+1 < from { // the keys are 0
			continue
		}
		if n, err := eraseSome(tx, erased, query, id, rows); err != nil || n > 0 {
			return erased, i + 1, true, err
		}
	}
	return erased, 0, false, nil
}

// eraseKeys removes up to limit keys of an organization's scope, and returns how many those
// were. Who has one without being a member may be issuing another one.
func eraseKeys(tx *store.Tx, scope model.OrganizationID, limit int) (int, error) {
	var names []string
	var holders []model.AccountID
	err := tx.Query(`SELECT api_key, account FROM keys WHERE organization = ? AND organization <> '' LIMIT ? + 0`,
		[]any{scope, limit}, func(row store.Row) error {
			var name string
			var holder model.AccountID
			err := row.Scan(&name, &holder)
			names, holders = append(names, name), append(holders, holder)
			return err
		})
	if err == nil {
		err = tx.LockQueues(holders...)
	}
	if err != nil {
		return 0, err
	}
	return len(names), tx.DeleteKeys(names)
}

// MessagesOf returns up to limit messages of an organization, ended or not, for the
// transaction to delete.
func MessagesOf(tx *store.Tx, organization model.OrganizationID, limit int) ([]store.MessageRow, error) {
	return tx.SelectMessages(`m.organization_number = ? LIMIT ? + 0 `+tx.Lock(), tx.Numbered(organization), limit)
}

// EraseGroups removes the next groups of a deleted organization, with their members, rotas, notes and
// pictures: about so many rows. more is false where there were none.
func EraseGroups(tx *store.Tx, id model.OrganizationID, rows int) (erased Erased, more bool, err error) {
	erased = Erased{}
	groups, err := tx.FirstGroupsIn(id, rows)
	if err == nil {
		ids := make([]model.GroupID, len(groups))
		for i := range groups {
			ids[i] = groups[i].ID
		}
		err = tx.LockGroups(ids...) // so that what is sent to one now is there, or is not sent
	}
	for i := 0; i < len(groups) && rows > 0 && err == nil; i++ {
		g := &groups[i]
		for _, query := range []string{
			`DELETE FROM note_names WHERE (group_token, sort, place) IN (SELECT group_token, sort, place
				FROM note_names WHERE group_token = ? LIMIT ? + 0)`,
			`DELETE FROM notes WHERE (group_token, sort) IN (SELECT group_token, sort
				FROM notes WHERE group_token = ? LIMIT ? + 0)`,
			`DELETE FROM group_members WHERE (group_token, account) IN (SELECT group_token, account
				FROM group_members WHERE group_token = ? LIMIT ? + 0)`,
			`DELETE FROM rota_places WHERE (group_token, part, place) IN (SELECT group_token, part, place
				FROM rota_places WHERE group_token = ? LIMIT ? + 0)`,
			`DELETE FROM rotas WHERE group_token IN (SELECT group_token FROM rotas WHERE group_token = ? LIMIT ? + 0)`,
		} {
			n := 0
			if n, err = eraseSome(tx, erased, query, g.ID, rows); err != nil {
				break
			}
			if rows -= n; rows <= 0 {
				break
			}
		}
		if rows--; err != nil || rows < 0 {
			break
		}
		if err = releaseAvatarOf(tx, g.Entity()); err == nil {
			_, err = eraseSome(tx, erased, `DELETE FROM groups WHERE group_token = ?`, g.ID)
		}
	}
	return erased, len(groups) > 0, err
}

// FinishOrganization forgets a deleted organization of which nothing is left, and lets its keys go.
func FinishOrganization(tx *store.Tx, id model.OrganizationID) error {
	for _, table := range []string{"metadata_sizes", "organization_erasures"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE organization = ?`, id); err != nil {
			return err
		}
	}
	return sealing.NoteKeyEnding(tx, id, store.KeyDay{Day: sealing.AllDays})
}

func releaseAvatarOf(tx *store.Tx, entity model.EntityID) error {
	var blob model.BlobID
	found, err := tx.One(`SELECT blob FROM avatars WHERE entity = ?`, []any{entity}, &blob)
	if err != nil || !found {
		return err
	}
	if err := tx.DeleteAvatar(blob); err != nil {
		return err
	}
	return tx.DropReference(blob)
}

// shortQueue is how long a queue of a member may be from which events are removed. A longer one is
// marked: there may be very many.
const shortQueue = 100
