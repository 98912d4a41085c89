package api

import (
	"log/slog"
	"net/http"
	"time"

	"signet/internal/api/guard"
	"signet/internal/model"
	"signet/internal/trace"
)

// caller is who made a call, as the access log tells it.
type caller struct {
	account string // empty: the credentials opened nothing
	key     string // its name, which opens nothing
	client  string // the address
}

// readCaller notes who calls, where the access log is on: of a stream nothing else is
// kept until its end.
func (a *API) readCaller(c *call) *caller {
	if c.caller == nil && a.accessLog {
		c.caller = &caller{client: a.clientAddress(c.request).String()}
		if c.actor != nil {
			c.caller.account, c.caller.key = c.actor.Account.String(), c.actor.Key.Key
		}
	}
	return c.caller
}

// logAccess writes a line about a call that is over. It names the route by its
// pattern, because paths and queries hold addresses and credentials, and never a
// header or a body. The access log, and the lines of failed
// logins, also have the client's address.
func (a *API) logAccess(c *call, took time.Duration) {
	ctx, status := &c.work, c.loggedStatus()
	level := a.accessLevel(c, status)
	if !a.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs, slog.String("method", knownMethod(c.request.Method)), slog.String("route", c.endpoint.pattern),
		slog.Int("status", status), slog.Duration("duration", took))
	if a.accessLog && !c.streamed {
		attrs = append(attrs, slog.Int64("bytes", c.writer.Bytes))
	}
	attrs = append(append(attrs, slog.String("request_id", c.id)), a.readCaller(c).attrs()...)
	if told, ok := asModel(c.logged); ok {
		attrs = append(attrs, slog.String("code", told.Code))
		if c.caller == nil && (told.Kind == model.Unauthenticated || told.Code == guard.CodeTooManyFailures) {
			attrs = append(attrs, slog.String("client", a.clientAddress(c.request).String()))
		}
	}
	a.logger.LogAttrs(ctx, level, "call", attrs...)
}

// accessLevel says how urgent the line about a call is. Without the access log,
// three kinds are for debugging only: calls that went well, calls of unknown paths, which
// scanners make by the thousand, and refusals in an outage, which has its own line.
func (a *API) accessLevel(c *call, status int) slog.Level {
	if a.accessLog || status >= http.StatusBadRequest && c.endpoint != a.unmatched && !c.outage {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// logOpened writes a line about a stream that begins, in the access log: the one about
// its call comes when it ends. The span of its call ends here.
func (a *API) logOpened(c *call) {
	c.endSpan()
	if who := a.readCaller(c); who != nil {
		a.logger.LogAttrs(&c.work, slog.LevelInfo, "stream", append([]slog.Attr{
			slog.String("method", knownMethod(c.request.Method)), slog.String("route", c.endpoint.pattern),
			slog.String("request_id", c.id),
		}, who.attrs()...)...)
	}
}

func (w *caller) attrs() []slog.Attr {
	switch {
	case w == nil:
		return nil
	case w.account == "":
		return []slog.Attr{slog.String("client", w.client)}
	}
	return []slog.Attr{slog.String("account", w.account), slog.String("key", w.key), slog.String("client", w.client)}
}

// statusAbandoned stands in logs for calls whose client left before the answer.
const statusAbandoned = 499

func (c *call) loggedStatus() int {
	switch {
	case c.abandoned:
		return statusAbandoned
	case c.writer.Status == 0:
		return http.StatusOK // what net/http sends where nothing was written
	}
	return c.writer.Status
}

// endSpan says what became of the call, where it is traced.
func (c *call) endSpan() {
	if !c.span.Recorded() {
		return
	}
	name := c.endpoint.label
	if c.endpoint.method == "" { // there is no such route
		name = knownMethod(c.request.Method)
	}
	status := c.loggedStatus()
	c.span.Rename(name)
	c.span.Set(trace.Method(knownMethod(c.request.Method)), trace.Route(c.endpoint.pattern), trace.Status(status))
	if status >= http.StatusInternalServerError {
		c.span.Fail(shownError(c.logged).Code) // also where it panicked, and there is no error
	} else if told, ok := asModel(c.logged); ok {
		c.span.Set(trace.Refusal(told.Code))
	}
	c.span.End()
}

// knownMethod keeps a method that a client invented out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}
