package storetest

import (
	"encoding/binary"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/overview"
)

// messageOverviews looks for messages by the time at which they were sent. Their tokens tell a time of their own,
// which is ahead by a day: so may a server's clock be.
func messageOverviews(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	organization, other := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	begun := p.now()
	at := func(minute int) time.Time { return begun.Add(time.Duration(minute) * time.Minute) }
	var sent []model.MessageID
	for minute := range 20 {
		m := p.letter(organization, ann, bob)
		m.Created = at(minute)
		var token [8]byte
		binary.BigEndian.PutUint64(token[:], uint64(m.Created.Add(24*time.Hour).UnixMilli())<<16)
		copy(m.ID[:6], token[:6])
		p.mustSend(t, m)
		sent = append(sent, m.ID)
	}
	p.mustSend(t, p.letter(other, ann, bob))
	before := func(id model.MessageID, limit int) (out []model.MessageID) {
		t.Helper()
		for _, m := range mustRead(t, p, func(tx *store.Tx) ([]overview.SentMessage, error) {
			return overview.SentBefore(tx, organization, id, limit)
		}) {
			out = append(out, m.ID)
			if m.Sender != ann || m.Recipient != model.EntityID(bob) || m.Created.Before(begun) {
				t.Errorf("got %+v", m)
			}
		}
		return out
	}
	wantEqual(t, "the newest", before(overview.LastToken, 2), []model.MessageID{sent[19], sent[18]})
	wantEqual(t, "before one", before(sent[2], 9), []model.MessageID{sent[1], sent[0]})
	wantEqual(t, "before the first", len(before(sent[0], 9)), 0)
	for _, tt := range []struct {
		since time.Time
		want  int // how many were sent before
	}{{at(-1), 0}, {at(0), 0}, {at(1), 1}, {at(7).Add(time.Second), 8}, {at(19), 19}, {at(20), 20}, {time.Time{}, 0}} {
		id := mustRead(t, p, func(tx *store.Tx) (model.MessageID, error) {
			return overview.FirstSentSince(tx, organization, tt.since)
		})
		wantEqual(t, "before "+tt.since.String(), len(before(id, 100)), tt.want)
	}
}
