package guard

import (
	"net/netip"
	"sync"
	"time"

	"signet/internal/model"
)

// Pending bounds how many callers whom nobody knows yet may be sending a body at a time:
// those who sign in with a name and a password in it. Such a call takes some 30 KiB of
// memory for as long as its client sends slowly. It is safe for concurrent use; its zero
// value is ready.
type Pending struct {
	mu  sync.Mutex // guards what follows
	all int
	by  map[netip.Addr]int // of each client
}

const (
	mostPending       = 512
	mostPendingClient = 32 // behind one address there may be a whole ward
)

// Enter lets a client send a body until leave is called, or refuses.
func (p *Pending) Enter(from netip.Addr) (leave func(), err error) {
	client := model.ClientOf(from)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= mostPending || p.by[client] >= mostPendingClient {
		return nil, &model.Error{Kind: model.Unavailable, Code: CodeTooManyBodies, RetryAfter: time.Second,
			Message: "The server is busy with other sign-ins, please try again."}
	}
	if p.by == nil {
		p.by = map[netip.Addr]int{}
	}
	p.all++
	p.by[client]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.by[client]--; p.by[client] == 0 {
			delete(p.by, client)
		}
	}, nil
}
