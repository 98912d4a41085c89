// Package health keeps the warnings of a running server to its operator: a clock in
// doubt, a key ring that is too old, a disk that is almost full. The code that finds
// such a condition sets a warning, and clears it when it is over.
//
// It owns the warnings that hold now, their two lines in the log and their metric, and
// tells what fails because the store, the key ring or the files are away from what
// fails for a reason of its own. It decides nothing: a server with warnings is ready.
package health

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Warning is one condition that needs the operator's attention.
type Warning struct {
	Topic string // one word of a fixed few, such as clock: the metric's label
	Text  string // what is wrong and what to do: one line, without secrets or names, for /readyz shows it to all
}

// Warnings are those that hold now. A nil *Warnings takes them and forgets them,
// for commands that work without a server. It is safe for concurrent use.
type Warnings struct {
	log *slog.Logger

	mu   sync.Mutex // guards held
	held map[string]string
}

// New returns no warnings yet. log is told when one begins and when it ends.
func New(log *slog.Logger) *Warnings {
	return &Warnings{log: log, held: map[string]string{}}
}

// Set makes a warning hold. The log is told once, with more than others may see (names
// and values in turn); a later Set of the topic changes the text only.
func (w *Warnings) Set(topic, text string, more ...any) {
	if w == nil {
		return
	}
	w.mu.Lock()
	_, known := w.held[topic]
	w.held[topic] = text
	w.mu.Unlock()
	if !known {
		w.log.Error(text, append([]any{"warning", topic}, more...)...)
	}
}

// Clear ends a warning. One that does not hold may be cleared.
func (w *Warnings) Clear(topic string, more ...any) {
	if w == nil {
		return
	}
	w.mu.Lock()
	text, known := w.held[topic]
	delete(w.held, topic)
	w.mu.Unlock()
	if known {
		w.log.Info("over: "+text, append([]any{"warning", topic}, more...)...)
	}
}

// Holds reports whether there is a warning of a topic.
func (w *Warnings) Holds(topic string) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.held[topic]
	return known
}

// All returns the warnings that hold, by topic.
func (w *Warnings) All() []Warning {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Warning
	for _, topic := range slices.Sorted(maps.Keys(w.held)) {
		all = append(all, Warning{Topic: topic, Text: w.held[topic]})
	}
	return all
}

var warningMetric = prometheus.NewDesc("signet_warning",
	"1 for each thing that the operator has to see to; the text of /readyz says what it is.", []string{"topic"}, nil)

// Describe is part of prometheus.Collector.
func (w *Warnings) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- warningMetric }

// Collect is part of prometheus.Collector.
func (w *Warnings) Collect(metrics chan<- prometheus.Metric) {
	for _, warning := range w.All() {
		metrics <- prometheus.MustNewConstMetric(warningMetric, prometheus.GaugeValue, 1, warning.Topic)
	}
}
