package seal

import (
	"os"
	"testing"
	"time"
)

func TestTimeIsNotedBesideAFile(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	want := func(what string, at time.Time) {
		t.Helper()
		if got, err := p.mustOpenBeside(t).KnownTime(t.Context()); err != nil || !got.Equal(at) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, at)
		}
	}
	want("at first", time.Time{})
	sealed := mustSeal(t, r, ward, "text", "row")
	noted := p.clock.Now().Truncate(time.Millisecond)
	for _, at := range []time.Time{noted, noted.Add(time.Hour), noted.Add(-time.Hour)} {
		if err := r.NoteTime(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		want("noted", at)
	}
	wantText(t, p.mustOpenBeside(t), sealed, "row", "text")
	if err := os.WriteFile(p.ring+timeSuffix, []byte("12x"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("damaged", time.Time{})
}
