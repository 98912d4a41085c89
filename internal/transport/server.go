package transport

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Timeouts are how long a client may keep a connection waiting.
type Timeouts struct {
	Header time.Duration // for the head of a request, and for the beginning of TLS
	Body   time.Duration // for a body whose handler sets no time of its own
	Write  time.Duration // for each 32 KiB of an answer
	Idle   time.Duration // between requests
}

// NewServer returns a server whose requests live at most as long as lifetime.
func NewServer(lifetime context.Context, handler http.Handler, timeouts Timeouts, headerBytes int,
	logger *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true) // over TLS
	return &http.Server{
		Handler:           timeouts.pace(handler),
		ReadHeaderTimeout: timeouts.Header,
		WriteTimeout:      timeouts.beforeAnswer(), // until the first write, from where on pace prolongs it
		IdleTimeout:       timeouts.Idle,
		MaxHeaderBytes:    headerBytes,
		Protocols:         protocols,
		HTTP2: &http.HTTP2Config{
			// A client of HTTP/2 that takes nothing at all keeps even the refusal of its
			// streams from being written.
			WriteByteTimeout: timeouts.beforeAnswer(),
			// What a client has sent and no handler has read lies in memory, whatever its
			// requests are answered.
			MaxConcurrentStreams:          64,
			MaxReceiveBufferPerConnection: 256 << 10,
			MaxReceiveBufferPerStream:     256 << 10,
		},
		ErrorLog:    log.New(errorLog{logger}, "", 0),
		BaseContext: func(net.Listener) context.Context { return lifetime },
		ConnContext: withConnection,
		// "OPTIONS *" is answered like any other request, not by net/http.
		DisableGeneralOptionsHandler: true,
	}
}

// errorLog is where net/http says what went wrong. That a client does not get
// through the beginning of TLS is its own affair, and a scanner makes thousands.
type errorLog struct{ logger *slog.Logger }

func (l errorLog) Write(line []byte) (int, error) {
	ctx := context.Background()
	switch {
	case bytes.HasPrefix(line, []byte("http: panic serving ")):
		// What stands before the stack is the value, which may hold what a client sent.
		_, stack, _ := bytes.Cut(line, []byte("\ngoroutine "))
		l.logger.ErrorContext(ctx, "a handler panicked", "stack", string(stack))
	case bytes.Contains(line, []byte("TLS handshake error")):
		l.logger.DebugContext(ctx, string(bytes.TrimSpace(line)))
	default:
		l.logger.WarnContext(ctx, string(bytes.TrimSpace(line)))
	}
	return len(line), nil
}
