package api_test

import (
	"net/netip"
	"testing"

	"signet/internal/export"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/testenv"
)

// What never opens again is in no archive, and keeps nothing else out of it.
func TestArchiveLeavesOutWhatNeverOpensAgain(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	boss := c.mustCreateAdmin(c.org, "boss")
	one := c.alice.mustSend(c.bob.token, "one")
	gone := c.alice.mustSend(c.bob.token, "gone", "dor", true)
	c.harm(gone, 1) // the key of which it says that it is sealed with it
	changed := c.alice.mustSend(c.bob.token, "changed", "dor", true)
	c.harm(changed, -1)
	two := c.alice.mustSend(c.bob.token, "two")
	for _, p := range []*person{c.bob, boss} {
		got := p.mustExport(c.bob.token).lines("messages.jsonl")
		if len(got) != 2 || got[0].text("message_id") != one || got[1].text("message_id") != two {
			t.Errorf("%s: the archive has %s", p.name, got)
		}
	}
	c.log.Take()
}

// While others write, the conversations of an archive move. Each is in it once, with the
// messages that there were when it was listed.
func TestArchiveHasEachConversationOnceWhileOthersWrite(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	ctx := t.Context()
	actor, err := c.access.Authenticate(ctx, c.bob.key, c.bob.secret, netip.MustParseAddr("127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	peers := append([]string{c.alice.token, c.carl.token}, c.mustFillOrganization(c.org, 250)...)
	for _, peer := range peers {
		c.bob.mustSend(peer, "first")
	}
	a, err := export.New(c.store, c.access, c.service, c.clock.Now).Begin(ctx, actor, "me")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	seen := map[string]int{}
	err = a.Conversations(ctx, func(found *service.Conversation) error {
		seen[found.Conversation.Entity.String()]++
		switch len(seen) {
		case 1: // the oldest come to the front, and so out of the pages that are still to be read
			c.alice.mustSend(c.bob.token, "later")
			c.bob.mustSend(c.carl.token, "later")
		case 150:
			c.bob.mustSend(peers[10], "later")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range peers {
		if seen[peer] != 1 {
			t.Errorf("the conversation with %s comes %d times", peer, seen[peer])
		}
	}
	n := 0
	err = a.Messages(ctx, func(*model.Message, []model.StatusRow, *model.Escalation) error {
		n++
		c.bob.mustSend(c.alice.token, "without end")
		return nil
	})
	if want := len(peers) + 3; err != nil || n != want {
		t.Errorf("there are %d messages, %v, want %d", n, err, want)
	}
}
