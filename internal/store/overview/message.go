package overview

import (
	"encoding/binary"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// SentMessage is where and when a message went.
type SentMessage struct {
	ID        model.MessageID
	Sender    model.AccountID
	Recipient model.EntityID
	Created   time.Time
}

// SentBefore lists up to limit messages of an organization whose tokens come before one, the last
// token first: that is the order in which they were sent, the newest first.
func SentBefore(tx *store.Tx, organization model.OrganizationID, before model.MessageID, limit int) ([]SentMessage,
	error) {
	return store.List(tx, `SELECT message, sender, recipient, created FROM messages WHERE organization_number = ?
		AND message < ? ORDER BY message DESC LIMIT ? + 0`, []any{tx.Numbered(organization), before, limit},
		func(m *SentMessage, row store.Row) error {
			var created int64
			err := row.Scan(&m.ID, &m.Sender, &m.Recipient, &created)
			m.Created = store.FromMillis(created)
			return err
		})
}

// LastToken comes behind all tokens.
var LastToken = tokenAt(1 << timeBits)

// timeBits is how many bits at the beginning of a token tell when it was made.
const timeBits = 48

// FirstSentSince returns a token that none of an organization's messages that were sent before a time comes
// behind. Tokens grow with the time by the clocks of the servers that made them, which need not be the
// store's: so it looks for the place among the messages, in as many steps as a token's time has bits.
func FirstSentSince(tx *store.Tx, organization model.OrganizationID, t time.Time) (model.MessageID, error) {
	low, high := uint64(0), uint64(1)<<timeBits // the first millisecond with a message at t or later is in [low, high]
	for low < high {
		middle := low + (high-low)/2
		next := tokenAt(middle + 1)
		last, err := SentBefore(tx, organization, next, 1)
		if err != nil {
			return model.MessageID{}, err
		}
		if len(last) > 0 && !last[0].Created.Before(t) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return tokenAt(low), nil
}

// tokenAt is the least token of a millisecond; behind the last there is, it is the greatest token.
func tokenAt(millisecond uint64) (id model.MessageID) {
	if millisecond >= 1<<timeBits {
		for i := range id {
			id[i] = 0xff
		}
		return id
	}
	var eight [8]byte
	binary.BigEndian.PutUint64(eight[:], millisecond<<(64-timeBits))
	copy(id[:], eight[:])
	return id
}
