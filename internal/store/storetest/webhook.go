package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/conformance"
	"signet/internal/store/overview"
)

// hook is a webhook as it is made.
func (p *platform) hook(account model.AccountID) store.WebhookRow {
	return store.WebhookRow{Webhook: model.Webhook{ID: model.WebhookID(p.id()), Account: account,
		URL: "https://example.com/", Signature: model.SignatureHMAC, Created: p.now(), Enabled: true},
		Secret: []byte("sealed"), Previous: []byte{}}
}

func (p *platform) mustHook(t testing.TB, w *store.WebhookRow) {
	t.Helper()
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.InsertWebhook(w) })
}

func (p *platform) mustReadHook(t testing.TB, w *store.WebhookRow) store.WebhookRow {
	t.Helper()
	return mustRead(t, p, func(tx *store.Tx) (store.WebhookRow, error) {
		row, _, err := tx.Webhook(w.Account, w.ID)
		return row, err
	})
}

func webhooks(t *testing.T, h conformance.Harness) {
	p, ann, bob, _ := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob)
	first, second := p.hook(ann), p.hook(ann)
	second.Events, second.Full, second.Acknowledge = []model.EventKind{model.EventMessage, model.EventStatus}, true, true
	second.Signature, second.Scope, second.Parent, second.IssuedBy = model.SignatureEd25519, organization, "key", bob
	second.Noticed, second.Created = 7, p.now().Add(time.Second)
	p.mustHook(t, &first)
	p.mustHook(t, &second)
	wantEqual(t, "the first", fmt.Sprintf("%+v", p.mustReadHook(t, &first)), fmt.Sprintf("%+v", first))
	wantEqual(t, "the second", fmt.Sprintf("%+v", p.mustReadHook(t, &second)), fmt.Sprintf("%+v", second))
	all := mustRead(t, p, func(tx *store.Tx) ([]store.WebhookRow, error) { return tx.Webhooks(ann) })
	wantEqual(t, "of the account", len(all), 2)
	wantEqual(t, "of another", len(mustRead(t, p, func(tx *store.Tx) ([]store.WebhookRow, error) {
		return tx.Webhooks(bob)
	})), 0)
	accounts := func(page func(*store.Tx, model.AccountID, int) ([]model.AccountID, error)) []model.AccountID {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]model.AccountID, error) { return page(tx, model.AccountID{}, 10) })
	}
	wantEqual(t, "have webhooks", accounts((*store.Tx).WebhookAccounts), []model.AccountID{ann})
	wantEqual(t, "have something waiting", len(accounts((*store.Tx).AwaitedWebhooks)), 0)

	// What is queued awaits those that have no job, each of which gets one.
	position := p.mustNote(t, ann, organization, "{}")
	wantEqual(t, "have something waiting", accounts((*store.Tx).AwaitedWebhooks), []model.AccountID{ann})
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.NoteDeliveries(ann, p.now()) })
	wantEqual(t, "have something waiting", len(accounts((*store.Tx).AwaitedWebhooks)), 0)
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.NoteDeliveries(ann, p.now()) })
	var jobs []store.Job
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		jobs, err = tx.DueJobs([]store.JobKind{store.DeliverWebhook}, p.now(), nil, 10)
		return err
	})
	wantEqual(t, "jobs", len(jobs), 2)
	for i := range jobs {
		account, id, run := store.DeliveryOf(&jobs[i])
		w, found, err := first, false, error(nil)
		p.mustView(t, func(tx *store.Tx) error {
			w, found, err = tx.Webhook(account, id)
			return err
		})
		wantEqual(t, "the job's run", fmt.Sprint(found, w.Run), fmt.Sprint(true, run))
	}

	// A job notes how far it has come, unless a caller has changed the webhook meanwhile.
	old := p.mustReadHook(t, &first)
	come := old
	come.Position, come.LastSuccess = position, p.now()
	advance := func(what string, old, w *store.WebhookRow, want bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) error {
			ok, err := tx.AdvanceWebhook(old, w)
			wantEqual(t, what, ok, want)
			return err
		})
	}
	advance("it comes further", &old, &come, true)
	advance("from where it was", &old, &come, false)
	changed := p.mustReadHook(t, &first)
	changed.URL, changed.Failures, changed.FailingSince = "https://example.org/", 2, p.now()
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.ChangeWebhook(&changed) })
	wantEqual(t, "changed", fmt.Sprintf("%+v", p.mustReadHook(t, &first)), fmt.Sprintf("%+v", changed))
	further := come
	further.Position++
	advance("after a change", &come, &further, false)
	failing := func(what string, n int, since time.Time) {
		t.Helper()
		b := mustRead(t, p, func(tx *store.Tx) (overview.Backlog, error) { return overview.BacklogAt(tx, p.now(), 10) })
		wantEqual(t, "fail "+what, fmt.Sprint(b.Failing, b.FailingSince.UnixMilli()), fmt.Sprint(n, since.UnixMilli()))
	}
	failing("while one is tried again", 1, changed.FailingSince)
	over := changed
	over.Run = 0
	advance("it is over", &changed, &over, true)
	failing("while nothing waits", 0, time.Time{})

	after := func(last store.WebhookKey, limit int) (ids []model.WebhookID) {
		t.Helper()
		for _, w := range mustRead(t, p, func(tx *store.Tx) ([]store.WebhookRow, error) {
			return tx.WebhooksAfter(last, limit)
		}) {
			ids = append(ids, w.ID)
		}
		return ids
	}
	byKey := []model.WebhookID{first.ID, second.ID} // whose ids are made one after the other
	wantEqual(t, "from the beginning", after(store.WebhookKey{}, 10), byKey)
	wantEqual(t, "one of them", after(store.WebhookKey{}, 1), byKey[:1])
	wantEqual(t, "after the first", after(store.WebhookKey{Account: ann, ID: first.ID}, 10), byKey[1:])
	wantEqual(t, "after the last", len(after(store.WebhookKey{Account: ann, ID: second.ID}, 10)), 0)
	for _, want := range []bool{true, false} {
		p.mustUpdate(t, func(tx *store.Tx) error {
			found, err := tx.DeleteWebhook(ann, first.ID)
			wantEqual(t, "deleted", found, want)
			return err
		})
	}
	has := mustRead(t, p, func(tx *store.Tx) (bool, error) { return tx.HasWebhooks(ann) })
	wantEqual(t, "has webhooks", has, true)
}

// webhooksOfKeys is what becomes of webhooks when the keys that made them are rotated.
func webhooksOfKeys(t *testing.T, h conformance.Harness) {
	p, ann, bob, _ := newTrio(t, h)
	organization := p.mustOrganization(t, ann, bob)
	made := map[string]store.WebhookRow{}
	for _, name := range []string{"one", "two", "other", "none"} {
		w := p.hook(ann)
		if w.Parent = name; name == "none" {
			w.Parent = ""
		}
		w.Run, w.NextTry = 5, p.now().Add(time.Hour)
		p.mustHook(t, &w)
		made[name] = w
	}
	of := p.hook(bob) // another account's
	of.Parent = "one"
	p.mustHook(t, &of)
	want := func(when, name string, change func(*store.WebhookRow)) {
		t.Helper()
		w := made[name]
		change(&w)
		made[name] = w
		wantEqual(t, name+" "+when, fmt.Sprintf("%+v", p.mustReadHook(t, &w)), fmt.Sprintf("%+v", w))
	}
	same := func(*store.WebhookRow) {}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.ScopeWebhooksOf(ann, []string{"one", "two"}, organization) })
	for _, name := range []string{"one", "two"} {
		want("with a scope", name, func(w *store.WebhookRow) { w.Scope, w.Version = organization, 1 })
	}
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.EndWebhooksOf(ann, []string{"one", "absent"}) })
	want("after its end", "one", func(w *store.WebhookRow) {
		w.Enabled, w.Ended, w.Run, w.NextTry, w.Version = false, model.WebhookKey, 0, time.Time{}, 2
	})
	for _, name := range []string{"two", "other", "none"} {
		want("in the end", name, same)
	}
	wantEqual(t, "of another account", p.mustReadHook(t, &of).Enabled, true)

	// A notice that takes the place of others moves where webhooks were noticed.
	noticed := made["other"]
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		noticed.Noticed, err = tx.QueueNotice(ann)
		if err == nil {
			err = tx.ChangeWebhook(&noticed)
		}
		return err
	})
	var again int64
	p.mustUpdate(t, func(tx *store.Tx) (err error) {
		again, err = tx.QueueNoticeOnce(ann)
		return err
	})
	wantEqual(t, "where it was noticed", p.mustReadHook(t, &noticed).Noticed, again)
	unnoticed := made["none"]
	wantEqual(t, "where the other was noticed", p.mustReadHook(t, &unnoticed).Noticed, int64(0))
}

func webhookDeliveries(t *testing.T, h conformance.Harness) {
	p, ann, _, _ := newTrio(t, h)
	w := p.hook(ann)
	p.mustHook(t, &w)
	put := func(n int, more ...store.WebhookDelivery) {
		t.Helper()
		for len(more) < n {
			more = append(more, store.WebhookDelivery{Number: 5, Kind: model.EventMessage, Try: 1, Status: 204,
				Outcome: "delivered", Position: int64(len(more) + 1), Took: 12 * time.Millisecond})
		}
		p.mustUpdate(t, func(tx *store.Tx) error { return tx.PutDeliveries(ann, w.ID, more) })
	}
	read := func() []store.WebhookDelivery {
		t.Helper()
		return mustRead(t, p, func(tx *store.Tx) ([]store.WebhookDelivery, error) { return tx.WebhookDeliveries(ann, w.ID) })
	}
	put(0)
	wantEqual(t, "at first", len(read()), 0)
	put(2)
	got := read()
	wantEqual(t, "two", fmt.Sprint(got[0].Number, got[1].Number, got[0].Position), "6 5 2")
	one := store.WebhookDelivery{Number: 5, Position: 1, Kind: model.EventMessage, Try: 1, Status: 204,
		Outcome: "delivered", Took: 12 * time.Millisecond}
	wantEqual(t, "one of them", got[1], one)
	put(70)
	put(70)
	got = read()
	wantEqual(t, "the last", len(got), model.WebhookDeliveries)
	wantEqual(t, "the newest", got[0].Position, int64(70))
	put(150)
	got = read()
	wantEqual(t, "of very many", fmt.Sprint(len(got), got[0].Position, got[99].Position), "100 150 51")
}

func keptEvents(t *testing.T, h conformance.Harness) {
	p, ann, bob, _ := newTrio(t, h)
	organization, other := p.mustOrganization(t, ann, bob), p.mustOrganization(t, ann, bob)
	keeps := func() (keeps bool) {
		t.Helper()
		p.mustUpdate(t, func(tx *store.Tx) (err error) {
			_, keeps, err = tx.Arrivals(ann, []int64{1}, 0, p.now())
			return err
		})
		return keeps
	}
	wantEqual(t, "kept without webhooks", keeps(), false)
	w := p.hook(ann)
	p.mustHook(t, &w)
	wantEqual(t, "kept with one", keeps(), true)

	message := p.letter(organization, bob, ann)
	p.mustSend(t, message)
	positions := []int64{message.Sort}
	for i := range 4 {
		of := []model.OrganizationID{organization, other}[i%2]
		positions = append(positions, p.mustNote(t, ann, of, fmt.Sprint(i)))
	}
	queue := func(kept bool) (out []int64) {
		t.Helper()
		rows := mustRead(t, p, func(tx *store.Tx) ([]store.EventRow, error) {
			return tx.Events(store.Queue{Account: ann, UpTo: store.EndOfQueue, Now: p.now(), Kept: kept}, 100, nil)
		})
		for i := range rows {
			out = append(out, rows[i].Position)
		}
		return out
	}
	p.mustUpdate(t, func(tx *store.Tx) error {
		if err := tx.KeepEvents(ann, positions[:3]); err != nil {
			return err
		}
		return tx.DeleteEventsAt(ann, positions[:3])
	})
	wantEqual(t, "the queue", queue(false), positions[3:])
	wantEqual(t, "with what is kept", queue(true), positions)
	last := mustRead(t, p, func(tx *store.Tx) (int64, error) { return tx.LastKept(ann) })
	wantEqual(t, "the last", last, positions[4])

	// What is withdrawn, of the one organization and of a conversation, is not kept either.
	p.mustUpdate(t, func(tx *store.Tx) error { return tx.WithdrawEventsOf(ann, other, positions[4]) })
	wantEqual(t, "without an organization", queue(true), slices.Concat(positions[:2], positions[3:4]))
	p.mustUpdate(t, func(tx *store.Tx) error {
		_, err := tx.WithdrawConversation(ann, organization, model.EntityID(bob), positions[4])
		return err
	})
	wantEqual(t, "without a conversation", queue(true), []int64{positions[1], positions[3]})
	p.mustUpdate(t, func(tx *store.Tx) error {
		n, err := tx.DeleteKeptBefore(ann, positions[4], 10)
		wantEqual(t, "too old", n, int64(1))
		return err
	})
	wantEqual(t, "with what is left", queue(true), positions[3:4])

	// Nor is a message that is taken back.
	recalled := p.letter(organization, bob, ann)
	p.mustSend(t, recalled)
	p.mustUpdate(t, func(tx *store.Tx) error {
		if err := tx.KeepEvents(ann, []int64{recalled.Sort}); err != nil {
			return err
		}
		return tx.DeleteEventsAt(ann, []int64{recalled.Sort})
	})
	wantEqual(t, "with a message", queue(true), []int64{positions[3], recalled.Sort})
	p.mustUpdate(t, func(tx *store.Tx) error {
		return tx.WithdrawMessage(organization, recalled.ID, []model.AccountID{ann})
	})
	wantEqual(t, "without the message", queue(true), positions[3:4])
}
