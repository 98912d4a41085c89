package standby

import (
	"bytes"
	"strings"
	"testing"
)

func TestObjectThatWasChangedDoesNotOpen(t *testing.T) {
	const name = "standby/terms/00000001/SESSION/000000000007"
	sealed, err := sealObject(testKey, name, []byte("pages"))
	if err != nil {
		t.Fatal(err)
	}
	if content, err := openObject(testKey, name, sealed); err != nil || string(content) != "pages" {
		t.Fatalf("got %q, error %v", content, err)
	}
	if bytes.Contains(sealed, []byte("pages")) {
		t.Error("what is sealed can be read")
	}
	if again, err := sealObject(testKey, name, []byte("pages")); err != nil || bytes.Equal(again, sealed) {
		t.Errorf("two times the same are seen to be the same, error %v", err)
	}
	refused := func(how, key, name string, sealed []byte) {
		t.Helper()
		if _, err := openObject(key, name, sealed); err == nil || !strings.Contains(err.Error(), name) ||
			strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v", how, err)
		}
	}
	refused("with another key", strings.Repeat("x", 32), name, sealed)
	refused("in the place of another", testKey, name[:len(name)-1]+"8", sealed)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		refused("changed", testKey, name, changed)
		refused("cut off", testKey, name, sealed[:i])
	}
}
