package standby

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Peer is the other server of a pair, as this one reaches it.
type Peer struct {
	url  string
	key  string
	tls  *tls.Config
	http *http.Client
}

// NewPeer returns the server whose standby.listen is at a URL. authorities is a file with those that
// certify it (PEM); empty: those that the machine trusts.
func NewPeer(url, key, authorities string) (*Peer, error) {
	p := &Peer{url: strings.TrimRight(url, "/"), key: key, tls: &tls.Config{MinVersion: tls.VersionTLS12}}
	if authorities != "" {
		text, err := os.ReadFile(authorities)
		if err != nil {
			return nil, fmt.Errorf("standby.ca: %w", err)
		}
		p.tls.RootCAs = x509.NewCertPool()
		if !p.tls.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("standby.ca: there is no certificate in %s", authorities)
		}
	}
	p.http = &http.Client{Transport: &http.Transport{
		Proxy: nil, DialContext: (&net.Dialer{Timeout: patience}).DialContext, TLSClientConfig: p.tls,
		MaxIdleConnsPerHost: fetchers, DisableCompression: true,
		TLSHandshakeTimeout: patience, ResponseHeaderTimeout: patience, IdleConnTimeout: time.Minute,
	}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return p, nil
}

// String is where it is.
func (p *Peer) String() string { return p.url }

// Close closes connections that wait to be used again.
func (p *Peer) Close() { p.http.CloseIdleConnections() }

// ErrOutranked says that the other server is of a term that is as high, or higher.
var ErrOutranked = errors.New("the other server is of a term that is not lower")

// State asks the server what it is.
func (p *Peer) State(ctx context.Context) (s State, err error) {
	err = p.call(ctx, http.MethodGet, pathState, nil, &s)
	return s, err
}

// Fence has the server confirm nothing from now on. Once it returns nil, that server does not, and does
// not start again as the first. It returns what it was.
func (p *Peer) Fence(ctx context.Context, c Claim) (s State, err error) {
	text, err := json.Marshal(c)
	if err == nil {
		err = p.call(ctx, http.MethodPost, pathFence, text, &s)
	}
	return s, err
}

func (p *Peer) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	authorize(r, p.key)
	return r, nil
}

func (p *Peer) call(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := p.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	answer, err := p.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostRequest))
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK && json.Unmarshal(text, into) == nil {
		return ErrOutranked
	}
	if answer.StatusCode != http.StatusOK {
		return statusError(answer, string(text))
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s answers what is none: %w", p.url, err)
	}
	return nil
}

// statusError is what an answer says that is none.
func statusError(answer *http.Response, text string) error {
	if answer.StatusCode == http.StatusUnauthorized {
		return errors.New("the other server has another key: standby.key is to be the same on both")
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return fmt.Errorf("%s: %s", answer.Status, text)
}
