package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
)

// webSocketSource is a connection that was upgraded to a WebSocket.
type webSocketSource struct {
	ctx     context.Context // of the stream
	conn    *websocket.Conn
	silence time.Duration
}

func (s *stream) openWebSocket(ctx context.Context) (source, error) {
	r := s.request()
	req, err := s.c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	dial, cancel := context.WithTimeoutCause(ctx, r.silence, ErrSilent)
	defer cancel()
	conn, resp, err := websocket.Dial(dial, req.URL.String(),
		&websocket.DialOptions{HTTPClient: s.c.streams, HTTPHeader: req.Header})
	switch {
	case err == nil:
		conn.SetReadLimit(maxFrame)
		return &webSocketSource{ctx: ctx, conn: conn, silence: r.silence}, nil
	case resp == nil:
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // the call is named here
		}
		return nil, fmt.Errorf("%s: %w", r, unanswered{silent(dial, err)})
	case resp.StatusCode == http.StatusSwitchingProtocols || resp.StatusCode/100 == 2:
		return nil, fmt.Errorf("%s: %w: %w", r, ErrProtocol, err)
	default:
		return nil, refusal(resp, resp.Body)
	}
}

func (w *webSocketSource) next() (frame, error) {
	ctx, cancel := context.WithTimeoutCause(w.ctx, w.silence, ErrSilent)
	defer cancel()
	_, data, err := w.conn.Read(ctx)
	switch {
	case err == nil:
		return frame{data: data, retry: -1}, nil
	case errors.Is(err, websocket.ErrMessageTooBig):
		return frame{}, tooLong()
	case websocket.CloseStatus(err) >= 0:
		return frame{}, fmt.Errorf("%w: %w", io.EOF, err)
	default:
		return frame{}, silent(ctx, err)
	}
}

// close drops the connection: there is nothing left to say that the closing
// handshake would be worth waiting for.
func (w *webSocketSource) close() { _ = w.conn.CloseNow() }
