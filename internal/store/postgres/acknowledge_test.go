package postgres

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/postgrestest"
)

// A message to a group, and the copies and events of two who got it.
var groupMessage = []string{
	`INSERT INTO organization_numbers (organization, number) VALUES ('aaaaaaaaaaaaaaaaaaaaaaaa', 1)`,
	`INSERT INTO messages (organization_number, message, sender, recipient, is_group, content, blob, created, expires, ends,
		ttl, dor, priority, sort, thread, recalled, replay, original_sender, original_created, escalation)
		VALUES (1, decode(repeat('01', 16), 'hex'), decode(repeat('02', 16), 'hex'), decode(repeat('03', 16), 'hex'), 1, '', '',
		1, 1000, 1000, 1, 0, 0, 1, 1, 0, 0, '', 0, '')`,
	`INSERT INTO deliveries (organization_number, message, account, position, replayed, status, status_time, status_event)
		SELECT 1, message, decode(lpad(to_hex(i), 32, '0'), 'hex'), 7, 0, 0, 0, 0 FROM messages, generate_series(1, 2) AS i`,
	`INSERT INTO events (account, position, organization_number, kind, message, payload, status)
		SELECT account, position, 1, 2, message, '', 0 FROM deliveries`,
}

// Whoever acknowledges a message keeps nobody else from acknowledging it, but for the same account elsewhere,
// which finds that it was acknowledged.
func TestOneMessageIsAcknowledgedByManyAtOnceAndByEachOnce(t *testing.T) {
	e := mustOpen(t, postgrestest.URL(t), Options{})
	kept, err := store.Open(t.Context(), e, func() string { return "epoch" })
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range groupMessage {
		mustExec(t, e, statement)
	}
	acknowledge := func(account model.AccountID, meanwhile func()) (arrivals int, err error) {
		err = kept.Update(t.Context(), func(tx *store.Tx) error {
			all, _, err := tx.Arrivals(account, []int64{7}, 0, time.UnixMilli(1))
			if err != nil {
				return err
			}
			arrivals = len(all)
			for i := range all {
				if err := tx.Deliver(account, &all[i], time.UnixMilli(1), 0, model.EventStatus, nil); err != nil {
					return err
				}
			}
			if err := tx.Await(); err != nil {
				return err
			}
			meanwhile()
			return nil
		})
		return arrivals, err
	}
	one, other := model.AccountID{15: 1}, model.AccountID{15: 2}
	again := make(chan int, 1)
	arrivals, err := acknowledge(one, func() {
		if n, err := acknowledge(other, func() {}); n != 1 || err != nil {
			t.Errorf("another member gets %d messages meanwhile, error %v", n, err)
		}
		go func() {
			n, err := acknowledge(one, func() {})
			if err != nil {
				t.Error(err)
			}
			again <- n
		}()
		for len(again) == 0 && mustCountWaiting(t, e) == 0 {
			runtime.Gosched()
		}
	})
	if arrivals != 1 || err != nil {
		t.Errorf("the first gets %d messages, error %v", arrivals, err)
	}
	if n := <-again; n != 0 {
		t.Errorf("the same account gets %d messages once more", n)
	}
}

// Whoever marks a message keeps nobody else from marking it, but where the mark of one may end it.
func TestOneMessageIsMarkedByManyAtOnceUnlessAMarkMayEndIt(t *testing.T) {
	for kind, change := range map[string]string{
		"usual": `dor = 0`, "deleted on read": `dor = 1`, "escalated": `escalation = decode(repeat('01', 16) || '00', 'hex')`,
	} {
		t.Run(kind, func(t *testing.T) {
			e := mustOpen(t, postgrestest.URL(t), Options{})
			kept, err := store.Open(t.Context(), e, func() string { return "epoch" })
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range slices.Concat(groupMessage, []string{`UPDATE messages SET ` + change}) {
				mustExec(t, e, statement)
			}
			lock := func(account model.AccountID, meanwhile func()) error {
				return kept.Update(t.Context(), func(tx *store.Tx) error {
					err := tx.LockCopies(account, []model.OrganizationID{"aaaaaaaaaaaaaaaaaaaaaaaa"}, model.MessageID(
						[]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
					if err == nil {
						err = tx.Query(`SELECT 1`, nil, func(store.Row) error { return nil }) // which brings the answers of what was posted
					}
					if err == nil {
						meanwhile()
					}
					return err
				})
			}
			waited := false
			other := make(chan error, 1)
			err = lock(model.AccountID{15: 1}, func() {
				go func() { other <- lock(model.AccountID{15: 2}, func() {}) }()
				for len(other) == 0 && !waited {
					waited = mustCountWaiting(t, e) > 0
				}
			})
			if err = errors.Join(err, <-other); err != nil {
				t.Fatal(err)
			}
			if waited != (kind != "usual") {
				t.Errorf("another reader waited: %t", waited)
			}
		})
	}
}
