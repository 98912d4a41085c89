package postgres

import (
	"context"
	"net"
	"testing"

	"signet/internal/store/postgrestest"
)

// One name may have several addresses, the first of which does not answer. Linux has all that begin with 127; others
// have one.
func TestAllAddressesOfAHostAreAsked(t *testing.T) {
	t.Parallel()
	e := mustOpen(t, postgrestest.URL(t), Options{})
	want := mustAsk(t, e)
	host, port, err := net.SplitHostPort(want.address)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", port)) // nobody takes what the system accepts
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	e.hosts.each[0].LookupFunc = func(context.Context, string) ([]string, error) {
		return []string{"127.0.0.2", host}, nil
	}
	if got := mustAsk(t, e); got != want {
		t.Errorf("found %v, want %v", got, want)
	}
}
