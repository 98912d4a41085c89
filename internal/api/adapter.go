package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"signet/internal/api/output"
	"signet/internal/api/wire"
	"signet/internal/audit"
	"signet/internal/fanout"
	"signet/internal/model"
	"signet/internal/trace"
)

// steps are what a call goes through before its endpoint runs, in the order in
// which the contract lets one error win over another. What comes after them,
// target (404) and rights on it (403), is the endpoint's.
var steps = [...]func(*API, context.Context, *call) error{
	(*API).findRoute,           // 404, 405
	(*API).checkOrigin,         // 403 origin_refused
	(*API).authenticate,        // 401, 429 too_many_failures
	(*API).countRate,           // 429
	(*API).checkSecondFactor,   // 403
	(*API).checkAdministrative, // 403
	(*API).readBody,            // 413, 415, 400
	(*API).askAgain,            // 401, 403
	(*API).checkOrganization,   // 400
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{request: r, endpoint: a.unmatched, vendor: &a.vendor, started: a.clock(),
		View: wire.View{Namespace: a.vendor.namespace, Base: a.links(r)}}
	c.writer.ResponseWriter = w
	c.id = output.SetHeaders(w.Header(), r)
	c.span = a.tracer.Call(&c.work, r.Context(), c.id, r.Header[trace.HeaderParent])
	a.origins.SetHeaders(w.Header(), r)
	c.scim = isSCIM(r.URL.Path)
	a.metrics.inFlight.Inc()
	defer a.finish(c)
	defer c.endSpan()
	defer c.release()
	a.serve(&c.work, c)
}

// serve runs the call and writes its answer. A panic becomes a neutral 500.
func (a *API) serve(ctx context.Context, c *call) {
	defer func() {
		if v := recover(); v != nil {
			a.recovered(ctx, c, v)
		}
	}()
	out, err := a.run(ctx, c)
	a.audit(ctx, c, err)
	if err == nil {
		err = a.write(c, out)
	}
	if err != nil {
		a.fail(ctx, c, err)
	}
}

func (a *API) run(ctx context.Context, c *call) (answer, error) {
	for _, step := range steps {
		if err := step(a, ctx, c); err != nil {
			c.body.Discard(ctx) // the endpoint has seen none of them
			return answer{}, err
		}
	}
	if c.endpoint.audit != "" || c.endpoint.overseen {
		ctx = audit.WithOrigin(ctx, a.origin(c))
	}
	ctx, c.large = a.large.With(ctx)
	out, err := c.endpoint.handler(fanout.Counted(ctx, &c.rows), c)
	if c.actor != nil {
		a.charge(c, costOfRows(c.rows))
	}
	if err == nil && c.writer.Status == 0 {
		err = c.err() // an endpoint that has not asked
	}
	if err != nil && definite(err) {
		c.body.Discard(ctx)
	}
	return out, err
}

// definite reports whether an endpoint's error says for certain that nothing came
// of the call. After any other, such as a lost database, its transaction may
// have happened: the file is then left to the sweep of unreferenced ones.
func definite(err error) bool {
	told, ok := asModel(err)
	return ok && told.Kind != model.Internal && told.Kind != model.Unavailable
}

// findRoute finds the endpoint of the path and method.
func (a *API) findRoute(_ context.Context, c *call) error {
	r := c.request
	found, _ := a.router.find(r.URL.EscapedPath(), r.Method, c.params[:0])
	if found == nil {
		return &model.Error{Kind: model.NotFound, Code: codeEndpointUnknown, Message: "There is no such endpoint."}
	}
	c.allow = found.allow
	if e := found.endpoint(r.Method); e != nil {
		if err := e.checkText(c.params[:]); err != nil {
			return err
		}
		c.endpoint = e
		return nil
	}
	if a.origins.IsPreflight(r) {
		c.endpoint = a.preflight
		return nil
	}
	return errMethod
}

// errMethod is a known path with a method that it does not have (405).
var errMethod = errors.New("method is not allowed")

// recovered answers a call whose handling panicked.
func (a *API) recovered(ctx context.Context, c *call, v any) {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	a.metrics.panics.Inc()
	a.logger.LogAttrs(ctx, slog.LevelError, "a call panicked", slog.String("request_id", c.id),
		slog.String("route", c.endpoint.label), slog.String("panic", model.PanicText(v)), slog.String("stack",
			string(debug.Stack())))
	a.writeError(c, http.StatusInternalServerError, internalError())
}

// finish counts and logs the call when it is over, however it ended.
func (a *API) finish(c *call) {
	if c.hijacked {
		return // its stream counts and logs it at its end
	}
	took := a.clock().Sub(c.started)
	a.metrics.inFlight.Dec()
	c.endpoint.metrics.count(c, took)
	a.logAccess(c, took)
}

// askAgain asks once more who calls, where a body has arrived since: that may have taken
// minutes, in which the key ended or lost its rights (contract, section 1).
func (a *API) askAgain(ctx context.Context, c *call) error {
	if c.actor == nil || c.request.Body == http.NoBody {
		return nil
	}
	actor, err := a.authenticator.Current(ctx, c.actor)
	if err != nil {
		return err
	}
	c.actor = actor
	if err := a.checkSecondFactor(ctx, c); err != nil {
		return err
	}
	return a.checkAdministrative(ctx, c)
}

// checkOrganization refuses a call that names its organization in a way that cannot be read:
// without a name it would act in another one.
func (a *API) checkOrganization(_ context.Context, c *call) error {
	if c.actor == nil {
		return nil
	}
	c.organization()
	return c.err()
}

// readBody reads the body into the call's fields and files.
func (a *API) readBody(ctx context.Context, c *call) error {
	if c.read {
		return nil // by a sign-in, whose credentials are in it
	}
	c.read = true
	if c.endpoint.method == http.MethodDelete {
		c.body.Beside(c.readQuery, c.request.Header, c.vendor.prefix)
	}
	if key := c.rated(); key != nil {
		c.held = a.memory.Hold(key.Counter)
		c.body.Hold, c.body.Crowded = c.held.Take, a.memory.Crowded
		c.body.Admit = func() (err error) {
			if c.leave == nil {
				c.leave, err = a.uploads.Enter(key.Counter)
			}
			return err
		}
	}
	if refuse := c.endpoint.refuse; refuse != nil {
		c.body.Refuse = func() error { return refuse(ctx, c) }
	}
	err := c.endpoint.reader.Read(ctx, c.writer.ResponseWriter, c.request, &c.body)
	if c.actor != nil {
		a.charge(c, costOfBody(c.body.Bytes))
	}
	return err
}
