package app

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"signet/internal/handover"
	"signet/internal/transport"
)

const (
	// brief is how long requests take at most that run when the server stops accepting, if it can be
	// had: all others wait until they have ended.
	brief = 250 * time.Millisecond
	// calming is for how long the server looks for such a moment, while it serves.
	calming = time.Minute
	// notice is for how long clients are asked to leave their connections before these end that can
	// only be closed: the next answer on each says so.
	notice = 2 * time.Second
	// settled is for how long no request has come, over connections that were told to end, before the
	// data is closed.
	settled = 50 * time.Millisecond
	// farewell is how long event streams may take to say that their clients are to connect again. Those
	// that cannot be written to are cut off; they continue after the last event that they got.
	farewell = time.Second
	// answering is how long clients of WebSockets may take to say goodbye in turn. Some are gone for good.
	answering = 100 * time.Millisecond
	// goodbye is how long connections may take to end that were told to: net/http gives those of
	// HTTP/2 a second.
	goodbye = 3 * time.Second
	// arriving is for how long no request has come, when connections are given up of which only a part of a
	// request's head has come.
	arriving = time.Second
	// tidying is how long the store may take to put its files in order while the server still
	// serves, so that it closes sooner.
	tidying = 5 * time.Second
)

// departure is what a server leaves to whoever comes next.
type departure struct {
	next    *handover.Successor // nil: nobody is known
	sockets []handover.Socket
	conns   []net.Conn // on which clients wait for an answer, or have not asked yet
	stopped time.Time  // since when nobody accepts connections
	serving *serving   // of which connections may still be ending
}

// close ends all that nobody took.
func (d *departure) close() {
	for _, s := range d.sockets {
		_ = s.Listener.Close() // whoever took it has one of its own
	}
	for _, c := range d.conns {
		_ = c.Close()
	}
	if d.serving != nil {
		d.serving.close()
	}
}

// leave ends serving where the sockets stay open: for the program that takes the server's place, or
// with the service manager. Unlike drain it refuses nobody. Those who come wait in the
// system's queue; requests that run end; a connection that waits for a request goes on with the
// next program, or has been told to end.
func (a *App) leave(ctx context.Context, s *serving, cutRequests context.CancelFunc) {
	a.left.serving = s
	if a.left.next != nil {
		a.awaitCalm(ctx)
		a.tidy()
		a.log.Info("handing over", "to_version", a.left.next.Version, "to_process", a.left.next.Process,
			"running_requests", a.gate.count(), "grace", a.cfg.Shutdown.Grace)
	} else {
		a.log.Info("stopping; the sockets stay open with systemd", "running_requests", a.gate.count(), "grace",
			a.cfg.Shutdown.Grace)
	}
	handsOn := s.idle != nil && a.left.next != nil
	if !handsOn {
		a.leaving.Store(true)
		time.Sleep(notice)
	}
	s.stopAccepting()
	a.left.stopped = time.Now()
	within, cancel := context.WithTimeout(context.Background(), a.cfg.Shutdown.Grace)
	defer cancel()
	a.system.endStreams()
	s.closeSoon(lastWords, s.others...)
	if handsOn {
		s.idle.Detach()
	}
	a.partFromStreams(within)
	if !handsOn {
		s.busy.Await(within) // each ends with its answer, which says so
	}
	if s.idle != nil {
		s.idle.Detach()
		a.left.conns = a.awaitIdle(within, s.idle)
	} else {
		s.closeSoon(goodbye, s.server)
		a.gate.quiet(within, settled)
	}
	a.gate.close()
	deadline, _ := within.Deadline()
	if !a.idleWithin(time.Until(deadline)) {
		a.cutOff(s.server, cutRequests)
	}
	if a.left.next != nil {
		a.left.sockets, a.network.kept = a.network.sockets(), true
		return
	}
	a.left.close()
}

// awaitIdle waits until no connection has anything to be answered, and returns those that can be passed on. A
// client that has sent half of a head and goes on later, or never, is not waited for as long as one whose
// request runs.
func (a *App) awaitIdle(within context.Context, idle *transport.Idle) []net.Conn {
	ctx, cancel := context.WithCancel(within)
	var looking sync.WaitGroup
	looking.Go(func() { a.gate.quiet(ctx, arriving); cancel() })
	conns := idle.Await(ctx)
	cancel()
	looking.Wait()
	return conns
}

// awaitCalm waits, while the server serves, for a moment in which no request runs that takes long:
// an upload over a slow link would keep all others waiting until it is done.
func (a *App) awaitCalm(ctx context.Context) {
	look := func(limit time.Duration) bool {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return a.gate.calm(ctx, brief)
	}
	if look(brief) {
		return
	}
	a.log.Info("requests take long: the hand-over waits until they are done", "running_requests", a.gate.count(),
		"limit", calming)
	look(calming)
}

// partFromStreams waits until event streams have ended, for no longer than clients take that are there.
func (a *App) partFromStreams(within context.Context) {
	speaking, cancel := context.WithTimeout(within, farewell)
	defer cancel()
	if left := a.system.awaitLastWords(speaking); left > 0 {
		a.log.Info("event streams that cannot be written to are cut off", "streams", left)
	} else {
		closing, cancel := context.WithTimeout(within, answering)
		defer cancel()
		if a.system.awaitStreams(closing) == 0 {
			return
		}
	}
	a.system.cutStreams()
}

// tidy has the store put its files in order: it empties its log, and wipes what was deleted.
func (a *App) tidy() {
	ctx, cancel := context.WithTimeout(context.Background(), tidying)
	defer cancel()
	if err := a.system.tidy(ctx); err != nil {
		a.log.Info("the store is closed as it is", "error", err) // which takes longer
	}
}

// alive returns when the store has answered, whatever that is.
func (a *App) alive(ctx context.Context) error { return a.system.alive(ctx) }

// bidding asks clients to leave their connections, once the server is leaving. In HTTP/2 the
// header becomes the frame that says so.
func (a *App) bidding(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
