package pgring_test

import (
	"testing"
	"time"

	"signet/internal/testenv"
)

func TestTimeIsNotedForAllServers(t *testing.T) {
	testenv.Long(t)
	c := newCluster(t)
	r := c.mustOpen("1")
	if at, err := r.KnownTime(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("at first it is %v, %v", at, err)
	}
	noted := c.clock.Now().Truncate(time.Millisecond)
	for _, at := range []time.Time{noted, noted.Add(-time.Hour)} {
		if err := r.NoteTime(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if got, err := c.mustOpen("1").KnownTime(t.Context()); err != nil || !got.Equal(at) {
			t.Errorf("noted %v, it is %v, %v", at, got, err)
		}
	}
}
