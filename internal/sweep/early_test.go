package sweep

import (
	"context"
	"log/slog"
	"slices"
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
	// Some have ended at the first round; four end in a millisecond.
	h.mustEnd(messages, h.now.Add(-20*time.Millisecond), time.Millisecond/4)
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

// Whoever counts hears that more has ended than one transaction removes, and when it is gone.
func TestASweepThatIsBehindIsTold(t *testing.T) {
	h := newHouse(t, "dir:"+t.TempDir(), slog.New(slog.DiscardHandler))
	w := h.sweeper()
	for _, test := range []struct {
		ended int
		told  []bool
	}{{0, []bool{false}}, {endedRows - 1, []bool{false}}, {2*endedRows + 1, []bool{true, true, false}}} {
		h.mustEnd(test.ended, h.now.Add(-time.Minute), 0)
		cases := &listening{}
		w.Cases = cases
		h.must(w.Sweep(t.Context()))
		if !slices.Equal(cases.told, test.told) {
			t.Errorf("with %d messages that have ended, %v was told, want %v", test.ended, cases.told, test.told)
		}
	}
}

// listening are use cases that note what they are told of the sweep.
type listening struct {
	forgetful
	told []bool
}

func (l *listening) SweepBehind(behind bool) { l.told = append(l.told, behind) }

// mustEnd stores messages that end at a time, and one after the other.
func (h *house) mustEnd(messages int, at time.Time, apart time.Duration) {
	h.t.Helper()
	organization := model.Organization{ID: model.OrganizationID(uuid.NewString()), Name: "Clinic", Created: h.now}
	h.must(h.store.Update(h.t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertOrganization(&organization); err != nil {
			return err
		}
		for i := range messages {
			err := tx.InsertMessage(&store.MessageRow{Message: model.Message{ID: model.MessageID(uuid.Must(uuid.NewV7())),
				Organization: organization.ID, Sender: model.AccountID{1}, Recipient: model.EntityID{2},
				Created: at.Add(-time.Hour), Expires: at.Add(time.Duration(i) * apart), Sort: int64(i + 1)}})
			if err != nil {
				return err
			}
		}
		return nil
	}))
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
