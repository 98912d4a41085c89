package envelope

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

var secret = []byte("the secret of an installation...")

func mustNew(t *testing.T, secret []byte, epoch string) *Envelope {
	t.Helper()
	e, err := New(secret, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSealedMessagesOpenForTheirPlaceOnly(t *testing.T) {
	one, two := mustNew(t, secret, "epoch"), mustNew(t, secret, "epoch")
	seen := map[string]bool{}
	for i := range 100 {
		want := fmt.Sprint("text ", i%2)
		sealed := one.Seal("place", []byte(want))
		if seen[string(sealed[:headSize])] {
			t.Fatal("a nonce comes twice under one key")
		}
		seen[string(sealed[:headSize])] = true
		if len(sealed) != len(want)+Overhead {
			t.Errorf("%d bytes are sealed in %d, want %d more", len(want), len(sealed), Overhead)
		}
		if _, err := two.Open("another", sealed); err == nil {
			t.Error("it opens in another place")
		}
		if got, err := two.Open("place", sealed); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if _, err := two.Open("place", sealed); err == nil {
			t.Error("it opens twice")
		}
	}
}

func TestWhatAnotherInstallationSealedDoesNotOpen(t *testing.T) {
	e := mustNew(t, secret, "epoch")
	sealed := mustNew(t, secret, "epoch").Seal("place", []byte("text"))
	bent := slices.Clone(sealed)
	bent[len(bent)-1] ^= 1
	for what, wrong := range map[string][]byte{
		"nothing": nil, "a format alone": {format}, "zeros": make([]byte, 100), "a bent message": bent,
		"a head alone":   sealed[:headSize],
		"another secret": mustNew(t, []byte("another"), "epoch").Seal("place", []byte("text")),
		"another epoch":  mustNew(t, secret, "another").Seal("place", []byte("text")),
	} {
		if text, err := e.Open("place", wrong); err == nil {
			t.Errorf("%s opens as %q", what, text)
		}
	}
	if text, err := e.Open("place", sealed); err != nil || !bytes.Equal(text, []byte("text")) {
		t.Errorf("after all of these a right one opens as %q, %v", text, err)
	}
}

func TestNodeKnowsItsOwnMessages(t *testing.T) {
	one, two := mustNew(t, secret, "epoch"), mustNew(t, secret, "epoch")
	for want := range uint64(3) {
		sealed := one.Seal("place", nil)
		if number, own := one.Own(sealed); !own || number != want+1 {
			t.Errorf("its own message has number %d (its own: %t), want %d", number, own, want+1)
		}
		if _, own := two.Own(sealed); own {
			t.Error("another's message is taken for its own")
		}
	}
	if _, own := one.Own([]byte{format}); own {
		t.Error("what is no message is taken for its own")
	}
}

func TestInstallationsHaveNamesOfTheirOwn(t *testing.T) {
	names := map[string]bool{}
	for _, of := range [][2]string{{"one", "epoch"}, {"two", "epoch"}, {"one", "another"}, {"one", "epoch"}} {
		name, err := Installation([]byte(of[0]), of[1])
		if err != nil || len(name) != 16 {
			t.Errorf("%q: %q, %v", of, name, err)
		}
		names[name] = true
	}
	if len(names) != 3 {
		t.Errorf("three installations have the names %v", names)
	}
}
