package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// work is where the allocations of a busy time go.
var work []byte

func TestServerThatHasNothingToDoGivesMemoryBackOnce(t *testing.T) {
	var logged strings.Builder
	shrunk, forgotten := 0, 0
	var fault error
	r := &rest{log: slog.New(slog.NewTextHandler(&logged, nil)),
		shrink: func(context.Context) error { shrunk++; return fault }, forget: func() { forgotten++ }}
	look := func(busy bool) {
		if busy {
			work = make([]byte, 2*restAllocations)
		}
		r.look(t.Context())
	}
	for _, step := range []struct {
		what string
		busy bool
		want int
	}{
		{"at first", true, 0}, {"still busy", true, 0}, {"idle", false, 1}, {"still idle", false, 1}, {"busy again", true, 1},
		{"and idle again", false, 2},
	} {
		if look(step.busy); shrunk != step.want || forgotten != step.want {
			t.Errorf("%s: memory was given back %d times and what is remembered forgotten %d times, want %d", step.what, shrunk,
				forgotten, step.want)
		}
	}
	fault = errors.New("the disk is away")
	look(true)
	if look(false); !strings.Contains(logged.String(), fault.Error()) {
		t.Errorf("the log %q does not say what failed", logged.String())
	}
}

func TestRestEndsWithTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	newRest(nil, func() {}, slog.New(slog.DiscardHandler)).run(ctx)
}
