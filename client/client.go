package client

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// defaultTimeout is how long an attempt may go without a byte either way.
const defaultTimeout = 30 * time.Second

// Client makes the calls of the interface with one key. Make it with [New].
type Client struct {
	base          string // ends with /v2
	root          string // the same without /v2
	authorization string
	organization  string
	prefix        string // of the vendor's headers
	namespace     string // of the vendor's types
	agent         string
	http          *http.Client // for calls
	streams       *http.Client // for what may last: the same without an overall limit
	own           *http.Transport
	retry         RetryPolicy
	timeout       time.Duration
}

// New returns a client of the server at baseURL (`https://host`, with or without
// a path before it and /v2 at its end), which acts as the account of the key. It
// makes no call yet. A baseURL that cannot be one, or a key with a colon in it
// (which HTTP Basic cannot carry), is an [ErrArgument].
func New(baseURL, key, secret string, opts ...Option) (*Client, error) {
	root, err := parseBase(baseURL)
	if err != nil {
		return nil, err
	}
	if key == "" || strings.Contains(key, ":") {
		return nil, fmt.Errorf("%w: a key is not empty and holds no colon", ErrArgument)
	}
	c := &Client{
		base:          root + "/v2",
		root:          root,
		authorization: basic(key, secret),
		prefix:        "TT",
		namespace:     "tigertext",
		agent:         "signet-client/2",
		retry:         DefaultRetry(),
		timeout:       defaultTimeout,
	}
	for _, opt := range opts {
		opt(c)
	}
	if c.http == nil {
		c.own = newTransport()
		c.http = &http.Client{Transport: c.own}
	}
	// A redirect would turn a POST into a GET without a word; the interface has none.
	httpClient := *c.http
	httpClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	streams := httpClient
	streams.Timeout = 0
	c.http, c.streams = &httpClient, &streams
	return c, nil
}

// In returns a client that shares everything with this one, but names the
// organization in its calls. An empty token names none.
func (c *Client) In(organization string) *Client {
	other := *c
	other.organization = organization
	return &other
}

// BaseURL returns the address of the interface, ending with /v2.
func (c *Client) BaseURL() string { return c.base }

// Close closes idle connections, unless they belong to an HTTP client that was
// given with [WithHTTPClient]. The client can still be used.
func (c *Client) Close() error {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// String names the client without its secret.
func (c *Client) String() string { return "client of " + c.base }

// GoString is String, so that no format verb prints the secret.
func (c *Client) GoString() string { return c.String() }

// header returns the name of one of the vendor's headers, such as TT-X-Message-Id.
func (c *Client) header(name string) string { return c.prefix + "-X-" + name }

// entityType returns a type of the vendor's namespace, such as tigertext:entity:account.
func (c *Client) entityType(kind EntityKind) string { return c.namespace + ":entity:" + string(kind) }

func basic(key, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"+secret))
}

// parseBase returns the server's root, without /v2 and a slash at its end.
func parseBase(baseURL string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(baseURL))
	if err != nil {
		return "", fmt.Errorf("%w: base URL: %w", ErrArgument, err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", fmt.Errorf("%w: base URL %q: want http://host or https://host", ErrArgument, u.Redacted())
	case u.User != nil:
		return "", fmt.Errorf("%w: base URL %q: the key does not belong in the URL", ErrArgument, u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%w: base URL %q: no query and no fragment", ErrArgument, baseURL)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/v2"), "/")
	return u.Scheme + "://" + u.Host + path, nil
}

// newTransport is the default one with as many idle connections to one host as
// a program with many senders needs, instead of two.
func newTransport() *http.Transport {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // the transport was replaced
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	}
	t = t.Clone()
	t.MaxIdleConns = 128
	t.MaxIdleConnsPerHost = 128
	return t
}
