package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"sync"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// FirstLinkLife is how long the link of a first start is good.
const FirstLinkLife = time.Hour

// FirstLink is the secret by which the operator signs in on the pages of a server that nobody
// has set up yet: once, within an hour of its start. What is kept of it is a hash, in memory.
type FirstLink struct {
	store *store.Store
	clock func() time.Time

	mu      sync.Mutex // guards what follows
	hash    [sha256.Size]byte
	account model.AccountID
	end     time.Time // zero: there is none, or it was used
}

func NewFirstLink(kept *store.Store, clock func() time.Time) *FirstLink {
	return &FirstLink{store: kept, clock: clock}
}

// Make returns the secret of a new link. It is empty where the server is set up: where there
// is an organization, or not exactly one operator, or that has a password.
func (l *FirstLink) Make(ctx context.Context) (secret string, err error) {
	account, err := store.Read(ctx, l.store, func(tx *store.Tx) (none model.AccountID, _ error) {
		setUp, err := tx.HasOrganization()
		if err != nil || setUp {
			return none, err
		}
		all, err := tx.Operators()
		if err != nil || len(all) != 1 {
			return none, err
		}
		password, err := tx.Password(all[0])
		if err != nil || password.Hash != "" {
			return none, err
		}
		return all[0], nil
	})
	if err != nil || account == (model.AccountID{}) {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	secret = rand.Text()
	l.hash, l.account, l.end = sha256.Sum256([]byte(secret)), account, l.clock().Add(FirstLinkLife)
	return secret, nil
}

// Take uses the link up, and returns whose it is. It reports false for a secret that is not
// the link's, and once the link was used or its hour is over: of calls that come with the
// right one at the same time, one gets it.
func (l *FirstLink) Take(secret string) (model.AccountID, bool) {
	hash := sha256.Sum256([]byte(secret))
	l.mu.Lock()
	defer l.mu.Unlock()
	if subtle.ConstantTimeCompare(hash[:], l.hash[:]) != 1 || !l.clock().Before(l.end) {
		return model.AccountID{}, false
	}
	l.end = time.Time{}
	return l.account, true
}
