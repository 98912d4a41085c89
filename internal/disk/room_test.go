package disk

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/internal/health"
)

var errFull = errors.New("full")

func mustRoom(t *testing.T, change func(*Options)) (*Room, *health.Warnings) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	warnings := health.New(quiet)
	o := Options{Data: t.TempDir(), Embedded: true, Reserve: 1 << 20, Full: errFull, Clock: time.Now, Log: quiet,
		Warnings: warnings}
	if change != nil {
		change(&o)
	}
	return NewRoom(o), warnings
}

func TestTheReserveIsGivenUpInPartsAndMadeAgain(t *testing.T) {
	r, warnings := mustRoom(t, nil)
	if got := r.Figures(); got.Reserve != 1<<20 || got.Full || got.Data <= 0 || got.Files != -1 {
		t.Fatalf("at the start: %+v", got)
	}
	full := fmt.Errorf("commit: %w", errFull)
	if r.Struck(full, false) {
		t.Error("the reserve was given up for something new")
	}
	if all := warnings.All(); len(all) != 1 || !strings.Contains(all[0].Text, "make room") {
		t.Errorf("the operator is told %+v", all)
	}
	var held []int64
	for r.Struck(full, true) {
		held = append(held, r.Figures().Reserve)
	}
	if got, want := fmt.Sprint(held), fmt.Sprint([]int64{512 << 10, 256 << 10, 128 << 10, 64 << 10}); got != want {
		t.Errorf("given up in steps to %s, want %s: a last part is for the next start", got, want)
	}
	// There is room again.
	if !r.ForNew() || r.Figures().Reserve != 1<<20 || len(warnings.All()) != 0 {
		t.Errorf("with room on the disk: %+v, %+v", r.Figures(), warnings.All())
	}
	if r.Struck(errors.New("another"), true) {
		t.Error("the reserve was given up for another error")
	}
}

func TestTooLittleRoomRefusesWhatIsNew(t *testing.T) {
	size := int64(1 << 20)
	r, warnings := mustRoom(t, func(o *Options) { o.Files = o.Data })
	r.limit = 1 << 62 // as if the disk had less
	r.look()
	if r.ForNew() || r.ForFiles() || !r.Figures().Full || len(warnings.All()) != 1 {
		t.Errorf("too little room: %+v, %+v", r.Figures(), warnings.All())
	}
	r.limit = size
	if !r.ForNew() || !r.ForFiles() || len(warnings.All()) != 0 {
		t.Errorf("room again: %+v, %+v", r.Figures(), warnings.All())
	}
}

func TestADatabaseElsewhereThatIsFull(t *testing.T) {
	now := time.Now()
	r, warnings := mustRoom(t, func(o *Options) { o.Embedded, o.Clock = false, func() time.Time { return now } })
	if r.Struck(errFull, true) {
		t.Error("a reserve here makes no room there")
	}
	if all := warnings.All(); len(all) != 1 || !r.Figures().Full || !r.ForNew() {
		t.Errorf("the operator is told %+v, %+v", all, r.Figures())
	}
	now = now.Add(remembered)
	if r.look(); len(warnings.All()) != 0 {
		t.Errorf("a minute later the operator is told %+v", warnings.All())
	}
}

func TestAStartFindsRoom(t *testing.T) {
	r, _ := mustRoom(t, nil)
	Prepare(r.o.Data)
	if r.Figures().Reserve != 1<<20 {
		t.Error("a start with room took the reserve")
	}
	if !r.reserve.giveUp(true) {
		t.Error("nothing was given up")
	}
	if err := r.Close(); err != nil || r.Figures().Reserve != 1<<20/lastPart {
		t.Errorf("a stop left %d bytes for the next start, %v", r.Figures().Reserve, err)
	}
	var nobody *Room
	if !nobody.ForNew() || !nobody.ForFiles() || nobody.Struck(errFull, true) {
		t.Error("without a room there is room for everything")
	}
	if _, err := os.Stat(filepath.Join(r.o.Data, "reserve")); err != nil {
		t.Error(err)
	}
}

func TestAStartWithoutRoomLeavesPartOfTheReserve(t *testing.T) {
	for held, want := range map[int64]int64{
		4 << 20: 3 << 20, 1 << 20: 512 << 10, startNeeds + 1: 1, startNeeds: 0, 64 << 10: 0,
	} {
		if got := leave(held); got != want {
			t.Errorf("of a reserve of %d bytes a start leaves %d, want %d", held, got, want)
		}
	}
}
