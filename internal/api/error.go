package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"signet/internal/api/output"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/store"
)

// The codes of the errors that the adapter itself answers; services have their
// own. They are stable. Besides there is `<field>_required`.
const (
	codeEndpointUnknown    = "endpoint_unknown"            // 404: no such path
	codeMethodNotAllowed   = "method_not_allowed"          // 405
	codePreconditionFailed = "precondition_failed"         // 412
	codeRangeInvalid       = "range_invalid"               // 416
	codeCredentialsMissing = "credentials_missing"         // 401
	codeCredentialsInvalid = "credentials_invalid"         // 401: not HTTP Basic
	codeDailyLimit         = "daily_limit"                 // 429: messages a day; the service's
	codeGrowthLimit        = "growth_limit"                // 429: groups a day; the service's
	codeAdministrativeKey  = "administrative_key_required" // 403
	codeRequestIDInvalid   = "request_id_invalid"          // 400
	codeSessionEnded       = "session_ended"               // 401: a cookie; of access
	codeSessionMissing     = "session_missing"             // 404: of credentials without a session
	codeHTTPSRequired      = "https_required"              // 403: a session over plain HTTP
	codePasskeysOff        = "passkeys_off"                // 403: the server knows no name for them; 400: a setting
	codePasskeyAddress     = "passkey_address"             // 403: a page of another address
	codeInternal           = "internal"                    // 500
	codeUnavailable        = "unavailable"                 // 503
)

// fail answers a call that ended in an error, and logs what only the operator
// is to know.
func (a *API) fail(ctx context.Context, c *call, err error) {
	c.logged = err
	if err == errMethod {
		c.writer.Header()["Allow"] = []string{c.allow}
		a.writeError(c, http.StatusMethodNotAllowed, &model.Error{Code: codeMethodNotAllowed,
			Message: "The endpoint does not have this method."})
		return
	}
	if c.writer.Failed || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		// The client left: its answer is no error. One that was too slow is still there, and
		// sees that the answer breaks off.
		c.abandoned = true
		a.writeError(c, http.StatusServiceUnavailable, unavailable())
		return
	}
	shown := shownError(err)
	a.metrics.refused(shown)
	if shown.Kind == model.TooMany || shown.Kind == model.Unavailable {
		a.tally.Refused()
	}
	if shown.Code == codeSessionEnded {
		a.setCookie(c, "") // else the browser would send it for ever
	}
	if shown.Field == model.OrganizationHeader {
		named := *shown
		named.Field = a.vendor.organizationKey
		shown = &named
	}
	switch {
	case shown.Kind == model.Internal, shown.Kind == model.Lost:
		a.logFailure(ctx, c, slog.LevelError, err)
	case shown.Kind == model.Unavailable && (shown != err || shown.Cause != nil):
		if c.outage = a.outages.Refused(health.MissingPart(err), err); !c.outage {
			a.logFailure(ctx, c, slog.LevelWarn, err)
		}
	}
	if c.endpoint.page && c.writer.Status == 0 && goesTo(c.request) {
		a.sendBack(c, shown)
		return
	}
	a.writeError(c, output.Status(shown.Kind), shown)
}

func (a *API) logFailure(ctx context.Context, c *call, level slog.Level, err error) {
	attrs := []slog.Attr{slog.String("request_id", c.id), slog.String("route", c.endpoint.label), slog.Any("error", err)}
	if fell, ok := errors.AsType[*store.PanicError](err); ok {
		a.metrics.panics.Inc()
		attrs = append(attrs, slog.String("stack", string(fell.Stack())))
	}
	a.logger.LogAttrs(ctx, level, "a call failed", attrs...)
}

// shownError returns what the caller may know of an error.
func shownError(err error) *model.Error {
	told, ok := asModel(err)
	switch {
	case ok && told.Kind > model.Internal && output.Status(told.Kind) != 0:
		return told
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrClosed), errors.Is(err, context.DeadlineExceeded):
		return unavailable()
	}
	return internalError()
}

func unavailable() *model.Error {
	return &model.Error{Kind: model.Unavailable, Code: codeUnavailable, RetryAfter: output.RetryAfter,
		Message: "The service is not available at the moment, please try again."}
}

func internalError() *model.Error {
	return &model.Error{Kind: model.Internal, Code: codeInternal,
		Message: "Something went wrong on the server; its log has more under the request's id."}
}

// asModel returns the error of a chain that a caller may be told.
func asModel(err error) (*model.Error, bool) { return errors.AsType[*model.Error](err) }

// writeError answers a call with an error. Where the answer has begun already, it
// breaks the connection off, so that the client does not take a part for the whole.
func (a *API) writeError(c *call, status int, shown *model.Error) {
	if c.writer.Status != 0 {
		if c.writer.Status != http.StatusSwitchingProtocols {
			panic(http.ErrAbortHandler)
		}
		return
	}
	h := c.writer.Header()
	for _, name := range []string{
		"Content-Length", "Content-Encoding", "Content-Disposition", "Etag", "ETag", "Accept-Ranges",
	} {
		delete(h, name) // of an answer that did not come about
	}
	if c.scim {
		a.writeSCIMError(c, status, shown)
		return
	}
	output.Error(&c.writer, c.request, status, c.id, shown)
}
