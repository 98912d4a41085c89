package guard

import (
	"errors"
	"net/netip"
	"testing"

	"signet/internal/model"
)

func TestPendingBoundsClientsAndAll(t *testing.T) {
	var p Pending
	var leave []func()
	enter := func(from netip.Addr) error {
		left, err := p.Enter(from)
		if err == nil {
			leave = append(leave, left)
		}
		return err
	}
	wantRefused := func(from netip.Addr) {
		t.Helper()
		told, ok := errors.AsType[*model.Error](enter(from))
		if !ok || told.Kind != model.Unavailable || told.Code != CodeTooManyBodies {
			t.Fatalf("%s: got %v", from, told)
		}
	}
	client := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}) }
	for n := range mostPending / mostPendingClient {
		for range mostPendingClient {
			if err := enter(client(n)); err != nil {
				t.Fatalf("%s: %v", client(n), err)
			}
		}
		wantRefused(client(n))
	}
	wantRefused(client(200))
	leave[0]()
	if err := enter(client(200)); err != nil {
		t.Error(err)
	}
	wantRefused(client(0))
	for _, left := range leave[1:] {
		left()
	}
	if p.all != 0 || len(p.by) != 0 {
		t.Errorf("%d are left, of %d clients", p.all, len(p.by))
	}
	// All addresses of one client of IPv6 are one.
	for range mostPendingClient {
		if err := enter(netip.MustParseAddr("2001:db8::1")); err != nil {
			t.Fatal(err)
		}
	}
	wantRefused(netip.MustParseAddr("2001:db8::2"))
}
