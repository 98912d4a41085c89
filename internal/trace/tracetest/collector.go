// Package tracetest is a collector of OpenTelemetry for tests: it takes what a server sends,
// and shows it. It owns nothing else, and must not be imported by what is no test.
package tracetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	wire "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector is a collector that listens on loopback.
type Collector struct {
	URL string // its base

	mu       sync.Mutex // guards all below
	changed  chan struct{}
	spans    []*wire.Span
	resource []*common.KeyValue
	header   http.Header // of the last request
	raw      []byte      // all that was sent
	answer   func(w http.ResponseWriter) (taken bool)
}

// Start starts a collector, which ends with the test.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{changed: make(chan struct{})}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Answer has the collector answer in another way than to take everything; nil: it takes everything.
func (c *Collector) Answer(with func(w http.ResponseWriter) (taken bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = with
}

// ServeHTTP takes what is sent.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "want a request of OTLP", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header = r.Header.Clone()
	c.raw = append(c.raw, body...)
	if c.answer == nil || c.answer(w) {
		for _, from := range request.ResourceSpans {
			c.resource = from.Resource.Attributes
			for _, scope := range from.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// Spans returns what came.
func (c *Collector) Spans() []*wire.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Raw returns all bytes that came, with those that were not taken.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw)
}

// Header returns that of the last request.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.header
}

// Resource returns what the last request says of the server, by name.
func (c *Collector) Resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]string{}
	for _, a := range c.resource {
		out[a.Key] = a.Value.GetStringValue()
	}
	return out
}

// Await returns the first span that is as wanted, once it is there. The test's own time limit
// ends it.
func (c *Collector) Await(t testing.TB, what string, wanted func(*wire.Span) bool) *wire.Span {
	t.Helper()
	for {
		c.mu.Lock()
		spans, changed := c.spans, c.changed
		c.mu.Unlock()
		if i := slices.IndexFunc(spans, wanted); i >= 0 {
			return spans[i]
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("%s did not come", what)
		}
	}
}

// Named is for Await: a span of this name.
func Named(name string) func(*wire.Span) bool {
	return func(s *wire.Span) bool { return s.Name == name }
}

// Attributes returns those of a span as text and numbers, by name.
func Attributes(s *wire.Span) map[string]any {
	out := map[string]any{}
	for _, a := range s.Attributes {
		switch value := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = value.StringValue
		case *common.AnyValue_IntValue:
			out[a.Key] = value.IntValue
		}
	}
	return out
}
