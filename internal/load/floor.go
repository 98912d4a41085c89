package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ServeFloor answers every POST after it has checked that there is Basic
// authentication and decoded its JSON, and does nothing else: the least that any
// server of the interface in Go could take. Below /file it keeps files in dir and
// gives them back. It returns when ctx ends.
func ServeFloor(ctx context.Context, l net.Listener, dir string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", answerFloor)
	copies := &copyServer{dir: dir}
	mux.HandleFunc("POST /file", copies.put)
	mux.HandleFunc("GET /file/{name}", copies.get)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // running calls may be cut off
	defer stop()
	err := server.Serve(l)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func answerFloor(w http.ResponseWriter, r *http.Request) {
	key, secret, _ := r.BasicAuth()
	var in struct{ Recipient, Body string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || key == "" || secret == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"status": "success"}) // a client that has left needs no answer
}

// FloorServer is the floor as a process of its own. It costs nothing while it is not
// called, and so can stay while a server is measured.
type FloorServer struct{ process *Process }

// StartFloor starts it. The program is signet-bench; dir is where files are copied to, and
// is to lie on the disk of the server's.
func StartFloor(ctx context.Context, program, dir string) (*FloorServer, error) {
	p, err := start(ctx, program, nil, "floor-server", "--dir", dir)
	if err != nil {
		return nil, err
	}
	return &FloorServer{p}, nil
}

// Stop ends the process and waits for that.
func (f *FloorServer) Stop() error { return f.process.Stop() }

// Measure carries out a plan of the scenario Floor or FileFloor. show, which may be nil,
// gets the progress. If ctx ends, the result covers what was measured until then, and
// says so.
func (f *FloorServer) Measure(ctx context.Context, p Plan, show func(Progress)) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if show == nil {
		show = func(Progress) {}
	}
	u, err := url.Parse(f.process.BaseURL + "/")
	if err != nil {
		return nil, err
	}
	anybody := &person{authorization: basic("key", "secret")}
	gauge := &gauge{servers: []int{f.process.PID}}
	if p.Scenario == FileFloor {
		return measure(ctx, &p, gauge, newCopying(anybody, u, p.Payload).operate, show), nil
	}
	call := newRequest(anybody, http.MethodPost, u, letterBody("somebody", strings.Repeat("x", p.Payload), 0))
	return measure(ctx, &p, gauge, func(ctx context.Context, c *connection, _ int) error {
		return c.call(ctx, call)
	}, show), nil
}

// around measures a plan that is prepared, with its floor right before and right after:
// a machine that others use too may be another one a minute later. f may be nil, and a
// plan may have no floor; then it is measured alone. One that was interrupted has the
// floor of before alone; after an error there is a result only if the plan itself was
// measured.
func (f *FloorServer) around(ctx context.Context, p Plan, show func(Progress), measure func() *Result) (*Result,
	error) {
	floor, ok := FloorOf(p)
	if f == nil || !ok {
		return measure(), nil
	}
	before, err := f.whole(ctx, floor, show)
	if err != nil {
		return nil, err
	}
	result := measure()
	runs := []*Result{before}
	if !result.Interrupted {
		var after *Result
		if after, err = f.whole(ctx, floor, show); err == nil {
			runs = append(runs, after)
		}
	}
	result.beside(runs)
	return result, err
}

// whole measures a floor for a comparison: nothing may fail or be cut off. A machine that
// stood still for all of a short measurement is asked once more.
func (f *FloorServer) whole(ctx context.Context, p Plan, show func(Progress)) (*Result, error) {
	result, err := f.Measure(ctx, p, show)
	if err == nil && !result.Interrupted && result.Operations == 0 && result.Failed() == 0 {
		result, err = f.Measure(ctx, p, show)
	}
	switch {
	case err != nil:
		return nil, err
	case result.Interrupted:
		return nil, ctx.Err()
	case result.Operations == 0 || result.Failed() > 0:
		return nil, fmt.Errorf("measure the floor: %d operations succeeded, %d failed: %s", result.Operations,
			result.Failed(), result.FirstError)
	}
	return result, nil
}
