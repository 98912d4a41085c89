package api

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/model"
)

// logged returns the lines about calls.
func (h *harness) logged() string {
	h.server.Close() // waits for the calls to be over
	return h.log.String()
}

func TestTheAccessLogNamesTheRouteAndNoSecret(t *testing.T) {
	h := start(t, nil, route{method: "POST", pattern: "/v2/user/:user/password",
		handler: func(_ context.Context, c *call) (answer, error) {
			c.body.RequiredText("old_password")
			return noContent(), c.err()
		}})
	send := func(body string) {
		h.mustSend(request{method: "POST", path: "/v2/user/bob%40example.com/password?auth_basic=YWxpY2U&x=hidden",
			headers: []string{"Content-Type: application/json", "Request-ID: r-7"}, body: strings.NewReader(body)})
	}
	send(`{"password":"hunter2","old_password":"hunter1"}`)
	send(`{"password":"hunter2"}`)
	h.mustSend(request{method: "BREW", path: "/secret/path", anyone: true})
	h.mustSend(request{method: "POST", path: "/v2/user/x/password",
		headers: []string{"Authorization: Basic YWxpY2U6d3Jvbmc=", "Request-ID: r-8"}})
	log := h.logged()
	for _, want := range []string{
		`level=DEBUG msg=call method=POST route=/v2/user/:user/password status=204 duration=0s request_id=r-7` + "\n",
		`level=INFO msg=call method=POST route=/v2/user/:user/password status=400 duration=0s request_id=r-7 code=old_password_required` + "\n",
		// Scanners make thousands of these.
		`level=DEBUG msg=call method=other route=unmatched status=404`,
		// Of a failed login, and of nothing else, it says where it came from.
		`level=INFO msg=call method=POST route=/v2/user/:user/password status=401 duration=0s request_id=r-8 code=credentials_invalid client=127.0.0.1` + "\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not in %s", want, log)
		}
	}
	for _, secret := range []string{"bob", "hunter", "auth_basic", "YWxp", "hidden", "secret", "BREW"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q: %s", secret, log)
		}
	}
}

// Who asks for the access log gets a line of each call that is over, of a stream also
// when it begins, with who called, and nothing of what was said.
func TestTheAccessLogTellsWhoCalled(t *testing.T) {
	var h *harness
	var who string
	h = start(t, func(o *Options) { o.AccessLog = true },
		route{method: "GET", pattern: "/v2/user/:user", handler: func(_ context.Context, c *call) (answer, error) {
			who = " account=" + c.actor.Account.String() + " key=" + c.actor.Key.Key + " client=127.0.0.1"
			return reply(map[string]string{"first_name": "hidden"}), nil
		}},
		route{method: "GET", pattern: "/v2/ping", public: true, handler: nothing},
		route{method: "GET", pattern: "/v2/events", handler: func(_ context.Context, c *call) (answer, error) {
			_, _ = io.WriteString(&c.writer, ": hidden\n\n")
			h.api.logOpened(c)
			return streamed(), nil
		}},
	)
	h.mustSend(request{method: "GET", path: "/v2/user/hidden?x=hidden",
		headers: []string{"Request-ID: r-1", "TT-X-Secret: hidden"}})
	h.mustSend(request{method: "GET", path: "/v2/events", headers: []string{"Request-ID: r-2"}})
	h.mustSend(request{method: "GET", path: "/v2/ping", anyone: true, headers: []string{"Request-ID: r-3"}})
	h.mustSend(request{method: "GET", path: "/nowhere", anyone: true, headers: []string{"Request-ID: r-4"}})
	log := h.logged()
	var got []string
	for line := range strings.Lines(log) {
		if _, line, ok := strings.Cut(line, "level=INFO "); ok {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"msg=call method=GET route=/v2/user/:user status=200 duration=0s bytes=52 request_id=r-1" + who,
		"msg=stream method=GET route=/v2/events request_id=r-2" + who,
		"msg=call method=GET route=/v2/events status=200 duration=0s request_id=r-2" + who,
		"msg=call method=GET route=/v2/ping status=204 duration=0s bytes=0 request_id=r-3 client=127.0.0.1",
		"msg=call method=GET route=unmatched status=404 duration=0s bytes=124 request_id=r-4 client=127.0.0.1 " +
			"code=endpoint_unknown",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it logged\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(log, "hidden") {
		t.Errorf("it tells what was said: %s", log)
	}
}

func TestMetricsCountCallsByRouteAndClass(t *testing.T) {
	registry := prometheus.NewRegistry()
	block := make(chan struct{})
	inside := make(chan struct{})
	h := start(t, func(o *Options) { o.Registerer = registry },
		route{method: "GET", pattern: "/v2/user/:user", handler: nothing},
		route{method: "GET", pattern: "/v2/events", handler: func(_ context.Context, c *call) (answer, error) {
			_, _ = io.WriteString(&c.writer, ":")
			close(inside)
			<-block
			return streamed(), nil
		}},
	)
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.mustSend(request{method: "GET", path: "/v2/events"})
	}()
	<-inside
	if got := mustGather(t, registry)["signet_http_requests_in_flight"]; got != 1 {
		t.Errorf("%v calls are in flight, want 1", got)
	}
	close(block)
	<-done
	for range 3 {
		h.mustSend(request{method: "GET", path: "/v2/user/x"})
	}
	h.mustSend(request{method: "GET", path: "/v2/user/x", anyone: true})
	h.mustSend(request{method: "GET", path: "/v2/nowhere/x"})
	h.mustSend(request{method: "POST", path: "/v2/user/x"})
	h.server.Close()
	got := mustGather(t, registry)
	for name, want := range map[string]float64{
		"signet_http_requests_total 2xx GET /v2/user/:user":       3,
		"signet_http_requests_total 4xx GET /v2/user/:user":       1,
		"signet_http_requests_total 4xx unmatched":                2,
		"signet_http_requests_total 2xx GET /v2/events":           1,
		"signet_http_request_duration_seconds GET /v2/user/:user": 4,
		"signet_http_request_duration_seconds GET /v2/events":     0,
		"signet_http_requests_in_flight":                          0,
		"signet_http_panics_total":                                0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for name := range got {
		if strings.Contains(name, "nowhere") {
			t.Errorf("a path became a label: %s", name)
		}
	}
	if _, err := New(Options{Registerer: registry}); err == nil {
		t.Error("the metrics were registered twice")
	}
}

// mustGather returns the value of each series, and of a histogram its count.
func mustGather(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				name += " " + label.GetValue()
			}
			values[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return values
}

func TestMetricsBeginWithTheFirstCall(t *testing.T) {
	registry := prometheus.NewRegistry()
	h := start(t, func(o *Options) { o.Registerer = registry },
		route{method: "GET", pattern: "/v2/used", handler: nothing},
		route{method: "GET", pattern: "/v2/unused", handler: nothing})
	for name := range mustGather(t, registry) {
		if strings.Contains(name, "/v2/") {
			t.Errorf("%s is there before any call", name)
		}
	}
	h.mustSend(request{method: "GET", path: "/v2/used"})
	h.mustSend(request{method: "GET", path: "/v2/used"})
	h.server.Close()
	for name, value := range mustGather(t, registry) {
		if strings.Contains(name, "/v2/") && (strings.Contains(name, "unused") || value != 2) {
			t.Errorf("%s is %v after two calls of another route", name, value)
		}
	}
	endpoint := h.api.newEndpoint(route{method: "GET", pattern: "/v2/counted"})
	count := func() { endpoint.metrics.count(&call{}, 0) }
	if count(); testing.AllocsPerRun(100, count) != 0 {
		t.Error("counting a call takes memory")
	}
}

func TestMetricsCountWhatIsRefused(t *testing.T) {
	registry := prometheus.NewRegistry()
	h := start(t, func(o *Options) { o.Registerer, o.Limits.FailedLoginsPerMinute = registry, 2 },
		route{method: "GET", pattern: "/v2/x", handler: nothing},
		route{method: "POST", pattern: "/v2/message", handler: func(context.Context, *call) (answer, error) {
			return answer{}, &model.Error{Kind: model.TooMany, Code: codeDailyLimit}
		}})
	for range 98 { // of 100, with what follows
		h.mustSend(request{method: "GET", path: "/v2/x"})
	}
	h.mustSend(request{method: "POST", path: "/v2/message"})
	h.mustSend(request{method: "POST", path: "/v2/message"})
	for range 3 {
		h.mustSend(request{method: "GET", path: "/v2/x"})
	}
	for range 5 { // two that fail, and three that are past the limit
		h.mustSend(request{method: "GET", path: "/v2/x", headers: []string{"Authorization: Basic Ym9iOndyb25n"}})
	}
	h.mustSend(request{method: "GET", path: "/v2/x", anyone: true}) // without credentials: no failed login
	got := mustGather(t, registry)
	for name, want := range map[string]float64{
		"signet_login_failures_total":            2,
		"signet_limited_total rate_limited":      3,
		"signet_limited_total daily_limit":       2,
		"signet_limited_total too_many_failures": 3,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}
