package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// What makes a link a verified one.
const (
	verifyPostgres = "sslmode=verify-full in its URL, with sslrootcert=FILE for an authority of your own"
	verifyNATS     = "tls:// in place of nats://, or nats_ca"
	verifyStandby  = "https:// in place of http://"
	verifyBucket   = "an https endpoint: no http:// and no insecure=true"
	verifyTraces   = "https:// in place of http://"
)

// links reports the parts of an installation on other machines to which the link is in
// clear, or at whose other end nobody proves what is there. Who sits on such a link reads
// and writes what the database holds.
func (c *Config) links() (problems []error) {
	note := func(key string, err error) {
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", key, err))
		}
	}
	note("database", VerifiedLink(c.Database))
	note("keyring", VerifiedLink(c.Keyring))
	note("keyring.copy", VerifiedLink(c.KeyringCopy))
	note("blobs", VerifiedLink(c.Blobs))
	note("standby.bucket", VerifiedLink(c.Standby.Bucket))
	note("standby_of", verifiedStandby(c.StandbyOf))
	note("standby.peer", verifiedStandby(c.Standby.Peer))
	if c.NATSCA == "" { // with it nothing is said in clear, whatever the addresses are
		note("nats", VerifiedLink(c.NATS))
	}
	if u, err := url.Parse(c.Tracing.Endpoint); err == nil && u.Scheme == "http" && !isLocal(u.Hostname()) {
		note("tracing.endpoint", unverified(u.Hostname(), verifyTraces))
	}
	return problems
}

// VerifiedLink returns an error where an address is that of a database, a bucket or NATS
// servers beyond this machine, and the link to it is not TLS with a certificate that is
// verified. The error repeats no secret. An address that cannot be read is its opener's to
// refuse.
func VerifiedLink(address string) error {
	var host, want string
	switch {
	case isDatabase(address):
		host, want = unverifiedDatabase(address), verifyPostgres
	case strings.HasPrefix(address, "s3://"):
		host, want = unverifiedBucket(address), verifyBucket
	case strings.HasPrefix(address, "nats://"), strings.HasPrefix(address, "tls://"):
		host, want = unverifiedNATS(address), verifyNATS
	}
	if host == "" {
		return nil
	}
	return unverified(host, want)
}

// verifiedStandby is VerifiedLink for the other server of a pair.
func verifiedStandby(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || isLocal(u.Hostname()) {
		return nil
	}
	return unverified(u.Hostname(), verifyStandby)
}

// unverified is the error of a link to a host, and says what makes it a verified one.
func unverified(host, want string) error {
	return fmt.Errorf("the link to %s leaves this machine, and it is in clear or does not prove what is at its other "+
		"end: want %s; or insecure_links (%sINSECURE_LINKS=true), if that is what you want", host, want, variablePrefix)
}

// unverifiedDatabase asks the driver, which also knows PostgreSQL's own variables.
func unverifiedDatabase(address string) (host string) {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return ""
	}
	ways := []*pgconn.FallbackConfig{{Host: c.Host, TLSConfig: c.TLSConfig}}
	for _, way := range append(ways, c.Fallbacks...) {
		t := way.TLSConfig
		verified := t != nil && (!t.InsecureSkipVerify || t.VerifyPeerCertificate != nil)
		if !verified && !isLocal(way.Host) {
			return way.Host
		}
	}
	return ""
}

func unverifiedBucket(address string) (host string) {
	_, query, _ := strings.Cut(address, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	insecure, _ := strconv.ParseBool(values.Get("insecure"))
	host, plain := strings.CutPrefix(values.Get("endpoint"), "http://")
	if bare, _, err := net.SplitHostPort(host); err == nil {
		host = bare
	}
	if !insecure && !plain || isLocal(host) {
		return ""
	}
	return host
}

func unverifiedNATS(addresses string) (host string) {
	for address := range strings.SplitSeq(addresses, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err == nil && u.Scheme != "tls" && !isLocal(u.Hostname()) {
			return u.Hostname()
		}
	}
	return ""
}

// isLocal reports whether a host is this machine: its loopback, or the directory of a Unix
// socket.
func isLocal(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || ip != nil &&
		ip.IsLoopback()
}

// AllowsInsecureLinks returns the setting insecure_links, even where others are wrong.
func AllowsInsecureLinks(from Sources) bool {
	c := Default()
	_ = c.load(from, c.settings()) // which Load tells
	return c.InsecureLinks
}

// Risks tells of settings that are right, and leave a way in or something out.
func (c *Config) Risks() (told []string) {
	if c.InsecureLinks {
		for _, problem := range c.links() {
			key, _, _ := strings.Cut(problem.Error(), ":")
			told = append(told, "insecure_links: the link to what "+key+" names is in clear or not verified, and who sits "+
				"on it can read and change what passes")
		}
	}
	wide := func(text string) bool {
		network, err := netip.ParsePrefix(text)
		return err == nil && (network.Addr().Is4() && network.Bits() < 24 || network.Addr().Is6() && network.Bits() < 64)
	}
	if i := slices.IndexFunc(c.Proxies, wide); i >= 0 {
		told = append(told, "trusted_proxies: "+c.Proxies[i]+" is a wide network, and each machine in it can pretend to "+
			"be any client: name the addresses of your proxies, or a network of theirs alone (/24, or /64 of IPv6, at most)")
	}
	if c.Standby.Listen != "" && c.Standby.Peer == "" && c.StandbyOf == "" {
		told = append(told, "standby.peer: without it a server that comes back after its standby took over serves until "+
			"that one tells it, and what it confirms in these seconds is lost")
	}
	// Browsers subscribe at a server that they reach over HTTPS, or on their own machine.
	if len(c.Egress.Push) > 0 && c.PushContact() == "" && (c.TLS.Cert != "" || len(c.Proxies) > 0) {
		told = append(told, "egress.push: push services are not told whom to reach, and Apple's takes nothing without that: "+
			"set base_url to the https URL of the server, or egress.push to nothing")
	}
	return told
}
