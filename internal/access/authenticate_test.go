package access

import (
	"net/netip"
	"strings"
	"testing"
	"unsafe"

	"signet/internal/cache"
	"signet/internal/model"
	"signet/internal/operators"
)

// A caller's key lies in one piece of memory with its secret.
func TestWhatIsRememberedOfACallerKeepsNoSecretInMemory(t *testing.T) {
	f := newFixture(t)
	if err := operators.First(t.Context(), f.store, f.now, "operator", "secret"); err != nil {
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
