package sweep

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/erasure"
)

// Where an erasure goes on is a place of some kind. What comes of an earlier kind meanwhile, from
// a call that had begun before the organization ended, goes too.
func TestErasureOfOrganizationGoesBackToWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t, filepath.Join(t.TempDir(), "blobs"), slog.New(slog.DiscardHandler))
	const o = model.OrganizationID("o")
	role := func(i int) error {
		return h.store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.PutRole(o, model.AccountID{byte(i >> 8), byte(i)}, model.RoleAdmin)
		})
	}
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		return tx.InsertOrganization(&model.Organization{ID: o, Name: "O", Created: h.now})
	}))
	for i := range 3 {
		h.must(role(i))
	}
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error { return erasure.EndOrganization(tx, o) }))
	rows := int64(0)
	var at remains
	erase := func() (found bool) {
		t.Helper()
		var done part
		from := at
		h.must(h.store.Update(t.Context(), func(tx *store.Tx) (err error) {
			done, at, found, err = next(tx, o, from)
			return err
		}))
		rows += done.erased["roles"]
		return found
	}
	erase()
	if at.stage != besides || at.beside == 0 || rows != 3 {
		t.Fatalf("after the roles, of which %d went, it is at %v", rows, at)
	}
	at = remains{messages, 0}
	h.must(role(3))
	if !erase() || rows != 4 {
		t.Errorf("a role that came late is left: %d of 4 went", rows)
	}
	if erase() {
		t.Error("it is not over")
	}
}

// The command line, too, takes out in pieces what accounts have left of an organization, and goes
// on where it was broken off.
func TestErasureOfOrganizationWritesFewRowsAtATime(t *testing.T) {
	t.Parallel()
	h := newHouse(t, filepath.Join(t.TempDir(), "blobs"), slog.New(slog.DiscardHandler))
	const o, other = model.OrganizationID("o"), model.OrganizationID("other")
	const people, most = 3*pieceRows + 7, 2 * pieceRows
	id := func(i int) model.AccountID { return model.AccountID{1, byte(i >> 8), byte(i)} }
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		err := errors.Join(tx.InsertOrganization(&model.Organization{ID: o, Name: "O", Created: h.now}),
			tx.InsertOrganization(&model.Organization{ID: other, Name: "P", Created: h.now}))
		for i := 0; i < people && err == nil; i++ {
			position, _ := tx.Position(2, id(i))
			err = errors.Join(
				tx.InsertAccount(&model.Account{ID: id(i), DisplayName: "x", CreatedBy: o, Created: h.now}, ""),
				tx.InsertEvent(id(i), position, o, model.EventFriends, model.MessageID{}, []byte("{}")),
				tx.InsertEvent(id(i), position+1, other, model.EventFriends, model.MessageID{}, []byte("{}")))
			for _, of := range []model.OrganizationID{o, other} {
				err = errors.Join(err, tx.ListConversation(id(i), of, model.EntityID(id(0))),
					tx.PutMute(id(i), model.Mute{Organization: of, Entity: model.EntityID(id(0)), Start: h.now}),
					tx.Post(`INSERT INTO requests (account, request, fingerprint, organization, message, ttl, created)
						VALUES (?, ?, ?, ?, ?, 0, 1)`, id(i), "r"+string(of), []byte{1}, of, model.MessageID{1}),
					tx.Post(`INSERT INTO past_members (account, group_token, organization, name, floor, last_message, last_sort,
						stays) VALUES (?, ?, ?, 'g', 0, 0, 0, '')`, id(i), model.GroupID{1, byte(len(of))}, of))
			}
		}
		return err
	}))
	h.engine.most = 0
	broken, stop := context.WithCancel(t.Context())
	h.engine.updates = 0
	h.engine.after = func() {
		if h.engine.updates == 8 {
			stop()
		}
	}
	e := h.sweeper().Eraser()
	job := store.Job{Kind: store.EraseTraces, Subject: []byte(o), State: []byte{1, 0}}
	if _, err := e.traces(broken, &job); !errors.Is(err, context.Canceled) {
		t.Fatalf("it is not broken off: %v", err)
	}
	h.engine.after = nil
	_, err := e.traces(t.Context(), &job)
	h.must(err)
	if h.engine.most > most {
		t.Errorf("a transaction writes %d rows, more than %d", h.engine.most, most)
	}
	for _, table := range []string{"conversations", "mutes", "requests", "past_members", "events"} {
		left := 0
		h.must(h.store.View(t.Context(), func(tx *store.Tx) error {
			_, err := tx.One(`SELECT COUNT(*) FROM `+table, nil, &left)
			return err
		}))
		if left != people {
			t.Errorf("%d rows of %s are left, want the %d of the other organization", left, table, people)
		}
	}
	h.must(h.store.View(t.Context(), func(tx *store.Tx) error {
		made, err := erasure.MadeBy(tx, o, model.AccountID{}, people)
		if len(made) > 0 {
			t.Errorf("%d accounts still tell who created them", len(made))
		}
		return err
	}))
}
