package load

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ServeFloor answers every POST after it has checked that there is Basic
// authentication and decoded its JSON, and does nothing else: the least that any
// server of the interface in Go could take. It returns when ctx ends.
func ServeFloor(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: http.HandlerFunc(answerFloor), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // nobody needs what is under way
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
	_ = json.NewEncoder(w).Encode(map[string]string{"status": "success"}) // whoever has gone needs no answer
}

// MeasureFloors starts the floor as a process of its own and carries out plans of
// the scenario Floor on it, one after the other. The program is signet. After an
// error, or when ctx ends, it returns the results that it has.
func MeasureFloors(ctx context.Context, program string, plans []Plan, show func(Progress)) (results []*Result, err error) {
	floor, err := start(ctx, program, nil, "bench", "floor-server")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, floor.Stop()) }()
	for i := 0; i < len(plans) && ctx.Err() == nil; i++ {
		result, err := runFloor(ctx, floor, plans[i], show)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

func runFloor(ctx context.Context, floor *Process, p Plan, show func(Progress)) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if show == nil {
		show = func(Progress) {}
	}
	u, err := url.Parse(floor.BaseURL)
	if err != nil {
		return nil, err
	}
	anybody := &person{authorization: basic("key", "secret")}
	call := newRequest(anybody, http.MethodPost, u.JoinPath("/"), letterBody("somebody", strings.Repeat("x", p.Payload)))
	return measure(ctx, &p, &gauge{servers: []int{floor.PID}}, func(ctx context.Context, c *connection, _ int) error {
		return c.call(ctx, call)
	}, show), nil
}
