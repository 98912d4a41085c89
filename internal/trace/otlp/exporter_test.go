package otlp

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"signet/internal/testlog"
	"signet/internal/trace"
	"signet/internal/trace/tracetest"
)

func open(t *testing.T, o Options) (*Exporter, *testlog.Log) {
	t.Helper()
	log := new(testlog.Log)
	o.Log, o.Sample, o.Service, o.Version, o.Instance = slog.New(slog.NewTextHandler(log, nil)), 1, "ward", "v1", "i"
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, log
}

func (e *Exporter) span(ctx context.Context, name string) { e.spanOf(ctx, name).End() }

func (e *Exporter) spanOf(ctx context.Context, name string) oteltrace.Span {
	_, span := e.Provider().Tracer("test").Start(ctx, name)
	return span
}

// TestNothingLeavesButWhatIsAllowed: whatever a part would put into a span.
func TestNothingLeavesButWhatIsAllowed(t *testing.T) {
	c := tracetest.Start(t)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "secret.name=of-the-environment")
	headers := filepath.Join(t.TempDir(), "headers")
	said := "# for the collector\n\nAuthorization: Bearer t0ken\nX-Scope: a:b\n"
	if err := os.WriteFile(headers, []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	e, log := open(t, Options{Endpoint: c.URL + "/", Headers: headers})
	state, _ := oteltrace.ParseTraceState("vendor=of-the-caller")
	parent := oteltrace.NewSpanContext(oteltrace.SpanContextConfig{TraceID: oteltrace.TraceID{1},
		SpanID: oteltrace.SpanID{2}, TraceFlags: oteltrace.FlagsSampled, TraceState: state, Remote: true})
	span := e.spanOf(oteltrace.ContextWithRemoteSpanContext(t.Context(), parent), "call")
	span.SetAttributes(attribute.String("user.name", "of-a-person"), attribute.Int("http.response.status_code", 204),
		attribute.String("http.route", "/v2/message"))
	span.AddEvent("of-an-event")
	span.RecordError(os.ErrClosed)
	span.SetStatus(codes.Error, "of-an-error")
	span.AddLink(oteltrace.Link{SpanContext: parent, Attributes: []attribute.KeyValue{attribute.String("a", "of-a-link")}})
	span.End()
	e.Close()
	if len(c.Spans()) != 1 || e.Sent.Load() != 1 {
		t.Fatalf("%d spans came, %d were counted, want 1; the log is %s", len(c.Spans()), e.Sent.Load(), log)
	}
	if raw := string(c.Raw()); strings.Contains(raw, "of-") {
		t.Errorf("what is not allowed leaves: %q", raw)
	}
	got := c.Spans()[0]
	if a := tracetest.Attributes(got); len(a) != 2 || a["http.route"] != "/v2/message" ||
		a["http.response.status_code"] != int64(204) {
		t.Errorf("the attributes are %v", a)
	}
	if got.Name != "call" || got.TraceId[0] != 1 || got.ParentSpanId[0] != 2 || len(got.Links) != 1 ||
		got.EndTimeUnixNano < got.StartTimeUnixNano || got.Status.Code != 2 {
		t.Errorf("the span is %v", got)
	}
	h := c.Header()
	if h.Get("Authorization") != "Bearer t0ken" || h.Get("X-Scope") != "a:b" {
		t.Errorf("the headers are %v", h)
	}
	if r := c.Resource(); r["service.name"] != "ward" || r["service.version"] != "v1" || r["service.instance.id"] != "i" {
		t.Errorf("the server is told of as %v", r)
	}
}

// TestSpansAreDroppedAndNobodyWaits where the collector does not keep up.
func TestSpansAreDroppedAndNobodyWaits(t *testing.T) {
	c := tracetest.Start(t)
	held, release := make(chan struct{}, 1), make(chan struct{})
	c.Answer(func(http.ResponseWriter) bool {
		select {
		case held <- struct{}{}:
		default:
		}
		<-release
		return true
	})
	e, _ := open(t, Options{Endpoint: c.URL, Pace: time.Millisecond})
	e.span(t.Context(), "first")
	<-held // from now on nothing is taken out of the queue
	for range waiting + 10 {
		e.span(t.Context(), "more")
	}
	if n := e.Dropped.Load(); n != 10 {
		t.Errorf("%d spans are dropped, want 10", n)
	}
	close(release)
	e.Close()
	if n := e.Sent.Load(); n != waiting+1 {
		t.Errorf("%d spans are sent, want all that waited", n)
	}
}

// TestCollectorThatRefusesIsToldOnce, and spans that it does not take are counted.
func TestCollectorThatRefusesIsToldOnce(t *testing.T) {
	c := tracetest.Start(t)
	c.Answer(func(w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusUnauthorized)
		return false
	})
	log := new(testlog.Log)
	e, err := newExporter(Options{Endpoint: c.URL, Sample: 1, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.sender.close()
	send := func() {
		e.span(t.Context(), "call")
		e.send([]sdk.ReadOnlySpan{<-e.queue})
	}
	send()
	send()
	if e.Failed.Load() != 2 || log.Count("do not reach") != 1 || log.Count("answers 401") != 1 {
		t.Errorf("%d failed, want 2; the log is %s", e.Failed.Load(), log)
	}
	c.Answer(func(w http.ResponseWriter) bool { // takes a part
		text, _ := proto.Marshal(&collector.ExportTraceServiceResponse{
			PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "no room"}})
		_, _ = w.Write(text)
		return false
	})
	send()
	if e.Failed.Load() != 3 || e.Sent.Load() != 0 {
		t.Errorf("%d failed and %d were sent, want 3 and 0", e.Failed.Load(), e.Sent.Load())
	}
	c.Answer(nil)
	send()
	send()
	if e.Sent.Load() != 2 || log.Count("again") != 1 {
		t.Errorf("%d were sent, want 2; the log is %s", e.Sent.Load(), log)
	}
}

// roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRequestsAreTriedAgain for a reason that may pass, not too soon, and not for ever.
func TestRequestsAreTriedAgain(t *testing.T) {
	away := errors.New("away")
	for _, c := range []struct {
		what    string
		answers []int // 0: none; below 0: with Retry-After of so many seconds, and 503
		tries   int
		took    time.Duration
		fails   bool
	}{
		{"at once", []int{200}, 1, 0, false},
		{"the third time", []int{0, 503, 200}, 3, 3 * time.Second, false},
		{"never", []int{0, 502, 429, 200}, 3, 3 * time.Second, true},
		{"as the collector asks", []int{-7, 200}, 2, 7 * time.Second, false},
		{"not for as long as it asks", []int{-3600, 200}, 2, longestPause, false},
		{"refused for good", []int{400, 200}, 1, 0, true},
		{"led elsewhere", []int{307, 200}, 1, 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := newSender(Options{Endpoint: "http://127.0.0.1:4318/otlp"})
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			s.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.String() != "http://127.0.0.1:4318/otlp/v1/traces" {
					t.Errorf("%s: it asks at %s", c.what, r.URL)
				}
				code := c.answers[tried]
				if tried++; code == 0 {
					return nil, away
				}
				w := httptest.NewRecorder()
				if code < 0 {
					w.Header().Set("Retry-After", strconv.Itoa(-code))
					code = http.StatusServiceUnavailable
				}
				w.Header().Set("Location", "http://192.0.2.1/")
				w.WriteHeader(code)
				return w.Result(), nil
			})
			begun := time.Now()
			_, err = s.send(t.Context(), t.Context(), nil)
			if (err != nil) != c.fails || tried != c.tries || time.Since(begun) != c.took {
				t.Errorf("%s: %v after %d tries and %v, want %d tries and %v", c.what, err, tried, time.Since(begun), c.tries,
					c.took)
			}
		})
	}
}

// TestEndIsNotHeldUp by a collector that does not answer.
func TestEndIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := newExporter(Options{Endpoint: "http://127.0.0.1:4318", Sample: 1, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		e.sender.client.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		e.running.Go(e.run)
		for range 3 * together {
			e.span(t.Context(), "call")
		}
		synctest.Wait()
		begun := time.Now()
		e.Close()
		e.Close()
		if took := time.Since(begun); took != farewell {
			t.Errorf("it takes %v, want %v", took, farewell)
		}
		if n := e.Failed.Load(); n != 3*together {
			t.Errorf("%d failed, want all", n)
		}
	})
}

func TestWhatCannotBeUsedIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for want, o := range map[string]Options{
		"no such file":          {Headers: filepath.Join(dir, "none")},
		"line 2 is no header":   {Headers: file("headers", "A: b\nBearer s3cret\n")},
		"holds no certificate":  {CA: file("ca", "nothing")},
		"no such file or direc": {CA: filepath.Join(dir, "none")},
	} {
		o.Endpoint = "http://127.0.0.1:4318"
		_, err := Open(o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestEveryAttributeLeaves: what package trace has a name for is what the exporter sends.
func TestEveryAttributeLeaves(t *testing.T) {
	c := tracetest.Start(t)
	e, _ := open(t, Options{Endpoint: c.URL})
	var w trace.Work
	tracer := trace.New(e.Provider(), true)
	call := tracer.Call(&w, t.Context(), "request", nil)
	call.Set(trace.Method("POST"), trace.Route("/v2/message"), trace.Status(204), trace.System("sqlite"),
		trace.Operation("write"), trace.Statements(3), trace.Tries(1), trace.File("put"), trace.Place("s3"),
		trace.Notice("wake"), trace.Accounts(2))
	call.Fail("busy")
	_, task := tracer.Task(&w, "sweep")
	task.End()
	call.End()
	e.Close()
	left := map[string]bool{}
	for _, s := range c.Spans() {
		for name := range tracetest.Attributes(s) {
			left[name] = true
		}
	}
	if got := slices.Sorted(maps.Keys(left)); !slices.Equal(got, trace.Keys()) {
		t.Errorf("what leaves is %v, want %v", got, trace.Keys())
	}
}
