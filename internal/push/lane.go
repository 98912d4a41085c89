package push

import (
	"context"
	"sync"
	"sync/atomic"
)

const (
	// laneWidth is how many pushes are on their way to a host at a time.
	laneWidth = 32
	// mostLanes is of how many hosts it is remembered that they are slow.
	mostLanes = 1000
)

// lanes keep push services from holding each other up: each host has a lane of its own. Nobody waits for a place
// in that of a host that is slow, so that a job with pushes to others ends.
type lanes struct {
	mu    sync.Mutex // guards hosts, and the users of each
	hosts map[string]*lane
}

type lane struct {
	places chan struct{}
	slow   atomic.Bool // the last call took long
	users  int
}

// enter waits for a place in the lane of a host, which leave gives back; it says whether the call took long.
// Without one, entered is false: the host is slow and nothing is free, or ctx has ended.
func (l *lanes) enter(ctx context.Context, host string) (leave func(slow bool), entered bool) {
	to := l.use(host)
	if !to.wait(ctx) {
		l.done(host, to)
		return nil, false
	}
	return func(slow bool) {
		to.slow.Store(slow)
		<-to.places
		l.done(host, to)
	}, true
}

func (l *lanes) use(host string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	to := l.hosts[host]
	if to == nil {
		to = &lane{places: make(chan struct{}, laneWidth)}
		l.hosts[host] = to
	}
	to.users++
	return to
}

// done forgets a lane that nobody uses, unless its host is slow.
func (l *lanes) done(host string, to *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to.users--; to.users == 0 && (!to.slow.Load() || len(l.hosts) > mostLanes) {
		delete(l.hosts, host)
	}
}

// wait takes a place.
func (to *lane) wait(ctx context.Context) bool {
	select {
	case to.places <- struct{}{}:
		return true
	default:
	}
	if to.slow.Load() {
		return false
	}
	select {
	case to.places <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if to.slow.Load() { // which has shown meanwhile
		<-to.places
		return false
	}
	return true
}
