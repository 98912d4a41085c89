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
	w.Cases = &forgetting{left: messages - few, over: swept} // the last of them are too few
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
	over chan struct{} // nil once it is closed
}

func (f *forgetting) ForgetMessages(ids ...model.MessageID) {
	if f.left -= len(ids); f.left <= 0 && f.over != nil {
		close(f.over)
		f.over = nil
	}
}
