package blob

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// Times of a connection to an S3 server.
const (
	connectTimeout = 5 * time.Second
	// stallTimeout is how long the server may take no byte, and bring none that is
	// waited for. A connection that stands still is given up.
	stallTimeout = 30 * time.Second
	idleTimeout  = 20 * time.Second // less than stallTimeout, which ends idle ones too
)

// newTransport makes the connections of one store. They take the proxy and the
// certificates that the environment names (HTTPS_PROXY, SSL_CERT_FILE).
func newTransport(stall time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connectTimeout}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &watchedConn{conn, stall}, nil
		},
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   connectTimeout,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       idleTimeout,
		DisableCompression:    true, // bytes are kept as they are
	}
}

// watchedConn ends a connection if its other end stands still. A slow client does not
// end it: then nothing is read from the server, nor waited for.
type watchedConn struct {
	net.Conn
	stall time.Duration
}

func (c *watchedConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write also gives the answer its time, which net/http has been reading for since
// the connection was made.
func (c *watchedConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
