package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/internal/api/output"
	"signet/internal/api/sink"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/service"
	"signet/internal/stream"
)

// getEvents: GET /events (call 1): a WebSocket, an event stream, or a list,
// whichever the client asks for.
func (a *API) getEvents(ctx context.Context, c *call) (answer, error) {
	switch r := c.request; {
	case c.head():
		return a.pollEvents(ctx, c)
	case sink.AsksForSocket(r):
		return a.streamWebSocket(ctx, c)
	case sink.AsksForEvents(r.Header):
		return a.streamEvents(ctx, c)
	default:
		return a.pollEvents(ctx, c)
	}
}

// takesEvents reports whether a GET of events changes anything. A stream does: others are
// told of it, and it may end an older one. So does a poll that acknowledges what it reads.
// Any page can make a browser send either with the credentials that it keeps, though the
// page is shown nothing of the answer.
func takesEvents(c *call) bool {
	if sink.AsksForEvents(c.request.Header) {
		return !c.head()
	}
	return c.readQuery().Has("auto_ack") && !c.head()
}

// pollEvents answers with the oldest unacknowledged events.
func (a *API) pollEvents(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	options := service.PollOptions{
		Limit:   q.IntBetween("limit", 1, service.MaxEvents, service.DefaultEvents),
		After:   q.Text("after"),
		Wait:    time.Duration(q.IntBetween("wait", 0, int(service.MaxWait/time.Second), 0)) * time.Second,
		AutoAck: q.Bool("auto_ack"),
	}
	if c.head() { // whose answer has no events
		options.AutoAck = false
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var body *output.Body // nil while the poll waits
	count := 0
	begin := func() {
		if body == nil {
			body = output.NewBody()
			body.WriteString(eventsBegin)
		}
	}
	c.answer = a.answers.Hold(c.actor.Key.Counter)
	options.Take = func(events []model.Event) (int, error) {
		begin()
		taken, err := c.appendTaken(body, events)
		count += taken
		return taken, err
	}
	_, err := a.service.Poll(ctx, c.actor, options)
	begin()
	if err != nil {
		body.Release()
		return answer{}, err
	}
	a.charge(c, costOfEvents(count))
	body.WriteString("]}")
	return answer{status: http.StatusOK, encoded: body}, nil
}

// mostEvents is how many bytes the answer to a poll has at most, even where more events
// were asked for (contract, section 6). One event always fits.
const mostEvents = 4 << 20

// appendTaken writes events to the end of the list that the body has begun, as far as
// there is room, and returns how many that were.
func (c *call) appendTaken(body *output.Body, events []model.Event) (int, error) {
	body.Grow(min(len(events)*wire.UsualEvent, mostEvents))
	for i := range events {
		text, err := c.AppendEvent(append(body.AvailableBuffer(), ','), &events[i])
		if err != nil {
			return i, err
		}
		if body.Len() == len(eventsBegin) {
			text = text[1:] // the comma
		} else if body.Len()+len(text) > mostEvents-len("]}") {
			return i, nil
		} else if err := c.answer.Take(len(text)); err != nil {
			if body.Len() == len(eventsBegin) {
				return i, err
			}
			return i, nil // the others the next time
		}
		body.Write(text)
	}
	return len(events), nil
}

const eventsBegin = output.ReplyBegin + "["

// streamOptions reads what a stream asks for, from header and query.
func (a *API) streamOptions(c *call) stream.Request {
	var options stream.Request
	if sent, ok := c.request.Header["Last-Event-Id"]; ok {
		options.LastEventID = sent[0]
	} else if given := c.readQuery().Values("lastEventId"); len(given) > 0 {
		options.LastEventID = given[0]
	}
	lists := slices.Concat(c.request.Header.Values(a.vendor.features), c.readQuery().Values("features"))
	for feature := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		feature = strings.TrimSpace(feature)
		switch feature {
		case "auto-ack":
			options.AutoAck = true
		case "auto-deliver":
			options.AutoDeliver = true
		case "no-offline-messages":
			options.NoOfflineMessages = true
		case "close-after-messages":
			options.CloseAfterMessages = true
		default:
			if seconds, ok := strings.CutPrefix(feature, "heartbeat_"); ok {
				if n, err := strconv.Atoi(seconds); err == nil && n >= 1 && n <= 60 {
					options.Heartbeat = time.Duration(n) * time.Second
				}
			}
		}
		options.Features = append(options.Features, feature)
	}
	return options
}

// ackEvents: POST /events/ack (call 3).
func (a *API) ackEvents(ctx context.Context, c *call) (answer, error) {
	ids := c.body.List("events")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	if ids == nil {
		return answer{}, model.Invalidf("events_required", "events", "Events are required.")
	}
	a.charge(c, costOfIDs(len(ids)))
	return noContent(), a.service.Acknowledge(ctx, c.actor, ids)
}

// deleteEvents: DELETE /events (call 2).
func (a *API) deleteEvents(ctx context.Context, c *call) (answer, error) {
	connectionsOnly := c.body.Bool("connections_only")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	done, err := a.service.DeleteEvents(ctx, c.actor, connectionsOnly)
	if err != nil {
		return answer{}, err
	}
	return reply(map[string]int{"count": done.Streams, "deleted": done.Events}), nil
}
