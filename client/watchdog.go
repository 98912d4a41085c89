package client

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// watchdog ends an attempt when nothing moves for a while, and no sooner: a
// deadline for the whole would cut long transfers off.
type watchdog struct {
	patience time.Duration
	timer    *time.Timer // nil: it never barks
	cancel   context.CancelCauseFunc
}

// watch returns a context that ends with ErrSilent after patience without a
// touch; with a patience of 0 or less only with its parent.
func watch(ctx context.Context, patience time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{patience: patience, cancel: cancel}
	if patience > 0 {
		w.timer = time.AfterFunc(patience, func() { cancel(ErrSilent) })
	}
	return ctx, w
}

// touch starts the patience anew.
func (w *watchdog) touch() {
	if w.timer != nil {
		w.timer.Reset(w.patience)
	}
}

// rest suspends the watch while it is not the server that is waited for.
func (w *watchdog) rest() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// stop ends the watch and the context.
func (w *watchdog) stop() {
	w.rest()
	w.cancel(nil)
}

// silent returns why an attempt failed: ErrSilent if that is why the context ended, else err, which does
// not say by itself whether the caller or the watchdog ended a cancelled context.
func silent(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), ErrSilent) {
		return ErrSilent
	}
	return err
}

// exchange is an answer with its body still unread. It is watched while a read waits,
// not while its reader is busy elsewhere.
type exchange struct {
	resp *http.Response
	ctx  context.Context // of this attempt; its cause says why it ended
	dog  *watchdog
}

func (e *exchange) Read(p []byte) (int, error) {
	e.dog.touch()
	n, err := e.resp.Body.Read(p)
	e.dog.rest()
	return n, silent(e.ctx, err)
}

func (e *exchange) Close() error {
	err := e.resp.Body.Close()
	e.dog.stop()
	return err
}
