package api

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts calls for Prometheus, by route and class of status.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	panics   prometheus.Counter
}

func newMetrics(registerer prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "signet_http_requests_total",
			Help: "Calls answered, by route and class of status; canceled are those whose client left.",
		}, []string{"route", "class"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "signet_http_request_duration_seconds",
			Help:    "Time from the head of a request to the end of its answer, without event streams.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "signet_http_requests_in_flight",
			Help: "Calls that are being answered, event streams included.",
		}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "signet_http_panics_total",
			Help: "Calls that ended in a panic: each one is a defect.",
		}),
	}
	if registerer == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.inFlight, m.panics} {
		if err := registerer.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// classes are the values of the label class.
var classes = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx", "canceled"}

// endpointMetrics are the metrics of one endpoint, looked up once.
type endpointMetrics struct {
	classes  [len(classes)]prometheus.Counter
	duration prometheus.Observer
}

func (m *metrics) of(route string) endpointMetrics {
	e := endpointMetrics{duration: m.duration.WithLabelValues(route)}
	for i, class := range classes {
		e.classes[i] = m.requests.WithLabelValues(route, class)
	}
	return e
}

func (e *endpointMetrics) count(c *call, took time.Duration) {
	class := len(classes) - 1
	if !c.abandoned {
		class = min(max(c.loggedStatus()/100, 1), 5) - 1
	}
	e.classes[class].Inc()
	if !c.streamed {
		e.duration.Observe(took.Seconds())
	}
}
