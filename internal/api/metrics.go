package api

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/access"
	"signet/internal/api/guard"
	"signet/internal/model"
	"signet/internal/passkey"
)

// metrics counts calls for Prometheus, by route and class of status, and what was
// refused for a limit.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	panics   prometheus.Counter
	logins   prometheus.Counter
	limited  *prometheus.CounterVec
	foreign  prometheus.Counter
	sessions *prometheus.CounterVec

	directory *prometheus.CounterVec
	passkeys  *prometheus.CounterVec
}

func newMetrics(registerer prometheus.Registerer, a *API) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "signet_http_requests_total",
			Help: "Calls answered, by route and class of status; canceled are those whose client left.",
		}, []string{"route", "class"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "signet_http_request_duration_seconds",
			Help:    "Time from the head of a request to the end of its answer, without event streams.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .1, .25, 1, 5, 30}, // each is a series of each route
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "signet_http_requests_in_flight",
			Help: "Calls that are being answered, event streams included.",
		}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "signet_http_panics_total",
			Help: "Calls that ended in a panic: each one is a defect.",
		}),
		logins: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "signet_login_failures_total",
			Help: "Calls with credentials that open nothing: a wrong key, secret, user name or password.",
		}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "signet_limited_total",
			Help: "Calls refused with 429 or 503 for a limit, by its code.",
		}, []string{"code"}),
	}
	m.foreign = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "signet_origin_refused_total",
		Help: "Calls refused because a foreign page made a browser send them.",
	})
	m.sessions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "signet_sessions_total",
		Help: "Sessions of browsers that were opened, elevated to administrative ones, or ended by signing out.",
	}, []string{"act"})
	for _, act := range sessionActs {
		m.sessions.WithLabelValues(act)
	}
	m.directory = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "signet_scim_people_total",
		Help: "People whom a directory made by SCIM, brought back, disabled, enabled, or removed from their organization.",
	}, []string{"act"})
	for _, act := range scimActs {
		m.directory.WithLabelValues(act)
	}
	m.passkeys = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "signet_passkeys_total",
		Help: "Answers of authenticators, to make a passkey, sign in or elevate a session, by what became of them.",
	}, []string{"act", "outcome"})
	for _, act := range passkeyActs {
		for _, outcome := range passkeyOutcomes() {
			m.passkeys.WithLabelValues(act, outcome)
		}
	}
	for _, code := range limitCodes {
		m.limited.WithLabelValues(code)
	}
	if registerer == nil {
		return m, nil
	}
	bodies := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "signet_http_body_bytes",
		Help: "Bytes of bodies that are held in memory, but the first 8 KiB of each.",
	}, func() float64 { return float64(a.memory.Used()) })
	answers := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "signet_http_answer_bytes",
		Help: "Bytes of answers that wait in memory for their clients, but the first 8 KiB of each.",
	}, func() float64 { return float64(a.answers.Used()) })
	uploads := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "signet_http_uploads",
		Help: "Files that are on their way to the server.",
	}, func() float64 { return float64(a.uploads.UnderWay()) })
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.inFlight, m.panics, m.logins, m.limited, m.foreign,
		m.sessions, m.directory, m.passkeys, bodies, answers, uploads} {
		if err := registerer.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// classes are the values of the label class.
var classes = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx", "canceled"}

// What is counted of sessions, the values of the label act.
const (
	sessionOpened   = "opened"
	sessionElevated = "elevated"
	sessionEnded    = "ended"
)

var sessionActs = [...]string{sessionOpened, sessionElevated, sessionEnded}

// What passkeys are used for, the values of the label act.
const (
	passkeyMade     = "make"
	passkeySignedIn = "sign_in"
	passkeyElevated = "elevate"
)

var passkeyActs = [...]string{passkeyMade, passkeySignedIn, passkeyElevated}

// passkeyOutcomes are the values of the label outcome: ok, the reasons for which answers are refused, and other.
func passkeyOutcomes() []string {
	out := []string{model.AuditOK, outcomeOther}
	for _, fault := range passkey.Faults {
		out = append(out, string(fault))
	}
	return out
}

const outcomeOther = "other"

// answered counts the answer of an authenticator.
func (m *metrics) answered(act string, err error) {
	outcome := model.AuditOK
	if fault, refused := errors.AsType[passkey.Fault](err); refused {
		outcome = string(fault)
	} else if err != nil {
		outcome = outcomeOther
	}
	m.passkeys.WithLabelValues(act, outcome).Inc()
}

// limitCodes are the values of the label code.
var limitCodes = [...]string{guard.CodeRateLimited, guard.CodeTooManyFailures, codeDailyLimit, codeGrowthLimit,
	guard.CodeTooManyBodies, guard.CodeUploadsBusy, access.CodeTooManyPasswords}

// refused counts calls that were refused for their credentials or a limit.
func (m *metrics) refused(shown *model.Error) {
	switch {
	case shown.Kind == model.Unauthenticated && shown.Code != codeCredentialsMissing && shown.Code != codeSessionEnded:
		m.logins.Inc()
	case shown.Code == guard.CodeOriginRefused:
		m.foreign.Inc()
	case shown.Kind == model.TooMany || slices.Contains(limitCodes[:], shown.Code):
		m.limited.WithLabelValues(shown.Code).Inc()
	}
}

// endpointMetrics are the metrics of one endpoint. Each is looked up once, at the first
// call that needs it: most servers never see most routes and classes.
type endpointMetrics struct {
	all      *metrics
	route    string
	classes  [len(classes)]atomic.Pointer[prometheus.Counter]
	duration atomic.Pointer[prometheus.Observer]
}

// begin has the series of what succeeds and of what fails begin at 0: Prometheus sees no increase
// in a series that begins with its first call.
func (e *endpointMetrics) begin() {
	for _, class := range [...]string{"2xx", "5xx"} {
		e.all.requests.WithLabelValues(e.route, class)
	}
	e.all.duration.WithLabelValues(e.route)
}

func (e *endpointMetrics) count(c *call, took time.Duration) {
	class := len(classes) - 1
	if !c.abandoned {
		class = min(max(c.loggedStatus()/100, 1), 5) - 1
	}
	counter := e.classes[class].Load()
	if counter == nil {
		found := e.all.requests.WithLabelValues(e.route, classes[class]) // the same for all who ask
		counter = &found
		e.classes[class].Store(counter)
	}
	(*counter).Inc()
	if c.streamed {
		return
	}
	duration := e.duration.Load()
	if duration == nil {
		found := e.all.duration.WithLabelValues(e.route)
		duration = &found
		e.duration.Store(duration)
	}
	(*duration).Observe(took.Seconds())
}
