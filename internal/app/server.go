package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"signet/internal/config"
)

const (
	// headerTimeout is how long a client may take for the head of a request.
	headerTimeout = 10 * time.Second
	// idleTimeout is how long a connection without requests is kept. It is
	// longer than the usual 60 s of proxies, so that they close first and
	// never send a request into a connection that is being closed.
	idleTimeout = 2 * time.Minute
	// maxHeaderBytes is for the head of a request: the longest are those of
	// browsers that pass credentials and features in the query.
	maxHeaderBytes = 64 << 10
)

// newServer returns a server whose requests live at most as long as lifetime.
func newServer(lifetime context.Context, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           pace(handler),
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      writeTimeout, // until the first write, from where on pace prolongs it
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return lifetime },
		// "OPTIONS *" is answered like any other request, not by net/http.
		DisableGeneralOptionsHandler: true,
	}
}

// baseURL is how clients on this machine reach the server, or everybody where
// base_url says how.
func baseURL(cfg *config.Config, addr net.Addr) string {
	if cfg.BaseURL != "" {
		return strings.TrimRight(cfg.BaseURL, "/")
	}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	// A name that was asked for stays a name; "all addresses" is none to
	// connect to.
	if name, _, err := net.SplitHostPort(cfg.Listen); err == nil && name != "" {
		host = name
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if host = "127.0.0.1"; ip.To4() == nil {
			host = "::1"
		}
	}
	return "http://" + net.JoinHostPort(host, port)
}
