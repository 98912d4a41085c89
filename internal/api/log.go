package api

import (
	"log/slog"
	"net/http"
	"time"

	"signet/internal/model"
)

// logAccess writes a line about a call: at debug where it went well, at info
// where it did not. It names the route by its pattern, because paths and queries
// hold addresses and credentials, and never a header or a body. Where a client is,
// it says only of failed logins, which somebody may want to look into.
func (a *API) logAccess(c *call, took time.Duration) {
	ctx, level := c.request.Context(), slog.LevelDebug
	status := c.loggedStatus()
	if status >= http.StatusBadRequest {
		level = slog.LevelInfo
	}
	if !a.logger.Enabled(ctx, level) {
		return
	}
	attrs := [...]slog.Attr{
		slog.String("method", knownMethod(c.request.Method)),
		slog.String("route", c.endpoint.pattern),
		slog.Int("status", status),
		slog.Duration("duration", took),
		slog.String("request_id", c.id),
		{}, {}, // the code, the client; an empty attribute is left out
	}
	if told, ok := asModel(c.logged); ok {
		attrs[len(attrs)-2] = slog.String("code", told.Code)
		if told.Kind == model.Unauthenticated || told.Code == codeTooManyFailures {
			attrs[len(attrs)-1] = slog.String("client", a.clientAddress(c.request).String())
		}
	}
	a.logger.LogAttrs(ctx, level, "call", attrs[:]...)
}

// statusAbandoned stands in logs for calls whose client left before the answer.
const statusAbandoned = 499

func (c *call) loggedStatus() int {
	switch {
	case c.abandoned:
		return statusAbandoned
	case c.writer.status == 0:
		return http.StatusOK // what net/http sends where nothing was written
	}
	return c.writer.status
}

// knownMethod keeps a method that a client invented out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
