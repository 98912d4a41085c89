package sweep

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/custody"
	"signet/internal/model"
	"signet/internal/store"
)

func TestMessagesAreSweptAsFastAsTheyEnd(t *testing.T) {
	const round = 5 * time.Second
	for _, c := range []struct {
		what     string
		messages int
		within   time.Duration
		wait     time.Duration // 0: until the next round
	}{
		{"nothing", 0, round, 0},
		{"a few", few, round, 0},
		{"more", 2 * few, round, round / 2},
		{"three thousand a second", 15_000, round, round / 150},
		{"as many as are waited for", few, round / 100, round / 100},
		{"fewer than are waited for", few / 2, round / 100, round / 50},
		{"faster than can be swept", 1_000_000, round, leastPause},
	} {
		var p pace
		p.swept(c.messages, time.Hour)
		p.swept(c.messages, time.Hour+c.within)
		wait, sooner := p.left(time.Hour+c.within, round)
		if sooner != (c.wait > 0) || wait != c.wait {
			t.Errorf("%s in %v: the next sweep is after %v (%v), want %v", c.what, c.within, wait, sooner, c.wait)
		}
	}
}

// What ends in the time between two rounds does not wait for the next one where it is much: each count of what is
// unread looks at it.
func TestManyMessagesAreSweptBetweenRounds(t *testing.T) {
	h := newHouse(t, "dir:"+t.TempDir(), slog.New(slog.DiscardHandler))
	const messages = 2000
	organization := model.Organization{ID: model.OrganizationID(uuid.NewString()), Name: "Clinic", Created: h.now}
	begin := h.now.Add(-20 * time.Millisecond) // some have ended at the first round, and set the pace
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertOrganization(&organization); err != nil {
			return err
		}
		for i := range messages { // four in a millisecond
			expires := begin.Add(time.Duration(i) * time.Millisecond / 4)
			err := tx.InsertMessage(&store.MessageRow{Message: model.Message{ID: model.MessageID(uuid.Must(uuid.NewV7())),
				Organization: organization.ID, Sender: model.AccountID{1}, Recipient: model.EntityID{2},
				Created: begin.Add(-time.Hour), Expires: expires, Sort: int64(i + 1)}})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	w := h.sweeper()
	start := time.Now()
	w.Clock = custody.NewClock(custody.ClockOptions{Store: h.store,
		Now: func() time.Time { return h.now.Add(time.Since(start)) }})
	w.Interval = time.Hour
	swept := make(chan struct{})
	w.Cases = &forgetting{left: messages, over: swept}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx)
	}()
	<-swept
	stop()
	<-ended
}

// forgetting are use cases that say when so many messages were forgotten.
type forgetting struct {
	forgetful
	left int
	over chan struct{}
}

func (f *forgetting) ForgetMessages(ids ...model.MessageID) {
	if f.left -= len(ids); f.left == 0 {
		close(f.over)
	}
}
