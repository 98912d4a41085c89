package webhook

import (
	"cmp"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"signet/internal/access"
	"signet/internal/backlog"
	"signet/internal/content"
	"signet/internal/health"
	"signet/internal/live"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/store"
)

// Client sends requests out. It lets none reach where it should not, follows no redirect, and gives an answer
// so much time and room.
type Client interface {
	Do(*http.Request) (*http.Response, error)
}

// Options are what Webhooks work with.
type Options struct {
	Store  *store.Store
	Access *access.Control
	Cases  *service.Service
	Vault  *content.Vault
	Hub    *live.Hub
	Clock  func() time.Time
	Due    func() time.Time // the time by which jobs are due (backlog.Options.Now)
	Log    *slog.Logger
	Client Client
	Check  func(url string) error                      // refuses a URL that Client would not call, in words for people
	Write  func(*model.Event) (json []byte, err error) // an event as polls have it: event_id and event

	Outages *health.Outages  // nil: each failure is logged
	Chance  func() float64   // from 0 to 1; nil: a random number
	Look    time.Duration    // how often is asked what other servers have begun; 0: 5 s
	Refused func(error) bool // reports whether an error of Client says that it may not call; nil: none does
}

// Webhooks brings events to URLs. It is safe for concurrent use, but for Run.
type Webhooks struct {
	Options
	Counts  Counts
	changed chan struct{} // has something when accounts have got or lost webhooks
}

// Counts are what was done since the start.
type Counts struct {
	Delivered  atomic.Int64 // answered with a 2xx
	Refused    atomic.Int64 // with anything else
	Unanswered atomic.Int64
	Gone       atomic.Int64 // webhooks that were disabled after a 410
	Silent     atomic.Int64 // after five days without a 2xx
	KeyEnded   atomic.Int64 // with the key that made them
}

// ended counts webhooks that were disabled.
func (c *Counts) ended(why model.WebhookEnd) *atomic.Int64 {
	switch why {
	case model.WebhookGone:
		return &c.Gone
	case model.WebhookSilent:
		return &c.Silent
	default:
		return &c.KeyEnded
	}
}

const (
	// lookInterval is how often a server that shares its store asks which accounts have webhooks, and what
	// waits for one of which nobody was told.
	lookInterval = 5 * time.Second
	// lease is within what time another server goes on for one that was killed. A job ends long before:
	// after its turn, and the longest try.
	lease = 60 * time.Second
	// accountBatch is how many accounts one snapshot reads.
	accountBatch = 1000
)

// New returns webhooks. Run delivers, where Kinds are registered.
func New(o Options) *Webhooks {
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	o.Look = cmp.Or(o.Look, lookInterval)
	return &Webhooks{Options: o, changed: make(chan struct{}, 1)}
}

// Kinds are the jobs that deliver, and that erase what was kept for long enough.
func (h *Webhooks) Kinds() []*backlog.Kind {
	return []*backlog.Kind{
		{Number: store.DeliverWebhook, Name: "webhooks", Act: h.act, Lease: lease, Waits: true},
		{Number: store.EraseKept, Name: "kept", Step: h.eraseKept, Merges: true, Erases: true},
	}
}

// now is the time of a use case, as it is stored.
func (h *Webhooks) now() time.Time { return h.Clock().UTC().Truncate(time.Millisecond) }
