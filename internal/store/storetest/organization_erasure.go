package storetest

import (
	"errors"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/erasure"
	"signet/internal/store/metadata"
	"signet/internal/store/searchindex"
	"signet/internal/store/series"
)

// figure is what was counted of an organization in a minute.
func figure(o model.OrganizationID, minute time.Time) *series.Row {
	return &series.Row{Organization: o, Step: series.Minute, Begun: minute, Counted: "{}"}
}

// organizationErasure: a deleted organization is gone at once, and its rows
// follow in pieces. Its neighbour keeps everything.
func organizationErasure(t *testing.T, h conformance.Harness) {
	p, ann, bob := newPair(t, h)
	doomed, kept := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	picture := model.BlobID(p.id())
	var groups []model.Group
	var sent []*store.MessageRow
	for _, o := range []model.OrganizationID{doomed, kept} {
		g := p.mustGroup(t, o, ann, bob)
		groups = append(groups, g)
		for range 3 {
			m := p.letter(o, ann, bob)
			m.Blob = p.id()
			p.mustSend(t, m)
			sent = append(sent, m)
		}
		p.mustSend(t, p.groupLetter(&g, bob))
		p.mustUpdate(t, func(tx *store.Tx) error {
			return errors.Join(
				tx.PutRole(o, ann, model.RoleAdmin),
				putMetadata(tx, o, g.Entity(), []byte("{}")),
				series.Put(tx, figure(o, p.now())), series.Put(tx, figure(o, p.now().Add(time.Minute))),
				series.Put(tx, figure(o, p.now().Add(2*time.Minute))),
				searchindex.Put(tx, searchable(o, model.EntityID(ann), "Ann")))
		})
	}
	p.mustUpdate(t, func(tx *store.Tx) error {
		return errors.Join(tx.ReferToBlob(picture, 1),
			tx.InsertAvatar(store.Avatar{Blob: picture, Entity: groups[0].Entity(), Group: true, ContentType: "image/png"}))
	})
	erased := func() bool {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) (bool, error) { return erasure.BeingErased(tx, doomed) })
	}
	wantEqual(t, "it is being erased at first", erased(), false)
	for i, scope := range []model.OrganizationID{doomed, doomed, kept, ""} {
		k := model.Key{Key: "key" + string(rune('0'+i)), Account: ann, Scope: scope, SecretHash: []byte{1},
			PreviousHash: []byte{}, Created: p.now()}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertKey(&k) })
	}
	p.wantUnread(t, ann, 2, 0) // of the groups
	p.wantUnread(t, bob, 6, 0)

	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, doomed) })
	wantMissing(t, p, "a key of its scope", key("key0"))
	mustFind(t, p, "a key of no scope", key("key3"))
	wantMissing(t, p, "the organization", organization(doomed))
	wantEqual(t, "members", p.mustCountMembers(t, doomed), 0)
	wantEqual(t, "administrators", p.mustHolders(t, doomed, model.RoleAdmin), nil)
	wantEqual(t, "group is deleted", mustFind(t, p, "group", group(groups[0].ID)).Deleted, true)
	wantEqual(t, "organizations of a member", mustRead(t, p, func(tx *store.Tx) ([]model.OrganizationID, error) {
		return tx.OrganizationsOf(ann)
	}), []model.OrganizationID{kept})
	p.wantUnread(t, ann, 1, 0)
	p.wantUnread(t, bob, 3, 0)
	wantEqual(t, "length of a roster", len(p.mustRoster(t, bob)), 2)
	wantEqual(t, "queue", len(p.mustQueue(t, bob)), 3)
	wantEqual(t, "other queue", len(p.mustQueue(t, ann)), 1)
	wantEqual(t, "it is being erased", erased(), true)

	const few = 2
	var told []model.AccountID
	steps := 0
	for more := true; more; steps++ {
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			var some []model.AccountID
			some, _, more, err = erasure.EraseMembers(tx, doomed, few)
			told = append(told, some...)
			return err
		})
	}
	wantEqual(t, "told", told, []model.AccountID{ann, bob})
	if steps < 4 { // a member at a time, with a conversation
		t.Errorf("%d steps, each of about %d rows", steps, few)
	}
	queue := p.mustQueue(t, ann)
	wantEqual(t, "queue", []model.EventKind{queue[0].Kind, queue[1].Kind},
		[]model.EventKind{model.EventGroupMessage, model.EventSettings})
	for more, at := true, 0; more; {
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			var erased erasure.Erased
			erased, at, more, err = erasure.EraseBesides(tx, doomed, at, few)
			for table, n := range erased {
				if n > few {
					t.Errorf("%d rows of %s went at once", n, table)
				}
			}
			return err
		})
	}
	wantEqual(t, "found by search", len(p.mustSearch(t, doomed, ann)), 0)
	for o, want := range map[model.OrganizationID]int{doomed: 0, kept: 3} {
		wantEqual(t, "figures", len(mustRead(t, p, func(tx *store.Tx) ([]series.Row, error) {
			return series.Last(tx, o, series.Minute, p.now().Add(time.Hour), 10)
		})), want)
	}

	of := func(limit int) []store.MessageRow {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]store.MessageRow, error) { return erasure.MessagesOf(tx, doomed, limit) })
	}
	wantEqual(t, "messages left", len(of(10)), 4)
	for n := 3; n >= 0; n-- {
		part := of(1)
		wantEqual(t, "messages in one part", len(part), 1)
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.DeleteMessages(part[0]) })
		wantEqual(t, "messages left", len(of(10)), n)
	}
	for more := true; more; {
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			_, more, err = erasure.EraseGroups(tx, doomed, 1)
			return err
		})
	}
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.FinishOrganization(tx, doomed) })
	wantEqual(t, "it is being erased at last", erased(), false)
	wantMissing(t, p, "its group", group(groups[0].ID))
	wantEqual(t, "members of its group",
		len(mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return tx.GroupMembers(groups[0].ID) })), 0)
	wantMissing(t, p, "its picture", func(tx *store.Tx) (store.Avatar, bool, error) { return tx.Avatar(picture) })
	wantEqual(t, "bytes to erase", p.erasures(t, 10),
		map[model.BlobID]bool{sent[0].Blob: true, sent[1].Blob: true, sent[2].Blob: true, picture: true})

	wantEqual(t, "members of its neighbour", p.mustCountMembers(t, kept), 2)
	wantEqual(t, "administrators of its neighbour", p.mustHolders(t, kept, model.RoleAdmin), []model.AccountID{ann})
	wantEqual(t, "found by search next door", len(p.mustSearch(t, kept, ann)), 1)
	wantEqual(t, "group of its neighbour", mustFind(t, p, "group", group(groups[1].ID)), groups[1])
	mustFind(t, p, "metadata of its neighbour",
		func(tx *store.Tx) ([]byte, bool, error) { return metadata.Of(tx, kept, groups[1].Entity()) })
	for _, m := range sent[3:] {
		mustFind(t, p, "message of its neighbour", p.found(m, kept))
		wantEqual(t, "bytes of its neighbour", p.held(t, m.Blob), true)
	}
}

// erasureOfQueues: what members of a deleted organization have queued of it goes some rows at a
// time, but for long queues, of which it is marked. What is queued of another one stays.
func erasureOfQueues(t *testing.T, h conformance.Harness) {
	const few = 30
	p, ann, bob, eve := newTrio(t, h)
	doomed, kept := p.mustOrganization(t, ann, bob, eve), p.mustOrganization(t, ann, bob, eve)
	p.mustFill(t, ann, doomed, 2*few)
	p.mustFill(t, ann, kept, 3)
	p.mustFill(t, bob, doomed, 10*few)
	p.mustFill(t, bob, kept, 3)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.EndOrganization(tx, doomed) })

	var told []model.AccountID
	events := int64(0)
	for more := true; more; {
		var some []model.AccountID
		var erased erasure.Erased
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			some, erased, more, err = erasure.EraseMembers(tx, doomed, few)
			return err
		})
		if erased["events"]+erased["memberships"] > few {
			t.Errorf("%v went at once, more than %d", erased, few)
		}
		told, events = append(told, some...), events+erased["events"]
	}
	wantEqual(t, "told", told, []model.AccountID{ann, bob, eve})
	wantEqual(t, "events that went", events, 2*few)
	wantEqual(t, "marked", p.mustWithdrawals(t, bob, 1)[0].Account, bob)
	p.mustUpdate(t, func(tx *store.Tx) error { return erasure.FinishOrganization(tx, doomed) })
	for i, account := range []model.AccountID{ann, bob, eve} {
		wantEqual(t, "queue", len(p.mustQueue(t, account)), []int{4, 4, 1}[i]) // with that of the end
	}
}
