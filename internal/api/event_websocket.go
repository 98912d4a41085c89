package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"signet/internal/api/wire"
	"signet/internal/audit"
	"signet/internal/live"
	"signet/internal/model"
)

// socketReadBytes bounds a frame from the client: an acknowledgement of a
// thousand events fits.
const socketReadBytes = 64 << 10

// streamWebSocket writes the queue as text frames, and reads acknowledgements
// (contract, section 6). As with server-sent events, the call returns once the replay
// is written; the goroutine that reads, the client may write to.
func (a *API) streamWebSocket(ctx context.Context, c *call) (answer, error) {
	if err := checkHandshake(c.request); err != nil {
		c.writer.Header()["Sec-WebSocket-Version"] = []string{"13"}
		return answer{}, err
	}
	options := a.streamOptions(c)
	// The adapter has checked the origin already, against the configured ones.
	conn, err := websocket.Accept(&c.writer, c.request, &websocket.AcceptOptions{
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		c.logged = err
		return streamed(), nil // Accept has answered
	}
	conn.SetReadLimit(socketReadBytes)
	out := &socket{view: c.View, conn: conn}
	out.ctx, out.cancel = context.WithCancel(audit.Outlive(ctx))
	stop := context.AfterFunc(ctx, out.cancel)
	actor := c.actor
	out.reading.Go(func() {
		out.fault = a.readSocket(out.ctx, actor, conn)
		out.cancel()
	})
	st, err := a.streams.Open(a.streamRoom(out.ctx, c), actor, options, out)
	stop() // the call's context ends with it
	if st == nil {
		c.logged = out.close(0, err)
		return streamed(), nil
	}
	c.hijacked = true
	a.logOpened(c)
	end := c.ending()
	stopped := context.AfterFunc(out.ctx, st.Close)
	go st.Run(out, func(err error) {
		stopped()
		err = out.close(st.Reason(), err)
		a.streamEnded(end(), err)
	})
	return streamed(), nil
}

// close ends the connection, after a stream that ended with err, and returns that and
// what was wrong with the reading.
func (s *socket) close(why live.Reason, err error) error {
	_ = s.conn.Close(closing(why, err))
	s.cancel()
	s.pings.Wait()
	s.reading.Wait()
	return errors.Join(err, s.fault)
}

// closing is what a client is told at the end of its stream: only where the server goes
// away is it of use to connect again at once.
func closing(why live.Reason, err error) (websocket.StatusCode, string) {
	told, _ := asModel(err)
	switch {
	case why == live.Shutdown:
		return websocket.StatusGoingAway, "connect again"
	case why == live.Revoked, told != nil && told.Kind != model.Internal && told.Kind != model.Unavailable:
		return websocket.StatusPolicyViolation, "the key or its access has ended"
	case why == live.Deleted:
		return websocket.StatusPolicyViolation, "the account has ended its streams"
	case why == live.Replaced:
		return websocket.StatusPolicyViolation, "the account has opened too many streams"
	case why == live.Slow:
		return websocket.StatusPolicyViolation, "the client reads too slowly"
	case err != nil:
		return websocket.StatusInternalError, "the stream failed"
	}
	return websocket.StatusNormalClosure, "that is all"
}

// checkHandshake refuses a request for a WebSocket that is none (RFC 6455, section
// 4.2.1). Accept would, too, but not in the shape of an error.
func checkHandshake(r *http.Request) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	switch {
	case !headerHas(r.Header, "Connection", "Upgrade"):
		return model.Invalidf(codeUpgradeInvalid, "Connection", "For a WebSocket, Connection has to name Upgrade.")
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		return model.Invalidf(codeUpgradeInvalid, "Sec-WebSocket-Version", "The version of a WebSocket has to be 13.")
	case len(r.Header["Sec-Websocket-Key"]) != 1, err != nil, len(key) != 16:
		return model.Invalidf(codeUpgradeInvalid, "Sec-WebSocket-Key", "The key of a WebSocket has to be 16 bytes in base64.")
	}
	return nil
}

// readSocket takes acknowledgements until the client is gone. A frame that is
// none is ignored, as unknown fields are; but text has to be UTF-8 (RFC 6455, section
// 8.1).
func (a *API) readSocket(ctx context.Context, actor *model.Actor, conn *websocket.Conn) error {
	for {
		kind, frame, err := conn.Read(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil, websocket.CloseStatus(err) != -1, errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF),
			errors.Is(err, io.ErrUnexpectedEOF):
			return nil // closed, by either side
		default:
			if _, cut := errors.AsType[net.Error](err); !cut {
				_ = conn.Close(websocket.StatusProtocolError, "not a frame of a client")
			}
			return nil
		}
		if kind == websocket.MessageText && !utf8.Valid(frame) {
			return conn.Close(websocket.StatusInvalidFramePayloadData, "not UTF-8")
		}
		var said struct {
			Ack []string `json:"ack"`
		}
		if kind != websocket.MessageText || json.Unmarshal(frame, &said) != nil || len(said.Ack) == 0 {
			continue
		}
		// It counts as a call does, and waits where one would be refused: a frame has no
		// answer that could tell its client to send it again.
		if a.rates.Wait(ctx, &actor.Key, 1+costOfIDs(len(said.Ack))) != nil {
			return nil
		}
		if err := a.service.Acknowledge(ctx, actor, said.Ack); err != nil && ctx.Err() == nil {
			_ = conn.Close(closing(0, err))
			return err
		}
	}
}

// socket writes events as text frames.
type socket struct {
	view    wire.View
	ctx     context.Context // the connection's
	cancel  context.CancelFunc
	conn    *websocket.Conn
	pings   sync.WaitGroup // those whose answer is still to come
	reading sync.WaitGroup
	fault   error // what was wrong with it, once it has ended
}

// Event writes one event as a frame.
func (s *socket) Event(e *model.Event) error {
	b := sinkBuffers.Get().(*bytes.Buffer)
	defer freeSinkBuffer(b)
	text, err := s.view.AppendEvent(b.AvailableBuffer(), e)
	if err != nil {
		return err
	}
	b.Write(text)
	return s.write(b.Bytes())
}

// Shared writes one that others get too.
func (s *socket) Shared(e *live.Event) error {
	text, err := e.JSON(s.view.EventJSON)
	if err != nil {
		return err
	}
	return s.write(text)
}

func (s *socket) write(frame []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, streamPatience)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, frame)
}

// Retry has nothing to do: there are no words for it but the event's.
func (s *socket) Retry(time.Duration) error { return nil }

// Flush has nothing to do: each frame is written when it is given.
func (s *socket) Flush() error { return nil }

// Abort closes the connection.
func (s *socket) Abort() { s.cancel() }

// Comment shows that the connection is alive, with a ping. Its answer is waited
// for on the side: it can be late behind what the client is still reading.
func (s *socket) Comment() error {
	s.pings.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, streamPatience)
		defer cancel()
		_ = s.conn.Ping(ctx) // a client that is gone fails a write
	})
	return nil
}
