package push

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Note has the browsers of accounts told of a message, once the transaction that queues it with them is on
// disk. It costs nothing where none of them has any.
func (p *Pusher) Note(tx *store.Tx, organization model.OrganizationID, message model.MessageID,
	accounts []model.AccountID) error {
	if p.Off {
		return nil
	}
	told := p.audience.among(accounts)
	if len(told) == 0 {
		return nil
	}
	targets := make([]target, len(told))
	for i, account := range told {
		targets[i].account = account
	}
	number, _ := tx.Existing(organization).(int64) // else the transaction fails
	about, now := subject(number, message), p.now()
	for part := range slices.Chunk(targets, batch) { // which wait for each other's push services
		err := tx.NoteJob(&store.Job{Kind: store.PushMessage, Subject: about, State: encodeTargets(part), Noted: now})
		if err != nil {
			return err
		}
	}
	return nil
}

// subject is the stored form of a message that is told of: with the number of its organization, of which
// nothing is to be left once that is erased.
func subject(organization int64, message model.MessageID) []byte {
	return binary.BigEndian.AppendUint64(message[:], uint64(organization))
}

func parseSubject(b []byte) (organization int64, message model.MessageID, ok bool) {
	n := copy(message[:], b)
	if len(b) != n+8 {
		return 0, message, false
	}
	return int64(binary.BigEndian.Uint64(b[n:])), message, true
}

// target is who is to be told: an account, whose subscriptions are not known yet, or a subscription that was
// looked at before. That names no account: of one that is erased nothing is left in a job that waits.
type target struct {
	account      model.AccountID
	subscription model.SubscriptionID // zero: all that the account has then

	// Of a subscription.
	pushes int64 // how many pushes were begun then: a later one tells of this message too
	due    time.Time
	tries  int  // that failed
	waited bool // for a stream that was open to take the message
}

// The forms of a target, each with its size after the byte that says which it is.
const (
	accountForm, accountSize           = 1, 16
	subscriptionForm, subscriptionSize = 2, 16 + 8 + 8 + 1 + 1
)

// encodeTargets writes targets as a job keeps them.
func encodeTargets(targets []target) (out []byte) {
	for i := range targets {
		t := &targets[i]
		if t.subscription.IsZero() {
			out = append(append(out, accountForm), t.account[:]...)
			continue
		}
		out = append(append(out, subscriptionForm), t.subscription[:]...)
		out = binary.BigEndian.AppendUint64(out, uint64(t.pushes))
		out = binary.BigEndian.AppendUint64(out, uint64(store.Millis(t.due)))
		waited := byte(0)
		if t.waited {
			waited = 1
		}
		out = append(out, byte(t.tries), waited)
	}
	return out
}

var errTargets = errors.New("the browsers that are to be told are in no form that is known")

func parseTargets(b []byte) (out []target, err error) {
	for len(b) > 0 {
		form, rest := b[0], b[1:]
		var t target
		switch {
		case form == accountForm && len(rest) >= accountSize:
			copy(t.account[:], rest)
			b = rest[accountSize:]
		case form == subscriptionForm && len(rest) >= subscriptionSize:
			copy(t.subscription[:], rest)
			t.pushes = int64(binary.BigEndian.Uint64(rest[16:]))
			t.due = store.FromMillis(int64(binary.BigEndian.Uint64(rest[24:])))
			t.tries, t.waited = int(rest[32]), rest[33] == 1
			b = rest[subscriptionSize:]
		default:
			return nil, errTargets
		}
		out = append(out, t)
	}
	return out, nil
}
