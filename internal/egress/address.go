package egress

import (
	"fmt"
	"net/netip"
	"strings"
)

// class is a kind of addresses that lead to no public host.
type class struct {
	name     string
	networks []netip.Prefix
}

// classes are in the order in which they are looked through. Of IPv6 all outside of 2000::/3 is refused
// besides (public).
var classes = []class{
	// The services that tell a machine in a cloud its credentials; Azure's is at an address that looks public.
	{"metadata", prefixes("169.254.169.254/32 169.254.170.2/32 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 " +
		"fd00:ec2::254/128 fd20:ce::254/128")},
	{"unspecified", prefixes("0.0.0.0/8 ::/128")},
	{"loopback", prefixes("127.0.0.0/8 ::1/128")},
	{"private", prefixes("10.0.0.0/8 172.16.0.0/12 192.168.0.0/16")},
	{"shared (carrier-grade NAT)", prefixes("100.64.0.0/10")},
	{"link-local", prefixes("169.254.0.0/16 fe80::/10")},
	{"unique local", prefixes("fc00::/7")},
	{"site-local", prefixes("fec0::/10")},
	{"reserved for protocols", prefixes("192.0.0.0/24 2001::/23 5f00::/16 100::/64")}, // Teredo: 2001::/32
	{"for documentation", prefixes("192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20")},
	{"for benchmarks", prefixes("198.18.0.0/15")},
	{"6to4", prefixes("192.88.99.0/24 2002::/16")},
	{"IPv4-mapped", prefixes("::ffff:0:0/96 ::ffff:0:0:0/96")},
	{"NAT64", prefixes("64:ff9b::/96 64:ff9b:1::/48")},
	{"IPv4-compatible", prefixes("::/96")},
	{"multicast", prefixes("224.0.0.0/4 ff00::/8")},
	{"reserved", prefixes("240.0.0.0/4")}, // with that of all, 255.255.255.255
}

// global is where public addresses of IPv6 are.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(list string) (out []netip.Prefix) {
	for text := range strings.FieldsSeq(list) {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

// forbidden says of what kind an address is that no public host has; "": a host may have it.
func forbidden(address netip.Addr) string {
	for _, c := range classes {
		for _, network := range c.networks {
			if network.Contains(address) {
				return c.name
			}
		}
	}
	switch {
	case !address.Is6():
		return ""
	case !global.Contains(address):
		return "not public"
	case isatap(address):
		return "ISATAP"
	}
	return ""
}

// isatap reports whether the last 64 bits name an address of IPv4 to which a router of the house would go
// (RFC 5214).
func isatap(address netip.Addr) bool {
	b := address.As16()
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// named reports whether an address is in one of the networks that the settings name. One of IPv4 in a form
// of IPv6 is in no network of IPv4.
func (g *Guard) named(address netip.Addr) bool {
	address = address.WithZone("")
	for _, network := range g.networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// checkAddress refuses an address that may not be called. Over plain HTTP only named ones may.
func (g *Guard) checkAddress(address netip.Addr, plain bool) error {
	if g.named(address) {
		return nil
	}
	if kind := forbidden(address.WithZone("")); kind != "" {
		return refuse("address", fmt.Sprintf("the host has an address that is %s", kind))
	}
	if plain {
		return refuse("scheme", "plain HTTP goes only to networks that egress.networks names")
	}
	return nil
}
