package pgbus

import (
	"testing"
	"time"

	"signet/internal/live/bustest"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

func TestNodeWithoutOthersSaysNothingButHeartbeats(t *testing.T) {
	testenv.Long(t)
	url, pace := postgrestest.URL(t), hurried
	pace.alone = time.Second // and nobody answers for as long as a heartbeat may take
	here := mustPrepareAt(t, url, pace)
	here.WantMissed(t)
	here.Forget(bustest.Alice) // who is there may not have been heard yet
	eventually(t, "a word of the first moment is said", func() bool { return here.bus.Stats().Published == 1 })
	eventually(t, "a node finds itself alone", here.bus.others.alone)
	here.Forget(bustest.Alice)
	if got := here.bus.Stats(); got.Published != 1 || got.Dropped != 0 || len(here.bus.out) != 0 {
		t.Errorf("alone it counts %+v, and %d words wait", got, len(here.bus.out))
	}

	there := mustPrepareAt(t, url, pace)
	there.WantMissed(t)
	here.WantMissed(t)
	eventually(t, "each hears the other", func() bool {
		if len(there.Forgotten) == 0 {
			here.Forget(bustest.Alice)
		}
		if len(here.Forgotten) == 0 {
			there.Forget(bustest.Bob)
		}
		return len(here.Forgotten) > 0 && len(there.Forgotten) > 0
	})

	if err := there.bus.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a node finds itself alone again", here.bus.others.alone)
}
