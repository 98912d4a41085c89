package access

import (
	"crypto/sha256"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"unsafe"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/store"
)

// A caller's key lies in one piece of memory with its secret.
func TestWhatIsRememberedOfACallerKeepsNoSecretInMemory(t *testing.T) {
	f := newFixture(t)
	hash, operator := sha256.Sum256([]byte("secret")), model.Account{ID: model.AccountID{1}, Username: "operator"}
	err := f.store.Update(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.InsertAccount(&operator, ""), tx.InsertKey(&model.Key{Account: operator.ID, Key: "operator",
			SecretHash: hash[:], PreviousHash: []byte{}, Counter: "operator", Created: f.now}))
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := strings.Clone("operator:secret")
	key := sent[:len("operator")]
	if _, err := f.control.Authenticate(t.Context(), key, sent[len("operator:"):], netip.Addr{}); err != nil {
		t.Fatal(err)
	}
	kept := []string{}
	f.control.actors.ForgetFunc(func(key string, known cache.Recent[*model.Actor]) bool {
		kept = append(kept, key, known.Value.Key.Key)
		return false
	})
	for k := range f.control.used {
		kept = append(kept, k)
	}
	for _, k := range kept {
		if unsafe.StringData(k) == unsafe.StringData(key) {
			t.Errorf("%q is kept in what the caller sent", k)
		}
	}
	if len(kept) < 3 {
		t.Errorf("%q are remembered, want the key in three places", kept)
	}
}
