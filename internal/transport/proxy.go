package transport

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"signet/internal/model"
)

// Proxies are the machines that are believed about where a request comes from. The
// zero value trusts none.
type Proxies struct {
	trusted   model.Networks
	forwarded bool // they set Forwarded, and not X-Forwarded-For
}

// NewProxies trusts these addresses and networks. Header is the one that they set:
// X-Forwarded-For or Forwarded. Only that one is read: a proxy that sets one of them
// may pass the other on as its client wrote it.
func NewProxies(networks []string, header string) (*Proxies, error) {
	trusted, err := model.ParseNetworks(networks)
	if err != nil {
		return nil, fmt.Errorf("trusted proxies: %w", err)
	}
	return &Proxies{trusted: trusted, forwarded: strings.EqualFold(header, "Forwarded")}, nil
}

// Peer is where a request comes from.
type Peer struct {
	Addr  netip.Addr // not valid if no trusted proxy knows it
	HTTPS bool       // its own connection is encrypted

	// Proxied says that a trusted proxy passed the request on.
	Proxied bool
}

// Client is the address that a request comes from: the end of the connection or,
// where that is a trusted proxy, the last of those it names that is none.
func (p *Proxies) Client(r *http.Request) netip.Addr { return p.Peer(r).Addr }

// Peer returns where a request comes from.
func (p *Proxies) Peer(r *http.Request) Peer {
	peer := Peer{Addr: remoteAddress(r), HTTPS: r.TLS != nil}
	if !p.trusts(peer.Addr) {
		return peer
	}
	peer.Proxied = true
	if p.forwarded {
		return p.follow(peer, forwardedHops(r.Header["Forwarded"]))
	}
	peer = p.follow(peer, forwardedForHops(r.Header["X-Forwarded-For"]))
	if said := lastOf(r.Header["X-Forwarded-Proto"]); said != "" {
		peer.HTTPS = strings.EqualFold(said, "https")
	}
	return peer
}

// hop is one client on the way, as the proxy says that it talked to.
type hop struct {
	addr  netip.Addr // not valid where it is hidden or unreadable
	proto string     // "" where it does not say
}

// follow goes back on the way of a request, the last hop first, as long as a trusted
// proxy names the hop.
func (p *Proxies) follow(peer Peer, hops []hop) Peer {
	for _, h := range slices.Backward(hops) {
		peer.Addr = h.addr
		if h.proto != "" {
			peer.HTTPS = strings.EqualFold(h.proto, "https")
		}
		if !p.trusts(h.addr) {
			break
		}
	}
	return peer
}

// trusts reports whether an address is that of a trusted proxy.
func (p *Proxies) trusts(addr netip.Addr) bool {
	return len(p.trusted) > 0 && addr.IsValid() && p.trusted.Allow(addr)
}

// remoteAddress returns the address of the other end of the connection; it is not
// valid if that is no TCP connection.
func remoteAddress(r *http.Request) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return remote.Addr().Unmap()
}

// forwardedForHops reads X-Forwarded-For, the nearest hop last. Several lines are
// one list.
func forwardedForHops(lines []string) []hop {
	var hops []hop
	for _, line := range lines {
		for node := range strings.SplitSeq(line, ",") {
			hops = append(hops, hop{addr: parseNode(strings.TrimSpace(node))})
		}
	}
	return hops
}

// forwardedHops reads Forwarded (RFC 7239, section 4). A line with an open quote is
// not read: the client may have opened it, so that what the proxy added looks like
// part of the client's own text.
func forwardedHops(lines []string) []hop {
	var hops []hop
	for _, line := range lines {
		if !quotesEnd(line) {
			hops = append(hops, hop{})
			continue
		}
		for _, element := range splitQuoted(line, ',') {
			var h hop
			for _, pair := range splitQuoted(element, ';') {
				name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
				switch value = unquote(value); strings.ToLower(name) {
				case "for":
					h.addr = parseNode(value)
				case "proto":
					h.proto = value
				}
			}
			hops = append(hops, h)
		}
	}
	return hops
}

// parseNode reads an address as proxies write it: with or without a port, IPv6 with
// or without brackets. "unknown" and names that hide it (RFC 7239, section 6) are
// no address.
func parseNode(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// splitQuoted splits at a character that stands in no quoted text.
func splitQuoted(text string, separator byte) []string {
	var out []string
	start := 0
	scanQuoted(text, func(i int) {
		if text[i] == separator {
			out = append(out, text[start:i])
			start = i + 1
		}
	})
	return append(out, text[start:])
}

func quotesEnd(text string) bool { return !scanQuoted(text, func(int) {}) }

// scanQuoted calls plain with the place of each character outside of quotes, and
// reports whether a quoted text is still open at the end.
func scanQuoted(text string, plain func(i int)) (open bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case open && c == '\\':
			i++
		case c == '"':
			open = !open
		case !open:
			plain(i)
		}
	}
	return open
}

// unquote takes the quotes off; nothing that is read here has an escaped character
// in it.
func unquote(text string) string { return strings.Trim(text, `"`) }

func lastOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	line := lines[len(lines)-1]
	return strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:])
}
