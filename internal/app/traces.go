package app

import (
	"fmt"

	"github.com/google/uuid"

	"signet/internal/build"
	"signet/internal/trace"
	"signet/internal/trace/otlp"
)

// openTraces begins to send traces to the collector that the settings name; nil: they name none.
func (a *App) openTraces() (*trace.Tracer, error) {
	cfg := a.cfg.Tracing
	if cfg.Endpoint == "" {
		return nil, nil
	}
	version, _ := build.Info()
	e, err := otlp.Open(otlp.Options{Endpoint: cfg.Endpoint, Headers: cfg.Headers, CA: cfg.CA, Sample: cfg.Sample,
		Service: cfg.Service, Version: version, Instance: uuid.NewString(), Log: a.log})
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	a.undo = append(a.undo, e.Close)
	fate := func(name string, read func() int64) error {
		return a.registry.Register(counter("signet_trace_spans_total", "Spans of traces, by what became of them.",
			labels{"fate": name}, read))
	}
	for name, n := range map[string]func() int64{"sent": e.Sent.Load, "dropped": e.Dropped.Load, "failed": e.Failed.Load} {
		if err := fate(name, n); err != nil {
			return nil, fmt.Errorf("register the metrics of traces: %w", err)
		}
	}
	return trace.New(e.Provider(), cfg.Follow), nil
}
