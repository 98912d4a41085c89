package seal

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func mustEnd(t *testing.T, r *Ring, left func(context.Context, Name) (bool, error), names ...Name) []Name {
	t.Helper()
	settled, err := r.End(t.Context(), r.clock(), names, left)
	if err != nil {
		t.Fatal(err)
	}
	return settled
}

func TestEndedKeyIsGoneFromTheRingAndItsFile(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	sealed, kept := mustSeal(t, r, ward, "gone", "row"), mustSeal(t, r, later, "kept", "row")
	id := KeyID(sealed[1:prefixSize]).String()
	before := mustRead(t, p.ring)
	if !bytes.Contains(before, []byte(id)) {
		t.Fatal("the key is not in the file: this test looks at the wrong place")
	}
	if settled := mustEnd(t, r, nothingLeft, ward, lab); len(settled) != 2 {
		t.Errorf("settled %v, want both names", settled)
	}
	after := mustRead(t, p.ring)
	if rest := bytes.Split(before, []byte(id))[1][:60]; bytes.Contains(after, rest) {
		t.Errorf("the file still has %q", rest)
	}
	if n := bytes.Count(after, []byte(id)); n != 1 || !bytes.Contains(after, []byte("gone "+id)) {
		t.Errorf("the file names the key %d times, want once, as gone:\n%s", n, after)
	}
	for _, ring := range []*Ring{r, p.mustOpenBeside(t)} {
		if _, err := ring.Open(t.Context(), sealed, Bind("row")); !errors.Is(err, ErrKeyGone) {
			t.Errorf("what the key sealed: %v, want ErrKeyGone", err)
		}
		wantText(t, ring, kept, "row", "kept")
	}
	again := mustSeal(t, r, ward, "again", "row")
	if bytes.Equal(again[:prefixSize], sealed[:prefixSize]) {
		t.Error("the key is back")
	}
	wantText(t, r, again, "row", "again")
}

func TestOldFileIsOverwrittenWhereItLay(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	mustSeal(t, r, ward, "text", "row")
	link := p.ring + ".link" // what is left of the old file under another name
	mustLink(t, p.ring, link)
	size := len(mustRead(t, link))
	mustEnd(t, r, nothingLeft, ward)
	if got := mustRead(t, link); len(got) != size || len(bytes.Trim(got, "\x00")) != 0 {
		t.Errorf("the old file has %q, want %d zeros", got, size)
	}
}

func TestKeyOfWhichSomethingIsLeftStays(t *testing.T) {
	r := newPlace(t).mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "text", "row")
	if settled := mustEnd(t, r, somethingLeft, ward); !slices.Equal(settled, []Name{ward}) {
		t.Errorf("settled %v, want it", settled)
	}
	wantText(t, r, sealed, "row", "text")
	if again := mustSeal(t, r, ward, "more", "row"); !bytes.Equal(again[:prefixSize], sealed[:prefixSize]) {
		t.Error("a key that is needed was replaced")
	}
	failed := errors.New("no answer")
	if _, err := r.End(t.Context(), r.clock(), []Name{ward},
		func(context.Context, Name) (bool, error) { return false, failed }); !errors.Is(err, failed) {
		t.Errorf("End: %v, want %v", err, failed)
	}
	wantText(t, r, sealed, "row", "text")
}

// A sender holds a key, has sealed with it, and has stored nothing yet.
func TestKeyIsNotDestroyedWhileSomebodyHoldsIt(t *testing.T) {
	r := newPlace(t).mustOpen(t, "")
	lease, err := r.Use(t.Context(), ward)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := lease.Seal([]byte("on its way"), Bind("row"))
	if err != nil {
		t.Fatal(err)
	}
	if settled := mustEnd(t, r, nothingLeft, ward); len(settled) != 0 {
		t.Errorf("settled %v while the key was held", settled)
	}
	// Others go on with a new key meanwhile.
	other := mustSeal(t, r, ward, "other", "row")
	if bytes.Equal(other[:prefixSize], sealed[:prefixSize]) {
		t.Error("a key that is to end was handed out")
	}
	lease.Release() // it was stored
	if settled := mustEnd(t, r, somethingLeft, ward); !slices.Equal(settled, []Name{ward}) {
		t.Errorf("settled %v, want it: something is left", settled)
	}
	wantText(t, r, sealed, "row", "on its way")
	wantText(t, r, other, "row", "other")
	if settled := mustEnd(t, r, nothingLeft, ward); !slices.Equal(settled, []Name{ward}) {
		t.Errorf("settled %v, want it", settled)
	}
	for _, s := range [][]byte{sealed, other} {
		if _, err := r.Open(t.Context(), s, Bind("row")); !errors.Is(err, ErrKeyGone) {
			t.Errorf("after the end: %v, want ErrKeyGone", err)
		}
	}
}

// Between the two questions of End a sender stores something.
func TestKeyStaysForWhatCameWhileItWasEnding(t *testing.T) {
	r := newPlace(t).mustOpen(t, "")
	lease, err := r.Use(t.Context(), ward)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := lease.Seal([]byte("just in time"), Bind("row"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	mustEnd(t, r, func(context.Context, Name) (bool, error) {
		if asked++; asked == 1 {
			lease.Release() // its transaction was done after the question
			return false, nil
		}
		return true, nil
	}, ward)
	if asked != 2 {
		t.Errorf("asked %d times, want twice", asked)
	}
	wantText(t, r, sealed, "row", "just in time")
}

func TestKeyOfWhoDoesNotKnowWhatBecameOfItStaysForTheGrace(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	lease, err := r.Use(t.Context(), ward)
	if err != nil {
		t.Fatal(err)
	}
	lease.ReleaseInDoubt()
	for range 2 {
		if settled := mustEnd(t, r, nothingLeft, ward); len(settled) != 0 {
			t.Errorf("settled %v within the grace", settled)
		}
		p.clock.Advance(grace - time.Second)
	}
	p.clock.Advance(time.Second)
	if settled := mustEnd(t, r, nothingLeft, ward); len(settled) != 1 {
		t.Error("not settled after the grace")
	}
}

func TestLeaseGrowsStale(t *testing.T) {
	p := newPlace(t)
	lease, err := p.mustOpen(t, "").Use(t.Context(), ward)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	p.clock.Advance(LeaseTime)
	if !lease.Fresh() {
		t.Error("a lease is stale within its time")
	}
	p.clock.Advance(time.Millisecond)
	if lease.Fresh() {
		t.Error("a lease is fresh after its time")
	}
}
