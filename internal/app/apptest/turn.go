package apptest

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"signet/client"
)

// InTurn returns a client of a person that goes to another of the servers with
// every request, as through a load balancer without sticky sessions.
func InTurn(t testing.TB, p *Person, servers ...*Server) *client.Client {
	t.Helper()
	turn := new(turning)
	for _, s := range servers {
		at, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		turn.stops = append(turn.stops, stop{at.Host, s.NewHTTPClient().Transport})
	}
	first := servers[0]
	c, err := client.New(first.URL, p.Key, p.Secret, client.WithHTTPClient(&http.Client{Transport: turn}),
		client.WithVendor(first.cfg.Vendor.Prefix, first.cfg.Vendor.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type stop struct {
	host      string
	transport http.RoundTripper
}

// turning sends each request to the next server.
type turning struct {
	next  atomic.Uint64
	stops []stop
}

func (t *turning) RoundTrip(r *http.Request) (*http.Response, error) {
	to := t.stops[t.next.Add(1)%uint64(len(t.stops))]
	r = r.Clone(r.Context())
	r.URL.Host, r.Host = to.host, ""
	return to.transport.RoundTrip(r)
}
