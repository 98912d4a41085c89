package client

import (
	"net/http"
	"time"
)

// Option changes how a client works.
type Option func(*Client)

// WithHTTPClient makes the calls through another HTTP client: for a proxy, a
// private certificate authority, client certificates. Its Timeout, if any, does
// not hold for event streams and downloads. Redirects are never followed.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithOrganization names the organization in every call, by its token. It is
// needed where the account belongs to several. See also [Client.In].
func WithOrganization(token string) Option { return func(c *Client) { c.organization = token } }

// WithVendor sets the words that the server was configured with: the prefix of
// its headers (default TT) and the namespace of its types (default tigertext).
func WithVendor(prefix, namespace string) Option {
	return func(c *Client) { c.prefix, c.namespace = prefix, namespace }
}

// WithRetry sets how failed attempts are repeated. The default is [DefaultRetry].
func WithRetry(p RetryPolicy) Option { return func(c *Client) { c.retry = p } }

// WithTimeout sets how long an attempt may go without a byte either way before
// it is given up: 30 seconds unless set, no limit if 0. It does not limit how
// long a transfer takes that moves.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = d } }

// WithUserAgent sets the User-Agent header.
func WithUserAgent(agent string) Option { return func(c *Client) { c.agent = agent } }
