package content

import (
	"context"
	"errors"
	"fmt"

	"signet/internal/seal"
	"signet/internal/store"
)

// rows names the key of the codes that rows carry which give access. It belongs to no
// organization and to no day, so that it lasts as long as the ring.
var rows = seal.Name{Period: "rows"}

// secrets names the key of the secrets with which webhooks sign, and by which issuers know the server. It lasts as
// long as the ring too.
var secrets = seal.Name{Period: "secrets"}

// LacksRowKey says that the ring is not the one under whose key rows carry codes.
type LacksRowKey struct {
	Key  string // its identifier
	Ring string // where the ring is
}

func (l *LacksRowKey) Error() string {
	return fmt.Sprintf("the key ring at %s lacks key %s, by which the server knows the keys, passwords, memberships and "+
		"roles that it wrote: an older ring was put in its place. Bring back the one of before, or take the key over from "+
		"a copy with \"signet keys import\"", l.Ring, l.Key)
}

// Authenticate gives a store the key under which rows that give access carry codes. At the
// first start of a server it makes the key. forged is called as store.Authenticate says.
func Authenticate(ctx context.Context, kept *store.Store, ring *seal.Ring, forged func(store.Forgery)) error {
	noted, err := kept.RowKey(ctx)
	if err != nil {
		return err
	}
	if noted == "" {
		made, err := ring.Current(ctx, rows)
		if err != nil {
			return err
		}
		if noted, err = kept.SettleRowKey(ctx, made.String()); err != nil {
			return err
		}
	}
	return authenticate(ctx, kept, ring, noted, forged)
}

// AuthenticateExisting is Authenticate for a command, which makes no key: where no server has
// begun to use the store, it fails.
func AuthenticateExisting(ctx context.Context, kept *store.Store, ring *seal.Ring, forged func(store.Forgery)) error {
	noted, err := kept.RowKey(ctx)
	if err == nil && noted == "" {
		err = errors.New("no server has begun to use this store: start one on it first")
	}
	if err != nil {
		return err
	}
	return authenticate(ctx, kept, ring, noted, forged)
}

func authenticate(ctx context.Context, kept *store.Store, ring *seal.Ring, noted string,
	forged func(store.Forgery)) error {
	key, err := derive(ctx, ring, noted, "signet rows that give access")
	if err == nil {
		kept.Authenticate(key, forged)
	}
	return err
}

// Secret returns 32 bytes for a purpose: the same on every server of the installation, after each start and
// move, and in no copy of the store. It comes after Authenticate.
func Secret(ctx context.Context, kept *store.Store, ring *seal.Ring, purpose string) ([]byte, error) {
	noted, err := kept.RowKey(ctx)
	if err != nil {
		return nil, err
	}
	return derive(ctx, ring, noted, purpose)
}

// derive derives from the key of the codes, which lasts as long as the ring.
func derive(ctx context.Context, ring *seal.Ring, noted, purpose string) ([]byte, error) {
	id, err := seal.ParseKeyID(noted)
	if err != nil {
		return nil, fmt.Errorf("read which key authenticates rows: %w", err)
	}
	key, err := ring.Derive(id, purpose)
	if errors.Is(err, seal.ErrKeyGone) { // unless another server made it a moment ago
		if err := ring.Refresh(ctx); err != nil {
			return nil, err
		}
		key, err = ring.Derive(id, purpose)
	}
	if errors.Is(err, seal.ErrKeyGone) {
		return nil, &LacksRowKey{noted, ring.Where()}
	}
	return key, err
}
