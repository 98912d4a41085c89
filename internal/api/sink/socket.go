package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"signet/internal/api/wire"
	"signet/internal/live"
	"signet/internal/model"
)

// socketReadBytes bounds a frame from the client: an acknowledgement of a
// thousand events fits.
const socketReadBytes = 64 << 10

// Socket writes events as text frames.
type Socket struct {
	view    wire.View
	ctx     context.Context // the connection's
	cancel  context.CancelFunc
	conn    *websocket.Conn
	pings   sync.WaitGroup // those whose answer is still to come
	reading sync.WaitGroup
	fault   error // what was wrong with it, once it has ended
}

// Accept opens a WebSocket, for as long as the context at most. Where it fails, it has answered
// already. Its caller has checked the handshake, and the origin against the configured ones.
func Accept(ctx context.Context, w http.ResponseWriter, r *http.Request, view wire.View) (*Socket, error) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(socketReadBytes)
	s := &Socket{view: view, conn: conn}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s, nil
}

// Context is the connection's: it ends when the connection is aborted or closed, or its client
// is gone.
func (s *Socket) Context() context.Context { return s.ctx }

// Read takes acknowledgements until the client is gone, in a goroutine for which Close waits.
func (s *Socket) Read(acknowledge func(ctx context.Context, ids []string) error) {
	s.reading.Go(func() {
		s.fault = s.read(acknowledge)
		s.cancel()
	})
}

// read ignores a frame that is no acknowledgement, as unknown fields are ignored; but text has to
// be UTF-8 (RFC 6455, section 8.1).
func (s *Socket) read(acknowledge func(ctx context.Context, ids []string) error) error {
	for {
		kind, frame, err := s.conn.Read(s.ctx)
		switch {
		case err == nil:
		case s.ctx.Err() != nil, websocket.CloseStatus(err) != -1, errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF),
			errors.Is(err, io.ErrUnexpectedEOF):
			return nil // closed, by either side
		default:
			if _, cut := errors.AsType[net.Error](err); !cut {
				_ = s.conn.Close(websocket.StatusProtocolError, "not a frame of a client")
			}
			return nil
		}
		if kind == websocket.MessageText && !utf8.Valid(frame) {
			return s.conn.Close(websocket.StatusInvalidFramePayloadData, "not UTF-8")
		}
		var said struct {
			Ack []string `json:"ack"`
		}
		if kind != websocket.MessageText || json.Unmarshal(frame, &said) != nil || len(said.Ack) == 0 {
			continue
		}
		if err := acknowledge(s.ctx, said.Ack); err != nil && s.ctx.Err() == nil {
			_ = s.conn.Close(closing(0, err))
			return err
		}
	}
}

// Event writes one event as a frame.
func (s *Socket) Event(e *model.Event) error {
	b := buffers.Get().(*bytes.Buffer)
	defer free(b)
	text, err := s.view.AppendEvent(b.AvailableBuffer(), e)
	if err != nil {
		return err
	}
	b.Write(text)
	return s.write(b.Bytes())
}

// Shared writes one that others get too.
func (s *Socket) Shared(e *live.Event) error {
	text, err := e.JSON(s.view.EventJSON)
	if err != nil {
		return err
	}
	return s.write(text)
}

func (s *Socket) write(frame []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, frame)
}

// Retry has nothing to do: there are no words for it but the event's.
func (s *Socket) Retry(time.Duration) error { return nil }

// Flush has nothing to do: each frame is written when it is given.
func (s *Socket) Flush() error { return nil }

// Abort closes the connection.
func (s *Socket) Abort() { s.cancel() }

// Comment shows that the connection is alive, with a ping. Its answer is waited
// for on the side: it can be late behind what the client is still reading.
func (s *Socket) Comment() error {
	s.pings.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, patience)
		defer cancel()
		_ = s.conn.Ping(ctx) // a client that is gone fails a write
	})
	return nil
}

// Close ends the connection, after a stream that ended with err, and returns that and
// what was wrong with the reading.
func (s *Socket) Close(why live.Reason, err error) error {
	_ = s.conn.Close(closing(why, err))
	s.cancel()
	s.pings.Wait()
	s.reading.Wait()
	return errors.Join(err, s.fault)
}

// closing is what a client is told at the end of its stream: only where the server goes
// away is it of use to connect again at once.
func closing(why live.Reason, err error) (websocket.StatusCode, string) {
	told, _ := errors.AsType[*model.Error](err)
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
