package audit

import (
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"signet/internal/model"
)

// allowance is how many lines of refusals are written. Past it refusals are put together,
// and written with how often they happened, so that a flood of them cannot fill the disk.
type allowance struct {
	burst     int           // lines at once
	interval  time.Duration // between lines in the long run
	gather    time.Duration // how long refusals are put together
	different int           // kinds of them that are told apart
}

var (
	// ofStrangers is what all share whose credentials name nothing that exists.
	ofStrangers = allowance{burst: 200, interval: time.Second, gather: time.Minute, different: 50}
	// ofKnown is what each account has for its own calls, and for wrong secrets of its keys:
	// what strangers do hides neither.
	ofKnown = allowance{burst: 20, interval: time.Minute, gather: 10 * time.Minute, different: 10}
)

// mostKnown bounds how many of these are remembered; all past it share one.
const mostKnown = 10_000

// concerned is whose allowance a refusal uses up: an account that called, or whose key was
// tried; zero for a stranger's.
type concerned struct{ caller, tried model.AccountID }

func concernedBy(line *model.AuditEntry) concerned {
	if line.Account.IsZero() {
		return concerned{tried: line.User}
	}
	return concerned{caller: line.Account}
}

// refusals puts refusals together. It is safe for concurrent use.
type refusals struct {
	mu sync.Mutex // guards all below
	of map[concerned]*gathered
}

// gathered is what is known of the refusals under one allowance.
type gathered struct {
	allowance
	lines   *rate.Limiter // of a line for each
	told    time.Time     // when what was put together was written last
	pending map[refusalKind]*model.AuditEntry
}

// refusalKind is what refusals are told apart by when they are put together.
type refusalKind struct {
	action model.AuditAction
	code   string
	concerned
}

func newRefusals() *refusals { return &refusals{of: map[concerned]*gathered{}} }

// gathered returns what a refusal belongs to.
func (r *refusals) gathered(who concerned) *gathered {
	if g := r.of[who]; g != nil {
		return g
	}
	a := ofKnown
	if who == (concerned{}) {
		a = ofStrangers
	} else if len(r.of) >= mostKnown {
		return r.gathered(concerned{})
	}
	g := &gathered{allowance: a, lines: rate.NewLimiter(rate.Every(a.interval), a.burst),
		pending: map[refusalKind]*model.AuditEntry{}}
	r.of[who] = g
	return g
}

// admit reports whether a refusal may have a line of its own.
func (r *refusals) admit(line *model.AuditEntry) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gathered(concernedBy(line)).lines.AllowN(line.Time.Time, 1)
}

// add puts a refusal together with others of its kind.
func (r *refusals) add(line *model.AuditEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	who := concernedBy(line)
	g := r.gathered(who)
	kind := refusalKind{line.Action, line.Outcome, who}
	if _, known := g.pending[kind]; !known && len(g.pending) >= g.different {
		kind.action, kind.code = model.ActionAccess, "other"
	}
	if e := g.pending[kind]; e != nil {
		e.Times += line.Times
		return
	}
	g.pending[kind] = &model.AuditEntry{Time: line.Time, Action: kind.action, Outcome: kind.code, Times: line.Times,
		Account: who.caller, User: who.tried}
}

// take returns what was put together, once it is time, or at once where all is wanted.
func (r *refusals) take(now time.Time, all bool) (out []*model.AuditEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for who, g := range r.of {
		if age := now.Sub(g.told); len(g.pending) > 0 && (all || age < 0 || age >= g.gather) {
			out = slices.AppendSeq(out, maps.Values(g.pending))
			clear(g.pending)
			g.told = now
		}
		if len(g.pending) == 0 && g.lines.TokensAt(now) >= float64(g.burst) {
			delete(r.of, who)
		}
	}
	slices.SortFunc(out, func(a, b *model.AuditEntry) int { return a.Time.Compare(b.Time.Time) })
	return out
}
