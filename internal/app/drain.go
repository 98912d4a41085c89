package app

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// lastWords is how long answers may take to leave the machine once they
	// are written, and how long requests that were cut off may take to write
	// one. After that their connections are closed under them, and cutoff is
	// how long they may take to notice.
	lastWords = time.Second
	cutoff    = 5 * time.Second

	// retryAfter is how long a refused client is told to wait, as for every cause that
	// names no time. Another node, if there is one, answers at once.
	retryAfter = time.Second
)

// serveOn says on /readyz that the server stops, and serves for shutdown.delay, so that
// load balancers have noticed before it refuses anything. Its streams stay too: told to
// reconnect now, they would be sent here again. It ends early with the error of a server
// that fails meanwhile.
func (a *App) serveOn(failed <-chan error) error {
	if a.cfg.Shutdown.Delay == 0 {
		return nil
	}
	a.stopping.Store(true)
	a.log.Info("not ready any more, stopping soon", "delay", a.cfg.Shutdown.Delay)
	over := time.NewTimer(a.cfg.Shutdown.Delay)
	defer over.Stop()
	select {
	case <-over.C:
		return nil
	case err := <-failed:
		return err
	}
}

// drain refuses new requests, lets the running ones finish within
// shutdown.grace, cuts off the rest, and closes the connections. The socket
// listens until the requests are done, so that a new client gets an answer
// instead of a closed port. That of the other server of a pair stays: its standby fetches
// what was confirmed last. It returns what went wrong with closing the sockets.
func (a *App) drain(server *http.Server, cutRequests func()) error {
	running := a.gate.close()
	a.log.Info("stopping", "running_requests", running, "grace", a.cfg.Shutdown.Grace)
	server.SetKeepAlivesEnabled(false)
	a.system.endStreams()

	if !a.idleWithin(a.cfg.Shutdown.Grace) {
		a.cutOff(server, cutRequests)
	}

	// Those who come now go elsewhere: nobody accepts them any more.
	err := a.network.closeFront()
	finish(server)
	return err
}

// finish closes a server. A handler that has returned may still have its answer in a buffer.
func finish(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		server.Close()
	}
}

// cutOff ends requests that did not end in time.
func (a *App) cutOff(server *http.Server, cutRequests context.CancelFunc) {
	a.log.Warn("cutting off requests that did not finish in time", "running_requests", a.gate.count())
	cutRequests()
	a.system.cutStreams()
	if a.idleWithin(lastWords) {
		return
	}
	server.Close()
	if !a.idleWithin(cutoff) {
		a.log.Error("requests do not end; stopping without them", "running_requests", a.gate.count())
	}
}

// idleWithin waits until no request runs and no event stream is open, which may be
// after its request, and reports whether that came in time.
func (a *App) idleWithin(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	select {
	case <-a.gate.idle:
		return a.system.awaitStreams(ctx) == 0
	case <-ctx.Done():
		return false
	}
}

// pages is what the interface says to pages of other origins, in a browser.
type pages interface {
	IsPreflight(r *http.Request) bool
	SetCrossOrigin(h http.Header, r *http.Request)
}

// admit runs requests through the gate; what comes after it is shut gets the
// interface's 503 (contract, section 1). A page of an allowed origin can read that, and
// the Retry-After: its preflight, which needs no store, is answered as ever.
func (a *App) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, may := a.gate.enter(lasts(r))
		if !may {
			if page, ok := next.(pages); ok {
				if page.IsPreflight(r) {
					next.ServeHTTP(w, r)
					return
				}
				page.SetCrossOrigin(w.Header(), r)
			}
			refuseStopping(w, r)
			return
		}
		defer a.gate.leave(began)
		if a.stopping.Load() {
			// A proxy keeps no connection on which it would send its next request into the end.
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// lasts reports whether a request may run until it is ended: a stream, or a poll that waits.
func lasts(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	return r.Method == http.MethodGet && (strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/audit"))
}

// retryAfterSeconds is the value of the header.
func retryAfterSeconds() string { return strconv.Itoa(int(retryAfter / time.Second)) }
