package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"signet/internal/config"
)

// healthTimeout is less than what service managers and containers wait by themselves,
// so that its own message is the one that is seen.
const healthTimeout = 4 * time.Second

// healthCommand asks the server of this machine how it is. It takes the server's own
// settings, and so finds it without being told where.
type healthCommand struct {
	serverSettings
	Live bool `help:"Ask whether the process is running, not whether it is ready for requests."`
}

func (healthCommand) Help() string {
	return `For containers and scripts that have no other HTTP client. It takes the settings of "signet serve", of
which it needs only listen, and asks that address for /readyz, or with --live for /healthz. The exit code is 0
for yes and 1 for no.

Example:

  signet health --listen 127.0.0.1:8080`
}

func (h *healthCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	path := "/readyz"
	if h.Live {
		path = "/healthz"
	}
	url, transport, err := ownAddress(cfg)
	if err != nil {
		return wrongConfiguration{err}
	}
	defer transport.CloseIdleConnections()
	code, text, err := ask(ctx, transport, url+path, 1000)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	said := cmp.Or(strings.TrimSpace(text), fmt.Sprintf("%d %s", code, http.StatusText(code)))
	if code != http.StatusOK {
		return errors.New(said)
	}
	con.printf("%s\n", said)
	return nil
}

// ask makes a GET that ends after healthTimeout, and returns the status and up to limit bytes of the body.
func ask(ctx context.Context, by http.RoundTripper, url string, limit int64) (code int, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	answer, err := by.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit))
	return answer.StatusCode, string(body), err
}

// ownAddress is where a server with these settings is reached from its own machine.
func ownAddress(cfg *config.Config) (url string, transport *http.Transport, err error) {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return "", nil, err
	}
	if port == "0" {
		return "", nil, errors.New("listen has port 0, which does not say where the server is: set it to the address that " +
			"the server printed at its start")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	scheme, name := "http", host
	if cfg.TLS.Cert != "" || len(cfg.ACME.Hosts) > 0 {
		scheme = "https"
	}
	if len(cfg.ACME.Hosts) > 0 {
		name = cfg.ACME.Hosts[0]
	}
	return scheme + "://" + net.JoinHostPort(host, port), &http.Transport{
		// Past every proxy of the environment. The certificate is for the names that
		// others know the server by; nothing secret is asked or told.
		Proxy:           nil,
		TLSClientConfig: &tls.Config{ServerName: name, InsecureSkipVerify: true},
	}, nil
}
