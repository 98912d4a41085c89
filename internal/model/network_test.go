package model

import (
	"net/netip"
	"slices"
	"testing"
)

func mustNetworks(t *testing.T, texts ...string) Networks {
	t.Helper()
	n, err := ParseNetworks(texts)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNetworksAreRead(t *testing.T) {
	got := mustNetworks(t, "192.0.2.0/24", "10.1.2.3", "2001:db8::/32", "2001:db8::1", "::ffff:10.1.2.4", "0.0.0.0/0",
		"192.0.2.0/24").Strings()
	want := []string{"192.0.2.0/24", "10.1.2.3/32", "2001:db8::/32", "2001:db8::1/128", "10.1.2.4/32", "0.0.0.0/0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, text := range []string{"", "x", "10.1.2.3/8", "10.0.0.0/33", "10.0.0.0/", "fe80::1%eth0", "::ffff:10.0.0.0/104",
		"10.0.0.0/08", "2001:db8::1/32", "10.0.0", "a/24"} {
		if got, ok := ParseNetwork(text); ok {
			t.Errorf("%q is taken for the network %v", text, got)
		}
	}
	for _, text := range []string{"", "x"} {
		if got, err := ParseNetworks([]string{"192.0.2.0/24", text}); err == nil || got != nil {
			t.Errorf("got %v and no error for %q", got, text)
		}
	}
}

func TestNetworksAllow(t *testing.T) {
	some := mustNetworks(t, "192.0.2.0/24", "2001:db8::/32")
	for address, want := range map[string]bool{
		"192.0.2.7": true, "::ffff:192.0.2.7": true, "192.0.3.7": false, "2001:db8:9::1": true, "2001:db9::1": false,
		"2001:db8::1%eth0": true,
	} {
		if got := some.Allow(netip.MustParseAddr(address)); got != want {
			t.Errorf("Allow(%s) = %v, want %v", address, got, want)
		}
	}
	if some.Allow(netip.Addr{}) || mustNetworks(t, "0.0.0.0/0", "::/0").Allow(netip.Addr{}) {
		t.Error("an address that is not known is in a network")
	}
	if !Networks(nil).Allow(netip.Addr{}) {
		t.Error("without networks an address is refused")
	}
}

func TestNetworksLieWithinOthers(t *testing.T) {
	for _, c := range []struct {
		inner, outer []string
		want         bool
	}{
		{nil, nil, true},
		{[]string{"10.0.0.0/8"}, nil, true},
		{nil, []string{"10.0.0.0/8"}, false},
		{[]string{"10.0.0.0/8"}, []string{"10.0.0.0/8"}, true},
		{[]string{"10.1.0.0/16", "10.2.3.4"}, []string{"10.0.0.0/8"}, true},
		{[]string{"10.1.0.0/16", "11.2.3.4"}, []string{"10.0.0.0/8"}, false},
		{[]string{"10.1.0.0/16", "192.0.2.1"}, []string{"10.0.0.0/8", "192.0.2.0/24"}, true},
		{[]string{"10.0.0.0/7"}, []string{"10.0.0.0/8"}, false},
		{[]string{"0.0.0.0/0"}, []string{"10.0.0.0/8"}, false},
		{[]string{"::/0"}, []string{"0.0.0.0/0"}, false},
		{[]string{"2001:db8::/48"}, []string{"2001:db8::/32"}, true},
	} {
		if got := mustNetworks(t, c.inner...).Within(mustNetworks(t, c.outer...)); got != c.want {
			t.Errorf("%v within %v: got %v, want %v", c.inner, c.outer, got, c.want)
		}
	}
}
