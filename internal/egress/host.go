package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// Hosts are those that may be called. The zero value allows none.
type Hosts struct {
	all      bool
	names    map[string]bool
	suffixes []string // with the dot in front
}

// hostName is a DNS name in lower case, whose last label has a letter: what ends in a number is an address
// in one of its many forms (127.1, 0x7f000001, 2130706433).
var hostName = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// ParseHosts reads hosts: names (push.example.com), names with all below them (*.example.com, which is not
// example.com itself), addresses (192.0.2.7, 2001:db8::7), or * for all.
func ParseHosts(list []string) (h Hosts, err error) {
	h.names = map[string]bool{}
	for _, text := range list {
		below, wild := strings.CutPrefix(text, "*.")
		switch address, err := netip.ParseAddr(text); {
		case text == "*":
			h.all = true
		case wild && hostName.MatchString(below):
			h.suffixes = append(h.suffixes, "."+below)
		case hostName.MatchString(text):
			h.names[text] = true
		case err == nil && address.String() == text && address.Zone() == "" && !address.Is4In6():
			h.names[text] = true
		default:
			return Hosts{}, fmt.Errorf("want names such as push.example.com or *.example.com, in lower case, addresses "+
				"such as 192.0.2.7, or *, not %q", text)
		}
	}
	return h, nil
}

// None reports whether no host may be called.
func (h Hosts) None() bool { return !h.all && len(h.names) == 0 && len(h.suffixes) == 0 }

// allow reports whether a host, in the form of canonical, is among them.
func (h Hosts) allow(host string) bool {
	if h.all || h.names[host] {
		return true
	}
	for _, suffix := range h.suffixes {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// errHost says that a host is written in none of the forms that everybody reads alike.
var errHost = errors.New("the host is neither a name nor an address in its usual form")

// canonical returns a URL's host in lower case and without a final dot, and its address where it is one.
func canonical(host string) (name string, address netip.Addr, err error) {
	name = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(name); err == nil {
		if address.Zone() != "" {
			return "", netip.Addr{}, errHost
		}
		return address.String(), address, nil
	}
	if len(name) > 253 || !hostName.MatchString(name) {
		return "", netip.Addr{}, errHost
	}
	return name, netip.Addr{}, nil
}
