package service

import (
	"net/netip"
	"strings"
	"testing"
	"unsafe"

	"signet/internal/model"
)

// A caller's key lies in one piece of memory with its secret.
func TestWhatIsRememberedOfACallerKeepsNoSecretInMemory(t *testing.T) {
	c := newSealed(t)
	sent := strings.Clone("operator:secret")
	key := sent[:len("operator")]
	if _, err := c.nodes[0].Authenticate(t.Context(), key, sent[len("operator:"):], netip.Addr{}); err != nil {
		t.Fatal(err)
	}
	s := c.nodes[0]
	kept := []string{}
	s.actors.ForgetFunc(func(key string, known recentlyRead[*model.Actor]) bool {
		kept = append(kept, key, known.value.Key.Key)
		return false
	})
	for k := range s.used {
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
