package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"signet/internal/store"
)

// TestHistoryLeavesOutWhatNeverOpensAgain: it must not keep the rest from its readers. What
// was sealed with a key that is destroyed is gone; what was changed behind the server is its
// operator's to hear of.
func TestHistoryLeavesOutWhatNeverOpensAgain(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	group := c.alice.mustCreateGroup("G", c.bob)
	for _, to := range []string{"bob", group} {
		c.alice.mustSend(to, "one")
		// One that is deleted on reading is in no memory.
		gone := c.alice.mustSend(to, "gone", "dor", true)
		c.alice.mustSend(to, "two")
		c.harm(gone, 1) // the key of which it says that it is sealed with it
		for _, p := range []*person{c.alice, c.bob} {
			entity := to
			if p == c.bob && to == "bob" {
				entity = "alice"
			}
			p.get("/v2/message/" + gone).wantMissing()
			p.wantHistory("its key is gone", entity, "two one")
			p.get("/v2/conversation?page_size=1").want(200)
		}
		changed := c.alice.mustSend(to, "changed", "dor", true)
		c.harm(changed, -1)
		c.bob.get("/v2/message/" + changed).want(500)
		for _, p := range []*person{c.alice, c.bob} {
			entity := to
			if p == c.bob && to == "bob" {
				entity = "alice"
			}
			p.wantHistory("it was changed", entity, "two one")
			p.conversations("")[0].at("last_message").wantFields(fields{"body": "two"})
		}
		if logged := c.log.Take(); !strings.Contains(logged, changed) || strings.Contains(logged, gone) {
			t.Errorf("the log says %s", logged)
		}
	}
}

// harm changes a byte of what is stored of a message, counted from the end where it is below 0.
func (s *server) harm(message string, at int) {
	s.t.Helper()
	id := uuid.MustParse(message)
	var content []byte
	err := s.engine.View(s.t.Context(), func(session store.Session) error {
		return session.Query("SELECT content FROM messages WHERE message = ?", []any{id[:]}, func(row store.Row) error {
			return row.Scan(&content)
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if at < 0 {
		at += len(content)
	}
	content[at] ^= 1
	s.behind("UPDATE messages SET content = ? WHERE message = ?", content, id[:])
}
