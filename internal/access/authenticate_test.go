package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"
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

// A use that could not be written is written the next time: a session ends by not being used.
func TestUsesThatCannotBeWrittenAreKept(t *testing.T) {
	f := newFixture(t)
	early, late := f.now.Add(-time.Minute), f.now
	f.control.noteUse("one", model.KeyUse{At: early})
	f.control.noteUse("two", model.KeyUse{At: early})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := f.control.FlushUses(gone); err == nil {
		t.Fatal("they were written")
	}
	f.control.noteUse("two", model.KeyUse{At: late})
	f.mustUpdate(func(tx *store.Tx) error {
		account := model.Account{ID: f.id(), Username: "ann", Created: early}
		if err := tx.InsertAccount(&account, ""); err != nil {
			return err
		}
		for _, name := range []string{"one", "two"} {
			err := tx.InsertKey(&model.Key{Account: account.ID, Key: name, SecretHash: []byte{}, PreviousHash: []byte{},
				Counter: name, Created: early.Add(-time.Hour)})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err := f.control.FlushUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Time{"one": early, "two": late} {
		k, err := store.Read(t.Context(), f.store, func(tx *store.Tx) (model.Key, error) {
			k, _, err := tx.Key(name)
			return k, err
		})
		if err != nil || !k.LastUsed.Equal(want) {
			t.Errorf("%s was last used at %v, %v, want %v", name, k.LastUsed, err, want)
		}
	}
}
