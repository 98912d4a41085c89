package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"signet/internal/transport"
)

// serving is the HTTP servers of one that runs.
type serving struct {
	server  *http.Server    // of the interface
	others  []*http.Server  // of metrics and redirects
	between *http.Server    // of the other server of a pair; nil: there is none
	busy    *transport.Busy // the interface's connections
	idle    *transport.Idle // takes those of them away that wait; nil: they are TLS's, and stay
	failed  chan error      // gets what ends a server that was not told to end

	sockets   []net.Listener // what is accepted from, but for between
	accepting sync.WaitGroup // ends when nothing is any more
	closing   sync.WaitGroup // ends when connections that had to be closed are
	pairing   sync.WaitGroup // ends when between accepts nothing any more
}

// serve starts the servers. Requests live at most as long as lifetime.
func (a *App) serve(lifetime context.Context) *serving {
	s := &serving{failed: make(chan error, 8), busy: transport.NewBusy()}
	n := a.network
	s.server = n.server(lifetime, a.bidding(n.proxies.Secure(a.cfg.TLS.HSTS, a.front())))
	s.server.TLSConfig = n.encryption()
	if s.server.TLSConfig == nil {
		s.idle = transport.NewIdle()
		s.server.ConnState = func(c net.Conn, state http.ConnState) {
			s.idle.Track(c, state)
			s.busy.Track(c, state)
		}
		plain := func(l net.Listener) net.Listener { return n.limited(s.idle.Listener(l)) }
		s.accept(s.server, false, a.handed, plain)
		s.accept(s.server, false, n.listener, plain)
	} else {
		s.server.ConnState = s.busy.Track
		a.handed.Close() // no connection of before has TLS
		s.accept(s.server, true, n.listener,
			func(l net.Listener) net.Listener { return n.limited(transport.Frugal(l)) })
	}
	asItIs := func(l net.Listener) net.Listener { return l }
	if l := n.metrics; l != nil {
		s.accept(s.other(n.server(lifetime, metricsOnly(a.registry))), false, l, asItIs)
	}
	if l := n.redirect; l != nil {
		s.accept(s.other(n.server(lifetime, n.redirects())), false, l,
			func(l net.Listener) net.Listener { return n.limited(transport.Frugal(l)) })
	}
	if l := n.standby; l != nil && a.system.standby != nil {
		// Its requests outlive those that are cut off: a standby has what is confirmed last after that.
		s.between = n.between(context.WithoutCancel(lifetime), a.system.standby)
		if leased, ok := s.lease(l); ok {
			s.pairing.Go(func() { s.run(s.between, s.between.TLSConfig != nil, leased) })
		}
	}
	return s
}

func (s *serving) other(server *http.Server) *http.Server {
	s.others = append(s.others, server)
	return server
}

// accept has a server accept from a socket, behind what wrap puts before it.
func (s *serving) accept(server *http.Server, encrypted bool, socket net.Listener,
	wrap func(net.Listener) net.Listener) {
	l, ok := s.lease(socket)
	if !ok {
		return
	}
	s.sockets = append(s.sockets, l)
	l = wrap(l)
	s.accepting.Go(func() { s.run(server, encrypted, l) })
}

// lease returns what a server accepts from, and closes without closing the socket. It reports whether the
// socket is open; else the server ends.
func (s *serving) lease(socket net.Listener) (l net.Listener, ok bool) {
	own, ok := socket.(transport.Socket)
	if !ok {
		return socket, true
	}
	lease, err := transport.NewLease(own)
	if err != nil {
		s.failed <- fmt.Errorf("serve %s: %w", socket.Addr(), err)
		return nil, false
	}
	return lease, true
}

// run serves until the server or what it accepts from is closed.
func (s *serving) run(server *http.Server, encrypted bool, l net.Listener) {
	var err error
	if encrypted {
		err = server.ServeTLS(l, "", "")
	} else {
		err = server.Serve(l)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		s.failed <- fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
}

// stopAccepting leaves those who come from now on in the system's queue, but for the other server of a pair.
func (s *serving) stopAccepting() {
	for _, l := range s.sockets {
		_ = l.Close() // that it fails ends it too
	}
	s.accepting.Wait()
}

// close ends what is left of the servers.
func (s *serving) close() {
	for _, other := range s.others {
		other.Close()
	}
	s.server.Close()
	s.stopAccepting()
	s.closing.Wait()
}

// closeBetween ends what the other server of a pair is answered with; orderly, answers under way are finished.
func (s *serving) closeBetween(orderly bool) {
	if orderly {
		finish(s.between)
	} else {
		s.between.Close()
	}
	s.pairing.Wait()
}

// closeSoon ends the servers in good order beside what comes next, if that takes no longer than
// a limit.
func (s *serving) closeSoon(limit time.Duration, servers ...*http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	var ending sync.WaitGroup
	for _, server := range servers {
		ending.Go(func() {
			if server.Shutdown(ctx) != nil {
				server.Close()
			}
		})
	}
	s.closing.Go(func() { ending.Wait(); cancel() })
}

// tasks are what runs beside the requests.
func (a *App) tasks() []func(context.Context) {
	tasks := append(a.system.background, a.network.watch, a.outages.Run, a.exposure().run)
	if v := a.network.validity(a.warnings); v != nil {
		tasks = append(tasks, v.run)
	}
	return tasks
}

// Run serves until ctx ends, then stops as the package comment says and
// returns nil. It returns an error when serving or closing failed. It is called
// once.
func (a *App) Run(ctx context.Context) error {
	// Requests and tasks outlive ctx: its end is when stopping begins.
	requests, cutRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cutRequests()
	tasks, endTasks := context.WithCancel(context.WithoutCancel(ctx))
	defer endTasks()

	var running sync.WaitGroup
	for _, task := range a.tasks() {
		running.Go(func() { task(tasks) })
	}
	s := a.serve(requests)
	if watch := a.system.watch; watch != nil {
		running.Go(func() {
			if err := watch(tasks); err != nil {
				s.failed <- err
			}
		})
	}
	if stopped := a.from.stopped; stopped != nil {
		a.pause.Store(int64(time.Since(*stopped)))
	}
	close(a.serves)
	a.tellReady()

	var cause error
	select {
	case <-ctx.Done():
		cause = a.serveOn(s.failed)
	case cause = <-s.failed:
	case a.left.next = <-a.next:
	}
	if cause != nil {
		a.cause.Store(&cause)
	}
	if a.left.next != nil || a.shared && cause == nil {
		a.leave(ctx, s, cutRequests)
	} else {
		cause = errors.Join(cause, a.drain(s.server, cutRequests))
		s.close()
	}
	if a.left.next != nil && a.system.handOver != nil {
		a.system.handOver()
	}
	endTasks()
	if s.between != nil {
		<-a.system.standbyEnded // until then it fetches files
		s.closeBetween(a.left.next == nil)
	}
	running.Wait()
	if err := errors.Join(cause, a.Close()); err != nil {
		return err
	}
	a.log.Info("stopped")
	return nil
}
