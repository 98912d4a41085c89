package service

import (
	"bytes"
	"context"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// repetition is what was sent before under the Request-ID of a message: the same
// message, or another.
type repetition struct {
	store.Request
	fingerprint []byte // of the message that is sent now
}

// findRepeated returns what was sent to an entity under the same Request-ID; nil where
// nothing was.
func (d *draft) findRepeated(
	tx *store.Tx, actor *model.Actor, entity model.EntityID, now time.Time,
) (*repetition, error) {
	first, err := d.askRepeated(tx, actor, now)
	if err == nil {
		err = tx.Await()
	}
	if err != nil {
		return nil, err
	}
	return d.repetitionOf(first, entity), nil
}

// askRepeated asks for what was sent under the same Request-ID; nil where there is none.
func (d *draft) askRepeated(tx *store.Tx, actor *model.Actor, now time.Time) (*store.Asked[store.Request], error) {
	if d.request == "" {
		return nil, nil
	}
	return tx.AskRequest(actor.Account, d.request, now.Add(-model.RepeatWindow))
}

// repetitionOf is what was found to have been sent first; nil where nothing was.
func (d *draft) repetitionOf(first *store.Asked[store.Request], entity model.EntityID) *repetition {
	if first == nil || !first.Found {
		return nil
	}
	return &repetition{first.Row, d.requestFingerprint(entity)}
}

// fingerprintSize is that of requestFingerprint.
const fingerprintSize = 16 + 16

// requestFingerprint tells two requests under one id apart: recipient and content. It
// is stored sealed, because it lets a reader of the store guess the content.
func (d *draft) requestFingerprint(entity model.EntityID) []byte {
	return append(entity[:len(entity):len(entity)], d.fingerprint[:fingerprintSize-len(entity)]...)
}

// repeat answers a send whose Request-ID was used before.
func (s *Service) repeat(ctx context.Context, actor *model.Actor, first *repetition) (Sent, error) {
	if err := s.store.Settle(ctx, actor.Account); err != nil { // the answer says that it is sent
		return Sent{}, err
	}
	fingerprint, err := s.vault.OpenFingerprint(ctx, actor.Account, first.ID, first.Fingerprint)
	if err != nil && !content.Unreadable(err) {
		return Sent{}, err
	}
	if !bytes.Equal(fingerprint, first.fingerprint) {
		return Sent{}, model.Invalidf("request_id_reused", "Request-ID",
			"Another message was sent under this Request-ID.")
	}
	sent := Sent{Message: first.Message, TTL: first.TTL, Repeated: true}
	m, err := s.Message(ctx, actor, first.Message)
	if model.IsNotFound(err) {
		return sent, nil
	}
	sent.Row = &m
	return sent, err
}
