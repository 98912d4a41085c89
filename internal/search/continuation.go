package search

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"signet/internal/model"
	"signet/internal/store"
)

// continuation is where the next page of a search begins: after an entity, not
// after a number of entities, so that what is added or removed before it moves
// nothing. It is sealed, bound to the account and to what was searched for.
type continuation struct {
	Keys         []string             `json:"k"` // by the order's terms
	Entity       model.EntityID       `json:"e"`
	Organization model.OrganizationID `json:"o"`
	Before       int                  `json:"n"` // how many results came on the pages before
}

// maxContinuation is the longest text, in bytes, that is looked at: far longer
// than one that holds the longest keys.
const maxContinuation = 8 << 10

func continuationInvalid() *model.Error {
	return model.Invalidf("continuation_invalid", "continuation", "The continuation is none that this search gave.")
}

// newContinuation returns the place after a result.
func newContinuation(o *order, last *candidate, before int) continuation {
	c := continuation{Entity: last.entity, Organization: last.organization, Before: before}
	c.Keys = make([]string, len(o.Terms))
	for i, term := range o.Terms {
		c.Keys[i] = last.key(term.Field)
	}
	return c
}

// last returns the result that the next page follows on, as far as the order
// looks at it.
func (c *continuation) last(o *order) *candidate {
	row := &store.SearchEntity{Organization: c.Organization, Entity: c.Entity}
	for i, term := range o.Terms {
		row.Keys[term.Field] = c.Keys[i]
	}
	return found(row)
}

// sealContinuation writes a continuation for a client.
func (s *Search) sealContinuation(c continuation) (string, error) {
	aead, err := s.continuationCipher()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, text, s.binding())), nil
}

// openContinuation reads what a client brought back. Anything but what was sealed
// for this account and this search is continuation_invalid.
func (s *Search) openContinuation(text string) (c continuation, err error) {
	if len(text) > maxContinuation {
		return c, continuationInvalid()
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	// Line ends are skipped by the decoder.
	if err != nil || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(text) {
		return c, continuationInvalid()
	}
	aead, err := s.continuationCipher()
	if err != nil {
		return c, err
	}
	opened, err := aead.Open(nil, nil, sealed, s.binding())
	if err != nil {
		return c, continuationInvalid()
	}
	if err := json.Unmarshal(opened, &c); err != nil || len(c.Keys) != len(s.order.Terms) || c.Before < 0 {
		return c, continuationInvalid()
	}
	return c, nil
}

// continuationCipher derives the key from the installation's secret, so that
// every node, and the next start, opens what this one sealed. The number in the
// purpose changes with the form of what is sealed.
func (s *Search) continuationCipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, s.secret, nil, "search continuation 1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of continuations: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the key of continuations: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// binding names the account and what it searches for. How many results a page has,
// and how much of them is shown, may change from page to page.
func (s *Search) binding() []byte {
	q := &s.query
	asked, err := json.Marshal([]any{s.account, q.Types, q.Directory, q.Must, q.MustNot, q.Sort})
	if err != nil {
		panic(err) // texts always encode
	}
	sum := sha256.Sum256(asked)
	return sum[:]
}
