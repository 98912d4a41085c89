package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/api"
	"signet/internal/brand"
	"signet/internal/config"
	"signet/internal/health"
	"signet/internal/passkey"
	"signet/internal/standby"
	"signet/internal/trace"
)

// surroundings is what the parts above the network are made with.
type surroundings struct {
	cfg      *config.Config
	log      *slog.Logger
	pace     Pace
	clock    func() time.Time
	elapsed  func() time.Duration // a monotonic clock
	metrics  prometheus.Registerer
	warnings *health.Warnings               // conditions that need the operator's attention
	tracer   *trace.Tracer                  // nil: there are no traces
	outages  *health.Outages                // of the parts that it works with
	brand    brand.Brand                    // what the house calls itself
	dir      string                         // the data directory: made, and locked for this process
	client   func(*http.Request) netip.Addr // where a request comes from

	promoting bool // the store was a standby's copy until now: what it has marked is its own, under the epoch before

	unsealed bool // for tests that look for content in the files

	// offset is by how much the database's clock is ahead, for tests that set that too;
	// nil: it is asked.
	offset func(context.Context) (time.Duration, error)
}

// location is where clients find the server, which is known once it listens.
type location struct {
	baseURL string                     // how they reach it, without the final /v2
	links   func(*http.Request) string // what the links in the answer to a request begin with
	way     func(*http.Request) api.Way

	party      *passkey.Party // where passkeys are made; nil: nowhere, as partyFault says
	partyFault error

	ready       func(context.Context) error // nil when a new request would be served
	certificate func(context.Context) (from, until time.Time, ok bool)
}

// system is everything above the network, ready to serve.
type system struct {
	// handler answers every path that the server does not answer itself. It is made
	// once, last of all.
	handler func(location) (http.Handler, error)
	// operatorExists asks for an account that may do everything, and firstOperator makes the
	// first, as people.MakeFirstOperator does.
	operatorExists func(ctx context.Context) (bool, error)
	firstOperator  func(ctx context.Context, key, secret string) error
	// firstLink makes the secret of the link of a first start; empty where it is none. Nil: never.
	firstLink  func(ctx context.Context) (secret string, err error)
	ready      func(ctx context.Context) error // nil when a request would find the store
	alive      func(ctx context.Context) error // returns when the store has answered, whatever that is
	tidy       func(ctx context.Context) error // puts the store's files in order, so that it closes soon
	background []func(ctx context.Context)     // tasks that run until ctx ends
	watch      func(ctx context.Context) error // runs until ctx ends, or the server has to; nil: nothing to watch
	endStreams func()                          // ends event streams, waiting polls and those opened later
	// awaitLastWords waits until no event stream that is open has anything left to write, or ctx ends,
	// and returns how many have.
	awaitLastWords func(ctx context.Context) int
	// awaitStreams waits until no event stream is open, or ctx ends, and returns how
	// many are.
	awaitStreams func(ctx context.Context) int

	self func(ctx context.Context) (standby.State, error) // what it is to the other server of a pair

	// standby answers a standby, and the other server of a pair; nil: none can follow. It is needed until
	// standbyEnded is closed, after the background tasks were told to end.
	standby      http.Handler
	standbyEnded <-chan struct{}
	// handOver says, before the tasks are told to end, that another program goes on with the data.
	handOver func()

	cutStreams func()       // ends event streams at once, also under one that writes
	close      func() error // called once, when nothing uses the system any more
}

// assembler puts a system together. After an error it leaves nothing open.
type assembler func(ctx context.Context, in surroundings) (*system, error)
