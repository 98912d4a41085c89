package service

import (
	"bytes"
	"context"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// ValidRequestID reports whether an id is 1 to 128 visible ASCII characters.
func ValidRequestID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 128
}

// findRepeated looks for a message that was sent under the same Request-ID. Whether
// it is the same request, repeat says.
func (p *posting) findRepeated(tx *store.Tx, actor *model.Actor, now time.Time) error {
	p.repeated = nil
	if p.request == "" {
		return nil
	}
	first, found, err := tx.Request(actor.Account, p.request, now.Add(-model.RepeatWindow))
	if err == nil && found {
		p.repeated = &first
	}
	return err
}

// fingerprintSize is that of requestFingerprint.
const fingerprintSize = 16 + 16

// requestFingerprint tells two requests under one id apart: recipient and content. It
// is stored sealed, for whoever has it can try what the content may have been.
func (p *posting) requestFingerprint() []byte {
	return append(p.entity[:len(p.entity):len(p.entity)], p.fingerprint[:fingerprintSize-len(p.entity)]...)
}

// repeat answers a send whose Request-ID was used before.
func (s *Service) repeat(ctx context.Context, actor *model.Actor, p *posting) (Sent, error) {
	first := p.repeated
	fingerprint, err := s.vault.OpenFingerprint(ctx, actor.Account, p.request, first.Fingerprint)
	if err != nil && !content.Unreadable(err) {
		return Sent{}, err
	}
	if !bytes.Equal(fingerprint, p.requestFingerprint()) {
		return Sent{}, model.Invalidf("request_id_reused", "Request-ID", "Another message was sent under this Request-ID.")
	}
	sent := Sent{Message: first.Message, TTL: first.TTL, Repeated: true}
	m, err := s.Message(ctx, actor, first.Message)
	if model.IsNotFound(err) {
		return sent, nil
	}
	sent.Row = &m
	return sent, err
}
