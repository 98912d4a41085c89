package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/stream"
)

// followsAudit reports whether a reading of the audit log asks for a stream, which no foreign
// page opens, as none of events.
func followsAudit(c *call) bool { return acceptsEventStream(c.request.Header) && !c.head() }

// eventAudit is the kind of event that a line of the audit log is on a stream.
const eventAudit = "audit"

// streamAudit writes a part of the audit log as server-sent events, in the form of those of
// GET /events, so that a client reads both in one way.
func (a *API) streamAudit(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	for _, name := range []string{"limit", "before", "since", "until", "action"} {
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
	h := c.writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	head := &headWriter{writer: &c.writer, control: http.NewResponseController(&c.writer)}
	_ = head.control.SetReadDeadline(time.Time{}) // nothing cuts it but its own deadlines
	err := a.streams.FollowAudit(ctx, c.actor, request, &auditSink{eventSink{view: c.View, out: head}})
	if err != nil && c.writer.Status == 0 {
		h.Del("X-Accel-Buffering") // it is an answer like any other
		return answer{}, err
	}
	c.logged = err
	return streamed(), nil
}

// auditSink writes lines of the audit log as unnamed server-sent events.
type auditSink struct{ eventSink }

// Line adds one.
func (s *auditSink) Line(line *store.AuditRow) error {
	text, err := wire.Marshal(wire.ShownAuditLine(&line.AuditEntry, line.Hash))
	if err != nil {
		return err
	}
	id := strconv.FormatInt(line.Number, 10)
	b := s.begin()
	b.WriteString("id: " + id + `
data: {"event_id":"` + id + `","event":{"` + s.view.Namespace + ":iq:" + eventAudit + `":`)
	b.Write(text)
	b.WriteString("}}\n\n")
	return s.added()
}
