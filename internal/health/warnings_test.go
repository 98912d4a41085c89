package health

import (
	"log/slog"
	"reflect"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/testlog"
)

func TestAWarningHoldsUntilItIsCleared(t *testing.T) {
	var log testlog.Log
	w := New(slog.New(slog.NewTextHandler(&log, nil)))
	w.Set("disk", "the disk is full")
	w.Set("clock", "the clock is 2 h ahead")
	w.Set("clock", "the clock is 3 h ahead")
	want := []Warning{{"clock", "the clock is 3 h ahead"}, {"disk", "the disk is full"}}
	if got := w.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("All() = %v, want %v", got, want)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(w)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || len(families[0].GetMetric()) != 2 {
		t.Errorf("Gather() = %v, %v; want one family of two", families, err)
	}
	w.Clear("clock")
	w.Clear("clock")
	if got := w.All(); !reflect.DeepEqual(got, want[1:]) {
		t.Errorf("after Clear, All() = %v, want %v", got, want[1:])
	}
	if got := log.Count("level=ERROR"); got != 2 {
		t.Errorf("%d lines say that something began, want 2:\n%s", got, log.String())
	}
	if got := log.Count("level=INFO"); got != 1 {
		t.Errorf("%d lines say that something is over, want 1:\n%s", got, log.String())
	}
}

func TestNobodyNeedsToKeepWarnings(t *testing.T) {
	var w *Warnings
	w.Set("clock", "ahead")
	w.Clear("clock")
	if got := w.All(); got != nil {
		t.Errorf("All() = %v, want none", got)
	}
}
