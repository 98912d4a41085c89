package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// conflicts reports settings that are right by themselves and wrong together.
func (c *Config) conflicts() (problems []error) {
	encrypted := c.TLS.Cert != "" || len(c.ACME.Hosts) > 0
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		problems = append(problems, errors.New("tls.cert and tls.key go together: only one of them is set"))
	}
	if c.TLS.Cert != "" && len(c.ACME.Hosts) > 0 {
		problems = append(problems, errors.New("tls.cert and acme.hosts are two ways to one certificate: set one of them"))
	}
	if c.Redirect != "" && !encrypted {
		problems = append(problems, errors.New("redirect_listen leads to HTTPS, which takes tls.cert and tls.key, or "+
			"acme.hosts"))
	}
	if !encrypted && !c.InsecureHTTP && len(c.Proxies) == 0 && !onLoopback(c.Listen) {
		problems = append(problems, fmt.Errorf("listen: %s is open to other machines, and without TLS they would send "+
			"their secrets and messages in clear: set tls.cert and tls.key, or acme.hosts; or trusted_proxies, where a proxy "+
			"in front speaks TLS; or insecure_http, if that is what you want", c.Listen))
	}
	if c.Keyring != "" && c.Keyring == c.Database {
		problems = append(problems, errors.New("keyring: want another database than that of the store, whose copies must "+
			"not hold the keys"))
	}
	if c.KeyringCopy != "" && (c.KeyringCopy == c.Keyring || c.KeyringCopy == c.Database) {
		problems = append(problems, errors.New("keyring.copy: want another place than those of the key ring and of the "+
			"store"))
	}
	if c.Web.SessionIdle <= 2*c.Expiry.Sweep {
		problems = append(problems, errors.New("web.session_idle: want more than twice expiry.sweep, at which servers tell "+
			"each other when sessions were used"))
	}
	if !c.InsecureLinks {
		problems = append(problems, c.links()...)
	}
	return append(append(problems, c.natsConflicts()...), c.standbyConflicts(encrypted)...)
}

// standbyConflicts reports conflicts among the settings of a pair of servers.
func (c *Config) standbyConflicts(encrypted bool) (problems []error) {
	for _, s := range []struct{ key, value string }{
		{"standby_of", c.StandbyOf}, {"standby.listen", c.Standby.Listen}, {"standby.peer", c.Standby.Peer},
		{"standby.bucket", c.Standby.Bucket},
	} {
		switch {
		case s.value == "":
		case c.Database != "":
			problems = append(problems, fmt.Errorf("%s: a standby is for the embedded store: a database has replicas of its "+
				"own, and any number of servers", s.key))
		case c.Standby.Key == "":
			problems = append(problems, fmt.Errorf("%s: this takes standby.key, which the other server has too", s.key))
		}
	}
	if c.Standby.Listen != "" && !encrypted && !c.InsecureHTTP && !onLoopback(c.Standby.Listen) {
		problems = append(problems, fmt.Errorf("standby.listen: %s is open to other machines, and without TLS the store "+
			"would go there in clear: set tls.cert and tls.key, or acme.hosts; or insecure_http, if that is what you want",
			c.Standby.Listen))
	}
	return append(problems, c.bucketConflicts()...)
}

// bucketConflicts reports conflicts among the settings of servers that follow one another by a bucket.
func (c *Config) bucketConflicts() (problems []error) {
	add := func(text string) { problems = append(problems, errors.New(text)) }
	if c.Standby.Bucket == "" {
		if c.ByBucket() {
			add("standby_of: a standby that follows by a bucket takes standby.bucket, which is the same on all")
		}
		return problems
	}
	if c.Standby.Listen != "" || c.Standby.Peer != "" {
		add("standby.bucket: standbys follow by the bucket or over the network (standby.listen, standby.peer), and not by " +
			"both: leave one out")
	}
	if c.StandbyOf != "" && !c.ByBucket() {
		add("standby_of: with standby.bucket a standby follows by that: want the word " + FromBucket)
	}
	if !strings.HasPrefix(c.Blobs, "s3://") {
		add("standby.bucket: standbys get no attachments by it: keep these in a bucket too, the same on all (blobs)")
	}
	return problems
}

// natsConflicts reports conflicts among the settings that sign in to NATS. Its messages
// quote no address, which may hold a password.
func (c *Config) natsConflicts() (problems []error) {
	if c.NATS == "" {
		if c.NATSLogin != "" || c.NATSCA != "" || c.NATSCert != "" || c.NATSKey != "" {
			problems = append(problems, errors.New("nats_login, nats_ca, nats_cert and nats_key are for nats, which is not set"))
		}
		return problems
	}
	if (c.NATSCert == "") != (c.NATSKey == "") {
		problems = append(problems, errors.New("nats_cert and nats_key go together: only one of them is set"))
	}
	if c.NATSLogin == "" {
		return problems
	}
	byPassword := strings.HasPrefix(c.NATSLogin, "password:")
	users := map[string]bool{}
	for server := range strings.SplitSeq(c.NATS, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil {
			return problems // which natsServers tells
		}
		_, password := u.User.Password()
		if users[u.User.Username()] = true; password || u.User != nil && !byPassword {
			return append(problems, errors.New("nats and nats_login are two ways to sign in: leave it out of the addresses in "+
				"nats"))
		}
	}
	if byPassword && (len(users) != 1 || users[""]) {
		problems = append(problems, errors.New("nats_login: a password is that of a user, whom every address in nats names "+
			"alike, as nats://user@host:4222"))
	}
	return problems
}

// onLoopback reports whether only this machine reaches an address. Of a name other
// than localhost that is not known beforehand.
func onLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
