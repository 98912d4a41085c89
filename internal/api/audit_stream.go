package api

import (
	"context"
	"strconv"

	"signet/internal/api/sink"
	"signet/internal/model"
	"signet/internal/stream"
)

// followsAudit reports whether a reading of the audit log asks for a stream, which no foreign
// page opens, as none of events.
func followsAudit(c *call) bool { return sink.AsksForEvents(c.request.Header) && !c.head() }

// streamAudit writes a part of the audit log as server-sent events, in the form of those of
// GET /events, so that a client reads both in one way.
func (a *API) streamAudit(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	for _, name := range []string{"limit", "before", "since", "until", "action", "account", "outcome", "reads", "names"} {
		if q.Has(name) {
			q.Wrong(name, "left out of a stream")
		}
	}
	request := stream.AuditRequest{Organization: c.organizationPath()}
	if q.Has("after") {
		request.After = new(int64(q.IntBetween("after", 0, maxAuditNumber, 0)))
	}
	options := a.streamOptions(c)
	request.Heartbeat = options.Heartbeat
	if last := options.LastEventID; last != "" { // it tells more than the address that a browser calls again
		number, err := strconv.ParseInt(last, 10, 64)
		if err != nil || number < 0 || number > maxAuditNumber {
			q.Refuse(model.Invalidf("field_invalid", "Last-Event-ID", "Last-Event-ID has to be the number of an entry."))
		}
		request.After = &number
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	lines := sink.NewAudit(c.View, sink.Begin(&c.writer, false))
	err := a.streams.FollowAudit(ctx, c.actor, request, lines)
	if err != nil && c.writer.Status == 0 {
		c.writer.Header().Del("X-Accel-Buffering") // it is an answer like any other
		return answer{}, err
	}
	c.logged = err
	return streamed(), nil
}
