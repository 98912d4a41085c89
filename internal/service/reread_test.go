package service_test

import (
	"context"
	"strings"
	"testing"

	"signet/internal/service"
	"signet/internal/store"
)

// rereading runs each read of an engine once more, as one does that has lost its connection at the end.
type rereading struct{ store.Engine }

func (e rereading) View(ctx context.Context, fn func(store.Session) error, traits ...store.Trait) error {
	return e.Engine.View(ctx, func(s store.Session) error {
		if err := fn(s); err != nil {
			return err
		}
		return fn(s)
	}, traits...)
}

// A list of conversations holds as many of them when it is read once more.
func TestConversationsThatAreReadAgainHaveTheSameRoom(t *testing.T) {
	const people = 20
	h := newHouseOn(t, people+1, func(e store.Engine) store.Engine { return rereading{e} })
	ann, body := h.actors[0], strings.Repeat(`"`, 64<<10) // which takes twice as much: all of them more than 2 MiB
	for _, sender := range h.actors[1:] {
		h.mustSend(t, sender, ann.Account, body)
	}
	list, next, err := h.service.Conversations(t.Context(), ann, service.ConversationsCommand{PageSize: people})
	must(t, err)
	if len(list) != people || next != "" {
		t.Errorf("there are %d conversations, want %d and no other page", len(list), people)
	}
}
