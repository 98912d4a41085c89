package storetest

import (
	"bytes"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
)

// found looks a message up as those do who are in these organizations.
func (p *platform) found(m *store.MessageRow, organizations ...model.OrganizationID) func(*store.Tx) (store.MessageRow,
	bool, error) {
	return func(tx *store.Tx) (store.MessageRow, bool, error) { return tx.Message(organizations, m.ID, p.now()) }
}

func messages(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	first, second := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)

	t.Run("come_back_as_they_were", func(t *testing.T) {
		bare := p.letter(first, ann, bob)
		bare.Expires, bare.Ends, bare.TTL, bare.Sealed = time.Time{}, time.Time{}, model.NoTTL, []byte{}
		full := p.letter(first, ann, bob)
		full.DOR, full.Priority, full.Group, full.Replay, full.Blob = true, -1, true, true, p.id()
		full.Sealed = bytes.Repeat([]byte{0, 1, 0xff, 'x'}, 1<<16)
		full.Forwarded = &model.Original{Sender: bob, Created: p.now().Add(-time.Hour)}
		full.Sort = 1 << 60
		for _, m := range []*store.MessageRow{bare, full} {
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertMessage(m) })
			wantEqual(t, "message", mustFind(t, p, "it", p.found(m, second, first)), *m)
		}
	})
	t.Run("are_found_in_their_organization_only", func(t *testing.T) {
		m := p.letter(first, ann, bob)
		p.mustSend(t, m)
		mustFind(t, p, "it", p.found(m, first))
		wantMissing(t, p, "it in another organization", p.found(m, second))
		wantMissing(t, p, "it in none", p.found(m))
		wantMissing(t, p, "another one", p.found(p.letter(first, ann, bob), first))
	})
	t.Run("are_unique", func(t *testing.T) {
		m := p.letter(first, ann, bob)
		p.mustSend(t, m)
		err := p.Update(t.Context(), func(tx *store.Tx) error { return tx.InsertMessage(m) })
		wantError(t, "second insert", err, store.ErrConflict)
	})
	t.Run("are_recalled_without_their_content", func(t *testing.T) {
		m, other := p.letter(first, ann, bob), p.letter(first, ann, bob)
		m.Blob = p.id()
		p.mustSend(t, m)
		p.mustSend(t, other)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.RecallMessage(m) })
		want := *m
		want.Recalled, want.Sealed, want.Blob = true, []byte{}, model.BlobID{}
		wantEqual(t, "message", mustFind(t, p, "it", p.found(m, first)), want)
		wantEqual(t, "other message", mustFind(t, p, "other", p.found(other, first)), *other)
		wantEqual(t, "held", mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.BlobInUse(m.Blob) }), false)
	})
}

// messageEnds: what has ended is out of sight at once, and found by the sweep.
func messageEnds(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization := p.mustOrganization(t, ann, bob)
	ended := func(now time.Time, limit int) []model.MessageID {
		t.Helper()
		out := []model.MessageID{}
		for _, m := range mustRead(t, p,
			func(tx *store.Tx) ([]store.MessageRow, error) { return tx.EndedMessages(now, limit) }) {
			out = append(out, m.ID)
		}
		return out
	}
	var sent []*store.MessageRow
	for _, minutes := range []int{30, 10, 20, 0} {
		m := p.letter(organization, ann, bob)
		m.Expires = p.now().Add(time.Duration(minutes) * time.Minute)
		if minutes == 0 {
			m.Expires = time.Time{}
		}
		m.Ends, m.Blob = m.Expires, p.id()
		p.mustSend(t, m)
		sent = append(sent, m)
	}

	t.Run("are_foreseen", func(t *testing.T) {
		now := p.now()
		for _, c := range []struct {
			n         int
			after, by time.Duration // minutes
			want      time.Duration // 0: none
		}{{1, 0, 30, 10}, {2, 0, 30, 20}, {3, 0, 30, 30}, {3, 0, 29, 0}, {4, 0, 60, 0}, {1, 10, 30, 20}, {2, 10, 30, 30}} {
			p.mustUpdate(t, func(tx *store.Tx) error {
				at, found, err := tx.EndOf(c.n, now.Add(c.after*time.Minute), now.Add(c.by*time.Minute))
				if found != (c.want > 0) || found && !at.Equal(now.Add(c.want*time.Minute)) {
					t.Errorf("%+v: got %v, %v", c, at.Sub(now), found)
				}
				return err
			})
		}
	})
	t.Run("at_their_millisecond", func(t *testing.T) {
		p.clock.Set(conformance.Start.Add(10*time.Minute - time.Millisecond))
		mustFind(t, p, "it", p.found(sent[1], organization))
		wantEqual(t, "ended", ended(p.now(), 10), []model.MessageID{})
		p.wantQueued(t, bob, sent...)
		p.wantUnread(t, bob, 4, 0)
		p.clock.Set(conformance.Start.Add(10 * time.Minute))
		wantMissing(t, p, "it", p.found(sent[1], organization))
		wantEqual(t, "ended", ended(p.now(), 10), []model.MessageID{sent[1].ID})
		p.wantQueued(t, bob, sent[0], sent[2], sent[3])
		p.wantUnread(t, bob, 3, 0)
	})
	t.Run("are_listed_the_earliest_first", func(t *testing.T) {
		later := conformance.Start.Add(time.Hour)
		wantEqual(t, "all", ended(later, 10), []model.MessageID{sent[1].ID, sent[2].ID, sent[0].ID})
		wantEqual(t, "two", ended(later, 2), []model.MessageID{sent[1].ID, sent[2].ID})
		wantEqual(t, "in a thousand years", len(ended(conformance.Start.AddDate(1000, 0, 0), 10)), 3)
	})
	t.Run("come_forward_and_never_go_back", func(t *testing.T) {
		end := func(at time.Time) {
			t.Helper()
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.EndMessage(organization, sent[3].ID, at) })
		}
		end(conformance.Start.Add(40 * time.Minute))
		wantEqual(t, "end", mustFind(t, p, "it", p.found(sent[3], organization)).Ends, conformance.Start.Add(40*time.Minute))
		end(conformance.Start.Add(50 * time.Minute))
		wantEqual(t, "end", mustFind(t, p, "it", p.found(sent[3], organization)).Ends, conformance.Start.Add(40*time.Minute))
		wantEqual(t, "expiry", mustFind(t, p, "it", p.found(sent[3], organization)).Expires, time.Time{})
		p.clock.Set(conformance.Start.Add(40 * time.Minute))
		wantMissing(t, p, "it", p.found(sent[3], organization))
	})
	t.Run("leave_nothing_once_deleted", func(t *testing.T) {
		m := sent[1]
		p.mustUpdate(t, func(tx *store.Tx) error {
			if err := takeBack(tx, m); err != nil {
				return err
			}
			return tx.DeleteMessages(*m)
		})
		wantMissing(t, p, "its delivery",
			func(tx *store.Tx) (store.Delivery, bool, error) { return tx.Delivery(organization, m.ID, bob) })
		wantEqual(t, "held", mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.BlobInUse(m.Blob) }), false)
		wantEqual(t, "held by another",
			mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.BlobInUse(sent[0].Blob) }), true)
		wantEqual(t, "ended", ended(p.now(), 10), []model.MessageID{sent[2].ID, sent[0].ID, sent[3].ID})
		p.wantUnread(t, bob, 0, 0)
	})
}
