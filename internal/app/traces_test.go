package app_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	wire "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/blob/s3test"
	"signet/internal/config"
	"signet/internal/testenv"
	"signet/internal/trace"
	"signet/internal/trace/tracetest"
)

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
	callersOwn   = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// traced has a server send the traces to a collector that callers want.
func traced(c *tracetest.Collector) func(*config.Config) {
	return func(cfg *config.Config) { cfg.Tracing.Endpoint, cfg.Tracing.Sample = c.URL, 0 }
}

// ofCaller are the spans in the trace that callersOwn names, by their names.
func ofCaller(spans []*wire.Span) map[string][]*wire.Span {
	out := map[string][]*wire.Span{}
	for _, s := range spans {
		if fmt.Sprintf("%x", s.TraceId) == callersTrace {
			out[s.Name] = append(out[s.Name], s)
		}
	}
	return out
}

// mustCallTraced sends a request in the trace of callersOwn.
func mustCallTraced(t *testing.T, s *apptest.Server, by *apptest.Person, method, target, contentType, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(by.Key, by.Secret)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Request-ID", "the-request")
	r.Header.Set("Traceparent", callersOwn)
	r.Header.Set("Tracestate", "vendor=of-the-caller")
	answer, err := s.NewHTTPClient().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 500 {
		t.Fatalf("%s %s answered %d", method, target, answer.StatusCode)
	}
}

const upload = "--b\r\nContent-Disposition: form-data; name=\"recipient\"\r\n\r\nbob\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"attachment\"; filename=\"a.txt\"\r\n\r\nof-a-file\r\n--b--\r\n"

// TestCallIsTracedWithItsParts: a span for the call, and one for each transaction and file in
// it; nothing of what is said; the log knows the trace; and what waits is sent at the end.
func TestCallIsTracedWithItsParts(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	s := apptest.Start(t, traced(collector), func(cfg *config.Config) { cfg.Log.Access = true })
	cast := s.People()
	mustCallTraced(t, s, cast.Alice, "POST", "/v2/message", "multipart/form-data; boundary=b", upload)
	mustCallTraced(t, s, cast.Alice, "POST", "/v2/message", "application/json", `{"body": "nobody gets it"}`)
	mustCallTraced(t, s, cast.Alice, "GET", "/v2/nothing?token=secret", "text/plain", "")
	s.Stop()
	spans := ofCaller(collector.Spans())
	calls := spans["POST /v2/message"]
	if len(calls) != 2 || len(spans["file"]) != 1 || len(spans["transaction"]) == 0 || len(spans["GET"]) != 1 {
		t.Fatalf("the spans are %v", spans)
	}
	for i, want := range []string{"", "recipient_required"} {
		call := calls[i]
		a := tracetest.Attributes(call)
		if code, _ := a["error.type"].(string); a["http.request.method"] != "POST" || a["http.route"] != "/v2/message" ||
			code != want || call.Kind != wire.Span_SPAN_KIND_SERVER || call.Status.Code != 0 ||
			fmt.Sprintf("%x", call.ParentSpanId) != callersSpan {
			t.Errorf("the call is %v", call)
		}
	}
	if a := tracetest.Attributes(spans["GET"][0]); a["http.route"] != "unmatched" ||
		a["http.response.status_code"] != int64(404) {
		t.Errorf("an unknown path is told of as %v", a)
	}
	wantPartsOf(t, append(spans["transaction"], spans["file"]...), append(calls, spans["GET"]...))
	wantStored(t, spans["transaction"], spans["file"][0])
	wantOnlyAllowed(t, collector)
	for _, never := range []string{"of-a-file", "of-the-caller", "a.txt", "secret", "the-request", cast.Alice.Key,
		cast.Alice.Secret, cast.Alice.Token, "alice", "nobody gets it", "General Hospital"} {
		if strings.Contains(string(collector.Raw()), never) {
			t.Errorf("%q leaves the server", never)
		}
	}
	if n := s.Log.Count("request_id=the-request"); n < 3 || s.Log.Count("trace_id="+callersTrace) != n {
		t.Errorf("%d lines have the id of the request, %d that of the trace, in\n%s", n,
			s.Log.Count("trace_id="+callersTrace), s.Log)
	}
}

// wantStored wants one of some transactions to have written, and a file to have been stored.
func wantStored(t *testing.T, transactions []*wire.Span, file *wire.Span) {
	t.Helper()
	wrote := slices.ContainsFunc(transactions, func(s *wire.Span) bool {
		a := tracetest.Attributes(s)
		return a["db.operation.name"] == "write" && a["signet.statements"].(int64) > 1 && a["signet.tries"].(int64) >= 1
	})
	if a := tracetest.Attributes(file); !wrote || a["signet.file.operation"] != "put" ||
		a["signet.file.place"] != "directory" {
		t.Errorf("the spans are %v and %v", transactions, file)
	}
}

// wantPartsOf wants each of some spans to be part of a call.
func wantPartsOf(t *testing.T, parts, calls []*wire.Span) {
	t.Helper()
	for _, part := range parts {
		if !slices.ContainsFunc(calls, func(call *wire.Span) bool {
			return string(part.ParentSpanId) == string(call.SpanId)
		}) {
			t.Errorf("%s is part of no call", part.Name)
		}
	}
}

// wantOnlyAllowed wants no span to have an attribute that is not on the list.
func wantOnlyAllowed(t *testing.T, collector *tracetest.Collector) {
	t.Helper()
	allowed := trace.Keys()
	for _, s := range collector.Spans() {
		for name := range tracetest.Attributes(s) {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s has the attribute %s", s.Name, name)
			}
		}
	}
}

// TestBackgroundTasksAreTraced, each sweep with its parts.
func TestBackgroundTasksAreTraced(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	collector := tracetest.Start(t)
	s := apptest.Start(t, traced(collector), func(cfg *config.Config) { cfg.Tracing.Sample = 1 })
	sweep := collector.Await(t, "a sweep", tracetest.Named("task sweep"))
	part := collector.Await(t, "a part of it", func(s *wire.Span) bool {
		return s.Name == "task messages" && string(s.ParentSpanId) == string(sweep.SpanId)
	})
	collector.Await(t, "its transaction", func(s *wire.Span) bool {
		return s.Name == "transaction" && string(s.ParentSpanId) == string(part.SpanId)
	})
	if a := tracetest.Attributes(part); a["signet.task"] != "messages" {
		t.Errorf("the part is told of as %v", a)
	}
	if r := collector.Resource(); r["service.name"] != "signet" || r["service.instance.id"] == "" {
		t.Errorf("the server is told of as %v", r)
	}
	for _, fate := range []string{"sent", "dropped", "failed"} {
		if n := metric(t, s, `signet_trace_spans_total{fate="`+fate+`"}`); (n > 0) != (fate == "sent") {
			t.Errorf("%v spans are %s", n, fate)
		}
	}
}

// TestTraceGoesOnWithOtherServers: what one server tells another is in the trace of the call
// that caused it.
func TestTraceGoesOnWithOtherServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		collector := tracetest.Start(t)
		c := newCluster(t, 2, nats, traced(collector))
		c.listen(0, c.Bob)
		eventually(t, "the servers hear of each other", func() bool { // before that nothing is said
			mustCallTraced(t, c.nodes[1], c.Alice, "POST", "/v2/message", "application/json",
				`{"recipient": "bob", "body": "hello"}`)
			return metric(t, c.nodes[0], busMetric("received_total", nats)) > 0
		})
		inTrace := func(name string) *wire.Span {
			return collector.Await(t, name, func(s *wire.Span) bool {
				return s.Name == name && fmt.Sprintf("%x", s.TraceId) == callersTrace
			})
		}
		received := inTrace("bus receive")
		sent := collector.Await(t, "what was sent", func(s *wire.Span) bool {
			return string(s.SpanId) == string(received.ParentSpanId)
		})
		if sent.Name != "bus send" || sent.Kind != wire.Span_SPAN_KIND_PRODUCER ||
			received.Kind != wire.Span_SPAN_KIND_CONSUMER {
			t.Errorf("the spans are %v and %v", sent, received)
		}
		if a := tracetest.Attributes(received); a["signet.notice"] != "wake" || a["signet.accounts"].(int64) < 1 {
			t.Errorf("what came is told of as %v", a)
		}
		collector.Await(t, "the call", func(s *wire.Span) bool { return string(s.SpanId) == string(sent.ParentSpanId) })
	})
}

// TestTraceGoesOnWithTheBucket in the header of its requests, which stay signed.
func TestTraceGoesOnWithTheBucket(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	server := s3test.Shared(t)
	proxy := s3test.NewProxy(t, server.Addr()) // to see what passes
	bucket := server.Bucket(t)
	s := apptest.Start(t, traced(collector), func(cfg *config.Config) { cfg.Blobs = bucket.Through(proxy.Addr()) })
	cast := s.People()
	mustCallTraced(t, s, cast.Alice, "POST", "/v2/message", "multipart/form-data; boundary=b", upload)
	s.Stop()
	spans := ofCaller(collector.Spans())
	if len(spans["file"]) != 1 || tracetest.Attributes(spans["file"][0])["signet.file.place"] != "s3" {
		t.Fatalf("the spans are %v", spans)
	}
	var known []string
	for _, span := range slices.Concat(slices.Collect(maps.Values(spans))...) {
		known = append(known, fmt.Sprintf("00-%s-%x-01", callersTrace, span.SpanId))
	}
	want := fmt.Sprintf("00-%s-%x-01", callersTrace, spans["file"][0].SpanId)
	passed := slices.DeleteFunc(proxy.Headers("Traceparent"), func(parent string) bool { // what no call asked for
		return !strings.HasPrefix(parent, "00-"+callersTrace)
	})
	if !slices.Contains(passed, want) ||
		slices.ContainsFunc(passed, func(parent string) bool { return !slices.Contains(known, parent) }) {
		t.Errorf("the bucket is told of the spans %q, want %s among those of the call, %q", passed, want, known)
	}
}

// TestCollectorThatIsAwayHarmsNoCall.
func TestCollectorThatIsAwayHarmsNoCall(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(cfg *config.Config) { cfg.Tracing.Endpoint = "http://127.0.0.1:1" })
	s.Allow("traces do not reach their collector")
	cast := s.People()
	if _, err := cast.Alice.Client.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: "hello"}); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if n := s.Log.Count("traces do not reach their collector"); n != 1 {
		t.Errorf("it is told %d times", n)
	}
}

// TestNobodyGetsTracesWhomTheSettingsDoNotName, whatever is set for all programs of the machine.
func TestNobodyGetsTracesWhomTheSettingsDoNotName(t *testing.T) {
	collector := tracetest.Start(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.URL+"/v1/traces")
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	s := apptest.Start(t)
	cast := s.People()
	mustCallTraced(t, s, cast.Alice, "POST", "/v2/message", "application/json", `{"recipient": "bob", "body": "hello"}`)
	s.Stop()
	if raw := collector.Raw(); len(raw) > 0 {
		t.Errorf("the collector gets %q", raw)
	}
	if s.Log.Count("trace_id") > 0 {
		t.Error("the log names a trace")
	}
}
