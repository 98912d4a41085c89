package otlp

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
)

const (
	tries        = 3 // of a request that fails for a reason that may pass
	tryTimeout   = 10 * time.Second
	firstPause   = time.Second // before the second try; then twice as long each time
	longestPause = 30 * time.Second
	mostAnswer   = 64 << 10 // bytes of an answer that are read
)

// sender sends requests to one collector.
type sender struct {
	url       string
	headers   string // file; empty: none
	from      *resource.Resource
	client    *http.Client
	transport *http.Transport
}

func newSender(o Options) (*sender, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil {
		return nil, errors.New("the endpoint is no URL")
	}
	const path = "/v1/traces"
	if !strings.HasSuffix(u.Path, path) {
		u.Path = strings.TrimRight(u.Path, "/") + path
	}
	encryption := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		if encryption.RootCAs, err = ReadAuthorities(o.CA); err != nil {
			return nil, err
		}
	}
	if _, err := ReadHeaders(o.Headers); err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: encryption,
		TLSHandshakeTimeout: tryTimeout, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // it was not named
	return &sender{url: u.String(), headers: o.Headers, from: origin(o), transport: transport,
		client: &http.Client{Transport: transport, CheckRedirect: stay}}, nil
}

func (s *sender) close() { s.transport.CloseIdleConnections() }

// ReadAuthorities reads certificates (PEM) by which those of others are checked.
func ReadAuthorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate (PEM)", file)
	}
	return pool, nil
}

// ReadHeaders reads a file with headers, a line each ("Name: value"). Empty lines and those
// that begin with # are comments. No error repeats a value, which may be a secret.
func ReadHeaders(file string) (http.Header, error) {
	out := http.Header{}
	if file == "" {
		return out, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if !found || name == "" || strings.ContainsAny(name, " \t\"(),/<=>?@[\\]{}") {
			return nil, fmt.Errorf("%s: line %d is no header: want \"Name: value\"", file, n)
		}
		out.Add(name, strings.TrimSpace(value))
	}
	return out, nil
}

// send sends spans, and returns how many of them the collector refused. It tries again for as
// long as there is time for a pause: until patient ends.
func (s *sender) send(ctx, patient context.Context, spans []sdk.ReadOnlySpan) (refused int64, err error) {
	body, err := proto.Marshal(encode(s.from, spans))
	if err != nil {
		return 0, err
	}
	pause := firstPause
	for try := 1; ; try++ {
		var wait time.Duration
		if refused, wait, err = s.try(ctx, body); err == nil || wait < 0 || try == tries {
			return refused, err
		}
		timer := time.NewTimer(min(max(pause, wait), longestPause))
		select {
		case <-timer.C:
		case <-patient.Done():
			timer.Stop()
			return 0, err
		}
		pause *= 2
	}
}

// try sends a request once. After an error, wait is how long the collector asks to be left
// alone; below 0: it takes no second try.
func (s *sender) try(ctx context.Context, body []byte) (refused int64, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, -1, err
	}
	if r.Header, err = ReadHeaders(s.headers); err != nil { // anew, as they may be replaced
		return 0, -1, err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "signet")
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, 0, errors.Unwrap(err) // without the URL
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	switch {
	case err != nil:
		return 0, 0, err
	case answer.StatusCode == http.StatusOK:
		var told collector.ExportTraceServiceResponse
		_ = proto.Unmarshal(text, &told) // an answer that cannot be read refuses nothing
		return told.GetPartialSuccess().GetRejectedSpans(), 0, nil
	}
	err = fmt.Errorf("the collector answers %d", answer.StatusCode)
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return 0, time.Duration(max(seconds, 0)) * time.Second, err
	}
	return 0, -1, err
}
