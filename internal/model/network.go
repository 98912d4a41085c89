package model

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Networks are where a key may be used from; none is everywhere.
type Networks []netip.Prefix

// MaxNetworks is how many networks a key may name.
const MaxNetworks = 100

// ParseNetworks reads networks in CIDR notation; an address alone is a network of
// one. No texts are no networks.
func ParseNetworks(texts []string) (networks Networks, err error) {
	for _, text := range texts {
		network, ok := ParseNetwork(text)
		if !ok {
			return nil, fmt.Errorf("%q is no network", text)
		}
		if !slices.Contains(networks, network) {
			networks = append(networks, network)
		}
	}
	return networks, nil
}

// ParseNetwork reads one network. Bits past its length are refused: 10.1.2.3/8 is
// more likely a slip than a wish for all of 10.0.0.0/8.
func ParseNetwork(text string) (netip.Prefix, bool) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), address.Zone() == ""
	}
	network, err := netip.ParsePrefix(text)
	return network, err == nil && network == network.Masked() && !network.Addr().Is4In6()
}

// Allow reports whether a call may come from an address. An address that is not
// known is in no network.
func (n Networks) Allow(from netip.Addr) bool {
	from = from.Unmap().WithZone("")
	return len(n) == 0 || slices.ContainsFunc(n, func(network netip.Prefix) bool { return network.Contains(from) })
}

// Within reports whether each of these networks lies in one of the outer ones.
func (n Networks) Within(outer Networks) bool {
	if len(outer) == 0 {
		return true
	}
	inside := func(network netip.Prefix) bool {
		return slices.ContainsFunc(outer, func(o netip.Prefix) bool {
			return o.Bits() <= network.Bits() && o.Contains(network.Addr())
		})
	}
	return len(n) > 0 && !slices.ContainsFunc(n, func(network netip.Prefix) bool { return !inside(network) })
}

// Strings returns the networks in CIDR notation; nil where there are none.
func (n Networks) Strings() []string {
	var out []string
	for _, network := range n {
		out = append(out, network.String())
	}
	return out
}

// String returns them with commas in between, the form in which they are stored.
func (n Networks) String() string { return strings.Join(n.Strings(), ",") }

// ClientOf returns the address that stands for all addresses of one client. With IPv6
// that is a /64 network: a client with one of its addresses has all of them.
func ClientOf(from netip.Addr) netip.Addr {
	from = from.Unmap().WithZone("")
	if from.Is6() {
		if network, err := from.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return from
}
