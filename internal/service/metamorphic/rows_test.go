package metamorphic

import (
	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/store"
)

// finish recounts the stored rows at the end of a sequence, before and after a
// last sweep.
func (p *play) finish(t *rapid.T) {
	p.recount(t)
	p.sweepBoth(t)
	p.finished = true
	p.compare(t)
	p.recount(t)
	for what, query := range map[string]string{
		"messages that have ended":      `SELECT COUNT(*) FROM messages WHERE ends <= ?`,
		"deliveries of no message":      `SELECT COUNT(*) FROM deliveries d WHERE ? > 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.organization_number = d.organization_number AND m.message = d.message)`,
		"queued messages without a row": `SELECT COUNT(*) FROM events e WHERE ? > 0 AND e.kind IN (1, 2) AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.organization_number = e.organization_number AND d.message = e.message AND d.account = e.account AND d.position = e.position)`,
		"rows of no organization":       `SELECT COUNT(*) FROM (SELECT n.organization FROM messages m JOIN organization_numbers n ON n.number = m.organization_number UNION ALL SELECT organization FROM groups UNION ALL SELECT organization FROM memberships UNION ALL SELECT organization FROM search_entities) AS left_over WHERE ? > 0 AND organization NOT IN (SELECT organization FROM organizations)`,
		"notes of no group":             `SELECT COUNT(*) FROM notes WHERE ? > 0 AND group_token NOT IN (SELECT group_token FROM groups WHERE deleted = 0)`,
		"names in no note":              `SELECT COUNT(*) FROM note_names WHERE ? > 0 AND (group_token, sort) NOT IN (SELECT group_token, sort FROM notes)`,
		"past members of no member":     `SELECT COUNT(*) FROM past_members WHERE ? > 0 AND (account, organization) NOT IN (SELECT account, organization FROM memberships)`,
		"escalations of no message":     `SELECT COUNT(*) FROM escalations e WHERE ? > 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.organization_number = e.organization_number AND m.message = e.message)`,
		"targets of no escalation":      `SELECT COUNT(*) FROM escalation_targets t WHERE ? > 0 AND NOT EXISTS (SELECT 1 FROM escalations e WHERE e.organization_number = t.organization_number AND e.message = t.message)`,
		"members of no group":           `SELECT COUNT(*) FROM group_members WHERE ? > 0 AND group_token NOT IN (SELECT group_token FROM groups)`,
	} {
		if n := p.number(t, query, p.world.now.UnixMilli()); n != 0 {
			t.Fatalf("after the last sweep there are %d %s", n, what)
		}
	}
}

// recount compares each stored counter with a count of the rows that it counts.
func (p *play) recount(t *rapid.T) {
	t.Helper()
	type counters struct {
		account      model.AccountID
		organization model.OrganizationID
		entity       model.EntityID
		unread       int
		priority     int
		rows         int
		important    int
	}
	err := p.kept.engine.View(t.Context(), func(s store.Session) error {
		return s.Query(
			`SELECT c.account, c.organization, c.entity, c.unread, c.unread_priority, COUNT(m.message), COALESCE(SUM(CASE WHEN m.priority > 0 THEN 1 ELSE 0 END), 0)
			FROM (SELECT account, organization, entity, unread, unread_priority, cleared FROM conversations
				WHERE entity NOT IN (SELECT group_token FROM groups)
				UNION ALL SELECT p.account, p.organization, p.group_token, g.sent - p.seen, g.sent_priority - p.seen_priority, p.joined
				FROM group_members p JOIN groups g ON g.group_token = p.group_token AND g.deleted = 0) c
			JOIN organization_numbers n ON n.organization = c.organization
			LEFT JOIN deliveries d ON d.account = c.account AND d.organization_number = n.number AND d.status < 2 AND d.position > c.cleared
			LEFT JOIN messages m ON m.organization_number = d.organization_number AND m.message = d.message AND m.recalled = 0
				AND c.entity = CASE WHEN m.is_group = 1 THEN m.recipient ELSE m.sender END
			GROUP BY c.account, c.organization, c.entity, c.unread, c.unread_priority`, nil, func(r store.Row) error {
				var c counters
				if err := r.Scan(&c.account, &c.organization, &c.entity, &c.unread, &c.priority, &c.rows,
					&c.important); err != nil {
					return err
				}
				if c.unread != c.rows || c.priority != c.important {
					t.Fatalf("%s counts %d (%d) unread of %s, and there are %d (%d) rows", c.account, c.unread, c.priority, c.entity,
						c.rows, c.important)
				}
				return nil
			})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// number returns the one number that a statement selects.
func (p *play) number(t *rapid.T, query string, args ...any) (n int) {
	t.Helper()
	err := p.kept.engine.View(t.Context(), func(s store.Session) error {
		return s.Query(query, args, func(r store.Row) error { return r.Scan(&n) })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
