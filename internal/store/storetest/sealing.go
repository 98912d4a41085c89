package storetest

import (
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
	"signet/internal/store/metadata"
	"signet/internal/store/sealing"
)

// keyDays: what is left of a day tells whether its key may go, in an organization of
// few messages and in one of many, which is asked in another way.
func keyDays(t *testing.T, h conformance.Harness) {
	t.Run("few", func(t *testing.T) { keyDaysBeside(t, h, 0) })
	t.Run("many", func(t *testing.T) { keyDaysBeside(t, h, 120) })
}

func keyDaysBeside(t *testing.T, h conformance.Harness, others int) {
	p, ann, bob := newPair(t, h)
	organization, other := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	send := func(o model.OrganizationID, minutes int) *store.MessageRow {
		t.Helper()
		m := p.letter(o, ann, bob)
		m.TTL, m.Expires = minutes, p.now().Add(time.Duration(minutes)*time.Minute)
		if minutes == model.NoTTL {
			m.Expires = time.Time{}
		}
		m.Ends = m.Expires
		p.mustSend(t, m)
		return m
	}
	wantLeft := func(what string, o model.OrganizationID, day store.KeyDay, want bool) {
		t.Helper()
		got := mustRead(t, p, func(tx *store.Tx) (bool, error) { return sealing.MessagesLeft(tx, o, day, p.now()) })
		if got != want {
			t.Errorf("%s: a message is left of %+v: %v, want %v", what, day, got, want)
		}
	}
	delete := func(m *store.MessageRow) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMessages(*m) })
	}
	const day = 24 * 60
	for range others {
		send(organization, 30*day)
	}

	t.Run("are_those_of_the_expiry_or_of_the_sending", func(t *testing.T) {
		today := p.now().UnixMilli() / (24 * time.Hour).Milliseconds()
		wantEqual(t, "one that expires", send(other, 3*day).KeyDay(), store.KeyDay{Day: today + 3})
		wantEqual(t, "one that lasts", send(other, model.NoTTL).KeyDay(), store.KeyDay{Lasting: true, Day: today})
		if start := (store.KeyDay{Day: today}).Start(); start.After(p.now()) || p.now().Sub(start) >= 24*time.Hour {
			t.Errorf("today begins at %v, and it is %v", start, p.now())
		}
	})
	for name, minutes := range map[string]int{"of_messages_that_expire": 2 * day, "of_messages_that_last": model.NoTTL} {
		t.Run(name, func(t *testing.T) {
			first := send(organization, minutes)
			of := first.KeyDay()
			second := send(organization, minutes)
			wantLeft("with two", organization, of, true)
			wantLeft("the day after", organization, store.KeyDay{Lasting: of.Lasting, Day: of.Day + 1}, false)
			wantLeft("the day before", organization, store.KeyDay{Lasting: of.Lasting, Day: of.Day - 1}, false)
			wantLeft("the same day of the other kind", organization, store.KeyDay{Lasting: !of.Lasting, Day: of.Day}, false)
			delete(first)
			wantLeft("with one", organization, of, true)
			p.mustUpdate(t, func(tx *store.Tx) error { return tx.RecallMessage(second) })
			wantLeft("with one that was recalled", organization, of, false)

			// One that ends sooner than its day is left until it is deleted.
			third := send(organization, minutes)
			p.mustUpdate(t, func(tx *store.Tx) error {
				return tx.EndMessage(organization, third.ID,
					p.now().Add(model.ReadGrace))
			})
			wantLeft("with one that is read", organization, of, true)
			p.clock.Set(p.now().Add(time.Hour))
			wantLeft("with one that has ended and is not swept", organization, of, true)
			delete(third)
			wantLeft("with none", organization, of, false)
		})
	}
	t.Run("are_each_organizations_own", func(t *testing.T) {
		m := send(organization, day)
		wantLeft("its own", organization, m.KeyDay(), true)
		wantLeft("another's", other, m.KeyDay(), false)
	})
}

// keyEndings: what was noted stays until all of it is done.
func keyEndings(t *testing.T, h conformance.Harness) {
	p := newPlatform(t, h)
	o := p.mustOrganization(t, p.mustAccount(t, "ann").ID)
	day := store.KeyDay{Lasting: true, Day: 20_000}
	note := func() {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return sealing.NoteKeyEnding(tx, o, day) })
	}
	noted := func() []sealing.KeyEnding {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]sealing.KeyEnding, error) { return sealing.KeyEndings(tx, 10) })
	}
	forget := func(e sealing.KeyEnding) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error { return sealing.DeleteKeyEnding(tx, e) })
	}
	note()
	note()
	seen := noted()
	if len(seen) != 1 || seen[0].Organization != o || seen[0].Day != day || seen[0].All() {
		t.Fatalf("noted %+v, want the day once", seen)
	}
	note()
	forget(seen[0])
	if seen = noted(); len(seen) != 1 {
		t.Fatalf("what was noted meanwhile is forgotten: %+v", seen)
	}
	forget(seen[0])
	wantEqual(t, "noted", len(noted()), 0)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.FinishOrganization(tx, o) })
	if seen = noted(); len(seen) != 1 || !seen[0].All() || seen[0].Organization != o {
		t.Errorf("noted %+v, want all keys of the organization", seen)
	}
}

// sealedRows: everything that holds sealed content can be gone through, and the ring is one.
func sealedRows(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	var sent []*store.MessageRow
	for _, o := range []model.OrganizationID{p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)} {
		for range 3 {
			m := p.letter(o, ann, bob)
			if len(sent)%2 == 0 {
				m.Expires, m.Ends, m.TTL = time.Time{}, time.Time{}, model.NoTTL
			}
			p.mustSend(t, m)
			sent = append(sent, m)
		}
	}
	t.Run("goes_through_messages_in_order", func(t *testing.T) {
		var got []model.MessageID
		var o model.OrganizationID
		var id model.MessageID
		for {
			rows := mustRead(t, p, func(tx *store.Tx) ([]store.MessageRow, error) { return sealing.MessagesAfter(tx, o, id, 2) })
			if len(rows) == 0 {
				break
			}
			for _, m := range rows {
				got = append(got, m.ID)
				o, id = m.Organization, m.ID
			}
		}
		var want []model.MessageID
		for _, m := range sent {
			want = append(want, m.ID)
		}
		wantEqual(t, "messages", got, want)
	})
	t.Run("goes_through_metadata_in_order", func(t *testing.T) {
		entities := []model.EntityID{p.id(), p.id(), p.id()}
		o := sent[0].Organization
		for _, e := range entities {
			p.mustUpdate(t, func(tx *store.Tx) error { return putMetadata(tx, o, e, []byte("{}")) })
		}
		after := func(o model.OrganizationID, e model.EntityID, limit int) []metadata.Row {
			t.Helper()
			return mustRead(t, p, func(tx *store.Tx) ([]metadata.Row, error) { return metadata.After(tx, o, e, limit) })
		}
		first := after("", model.EntityID{}, 2)
		if len(first) != 2 || first[0].Entity != entities[0] || first[1].Entity != entities[1] {
			t.Fatalf("got %+v, want the first two", first)
		}
		if rest := after(first[1].Organization, first[1].Entity, 2); len(rest) != 1 || rest[0].Entity != entities[2] {
			t.Errorf("got %+v, want the third", rest)
		}
	})
	t.Run("has_one_key_ring", func(t *testing.T) {
		for i, want := range []string{"", "first", "first"} {
			if got, err := p.Keyring(t.Context()); err != nil || got != want {
				t.Errorf("the key ring is %q, %v, want %q", got, err, want)
			}
			if got, err := p.SettleKeyring(t.Context(), []string{"first", "second", "third"}[i]); err != nil || got != "first" {
				t.Errorf("the key ring became %q, %v", got, err)
			}
		}
	})
}
