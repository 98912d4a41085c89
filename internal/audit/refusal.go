package audit

import (
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"signet/internal/model"
)

// Refusals are written at once as long as there are few. Past that they are put
// together and written with how often they happened, once a minute, so that somebody
// who is refused on purpose cannot fill the disk: 60 lines a minute, and some for
// those that were put together.
const (
	refusalBurst     = 200         // lines at once
	refusalInterval  = time.Second // between lines in the long run
	refusalGather    = time.Minute // how long refusals are put together
	refusalDifferent = 50          // kinds of them that are told apart
)

// refusals puts refusals together.
type refusals struct {
	lines *rate.Limiter // of a line for each

	mu      sync.Mutex // guards all below
	told    time.Time  // when what was put together was written last
	pending map[refusalKind]*model.AuditEntry
}

// refusalKind is what refusals are told apart by when they are put together.
type refusalKind struct {
	action  model.AuditAction
	code    string
	account model.AccountID
}

func newRefusals() *refusals {
	return &refusals{
		lines:   rate.NewLimiter(rate.Every(refusalInterval), refusalBurst),
		pending: map[refusalKind]*model.AuditEntry{},
	}
}

// admit reports whether a refusal may have a line of its own.
func (r *refusals) admit(now time.Time) bool { return r.lines.AllowN(now, 1) }

// add puts a refusal together with others of its kind.
func (r *refusals) add(line model.AuditEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := refusalKind{line.Action, line.Outcome, line.Account}
	if _, known := r.pending[kind]; !known && len(r.pending) >= refusalDifferent {
		kind = refusalKind{}
	}
	if e := r.pending[kind]; e != nil {
		e.Times += line.Times
		return
	}
	e := model.AuditEntry{Time: line.Time, Action: model.ActionAccess, Outcome: "other", Times: line.Times}
	if kind != (refusalKind{}) {
		e.Action, e.Outcome, e.Account = kind.action, kind.code, kind.account
	}
	r.pending[kind] = &e
}

// take returns what was put together: once a minute, or at once where all is wanted.
func (r *refusals) take(now time.Time, all bool) []*model.AuditEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if age := now.Sub(r.told); len(r.pending) == 0 || !all && age >= 0 && age < refusalGather {
		return nil
	}
	out := slices.Collect(maps.Values(r.pending))
	clear(r.pending)
	r.told = now
	slices.SortFunc(out, func(a, b *model.AuditEntry) int { return a.Time.Compare(b.Time.Time) })
	return out
}
