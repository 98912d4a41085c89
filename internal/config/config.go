package config

import (
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"signet/internal/egress"
)

// Config is every setting of a server. Default gives one that works; what each
// field means, its limits and its unit stand beside its key in settings.go. A
// limit of 0 is no limit.
type Config struct {
	Listen        string
	BaseURL       string // empty: follows from the address that is listened on
	TLS           TLS
	ACME          ACME
	Redirect      string   // address of the redirects to HTTPS; empty: none
	InsecureHTTP  bool     // plain HTTP is allowed on any address
	InsecureLinks bool     // so are links to other machines that nobody verifies
	Proxies       []string // networks of the proxies that are believed
	ProxyHeader   string   // in which they say where a request comes from
	Timeouts      Timeouts
	Data          string
	Database      string // empty: embedded, in Data
	CacheBytes    int64  // of the embedded store
	MasterKey     string // empty: a file in Data
	Keyring       string // empty: a file in Data
	KeyringCopy   string // empty: none
	NATS          string // empty: none; comma-separated URLs
	NATSLogin     string // empty: what NATS says
	NATSCA        string // file; empty: the machine's authorities
	NATSCert      string // file; empty: none
	NATSKey       string
	Blobs         string // empty: a directory in Data
	StandbyOf     string // URL of the server that this one follows, or FromBucket; empty: it serves
	Standby       Standby
	DefaultRegion string
	Log           Log
	Vendor        Vendor
	CORS          CORS
	Egress        Egress
	Limits        Limits
	Organizations Organizations
	Web           Web
	Brand         Brand
	Events        Events
	Backup        Backup
	Disk          Disk
	Expiry        Expiry
	Audit         Audit
	Metrics       Metrics
	Tracing       Tracing
	Shutdown      Shutdown

	origins map[string]origin // of the settings that were said, by key
}

// TLS is about connections that the server itself encrypts.
type TLS struct {
	Cert string // file; empty: none
	Key  string
	HSTS time.Duration
}

// ACME is about certificates that the server gets by itself.
type ACME struct {
	Hosts     []string // empty: none
	Email     string
	Directory string
}

// Standby is about the other server of a pair, of which one follows the other.
type Standby struct {
	Key    string // where it is; empty: this server is alone
	Bucket string // by which standbys follow; empty: over the network
	Listen string // address for the other; empty: it cannot connect
	Peer   string // its URL; empty: it is not asked
	CA     string // file with the authorities of its certificate; empty: the machine's
}

// Timeouts are how long a client may keep a connection waiting.
type Timeouts struct {
	Header time.Duration
	Body   time.Duration
	Write  time.Duration
	Idle   time.Duration
}

// Log says what is written to the log, and how.
type Log struct {
	Level  string
	Format string
	Access bool // of each call
}

// Vendor holds the two names that published clients have built in.
type Vendor struct {
	Prefix    string // starts the headers: TT-X-...
	Namespace string // starts every xmlns and event type: tigertext:...
}

// CORS is about browsers that run another site's pages.
type CORS struct {
	Origins []string
}

// Egress is about calls to hosts that callers name.
type Egress struct {
	Networks []string // that may be called though no public host is in them
	Push     []string // hosts of push services; empty: nothing is pushed
	Webhooks []string // hosts of webhooks; empty: there are none
	Issuers  []string // hosts of issuers of OpenID Connect; empty: nobody signs in with one
}

// PushHosts are the hosts to which notifications may be pushed, and the networks that may be called for it.
// Of settings that Validate refuses they are empty.
func (e Egress) PushHosts() (egress.Hosts, []netip.Prefix) { return e.called(e.Push) }

// PushContact is how push services reach whoever runs the server, as a URL; empty: they are not told.
func (c *Config) PushContact() string {
	switch {
	case strings.HasPrefix(c.BaseURL, "https://"):
		return c.BaseURL
	case len(c.ACME.Hosts) > 0:
		return "https://" + c.ACME.Hosts[0]
	}
	return ""
}

// WebhookHosts are the same for webhooks.
func (e Egress) WebhookHosts() (egress.Hosts, []netip.Prefix) { return e.called(e.Webhooks) }

// IssuerHosts are the same for issuers.
func (e Egress) IssuerHosts() (egress.Hosts, []netip.Prefix) { return e.called(e.Issuers) }

func (e Egress) called(list []string) (hosts egress.Hosts, networks []netip.Prefix) {
	hosts, err := egress.ParseHosts(list)
	if err != nil {
		return egress.Hosts{}, nil
	}
	for _, text := range e.Networks {
		network, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err == nil {
			networks = append(networks, network)
		}
	}
	return hosts, networks
}

// pushServices are those of the browsers' makers.
var pushServices = []string{"fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com",
	"*.notify.windows.com"}

// Limits are those of contract section 1; 0 is no limit.
type Limits struct {
	MessagesPerDay               int
	RequestsPerSecond            int
	Burst                        int
	FailedLoginsPerMinute        int
	FailedLoginsPerMinuteAddress int
	FailedLoginsPerMinuteName    int
	BodyBytes                    int64
	BodyMemoryBytes              int64
	MessageBytes                 int64
	AttachmentBytes              int64
	StreamsPerAccount            int
	ConnectionsPerAddress        int
	HeaderBytes                  int
	Fields                       int
	Parts                        int
	GroupMembers                 int
	MetadataKeys                 int
	MetadataBytes                int64
	GroupsPerDay                 int
}

// Organizations is about how organizations stand to each other.
type Organizations struct {
	Join string // open or approve
}

// Web is about pages in a browser.
type Web struct {
	Pages       bool
	SessionIdle time.Duration
}

// Brand is what the house calls itself on the pages.
type Brand struct {
	Name string // empty: none
	Logo string // file; empty: none
}

// Events is about the queues of events.
type Events struct {
	Retention time.Duration
	QueueMax  int
}

// Backup is about backups of the embedded store.
type Backup struct {
	MaxAge time.Duration // 0: none are asked for
}

// Disk is about the room on the disk of the data directory.
type Disk struct {
	Reserve int64 // bytes; 0: none
}

// Expiry is about messages that have ended.
type Expiry struct {
	Sweep      time.Duration
	ClockJump  time.Duration // by how much the clock may be ahead at a start
	ClockDoubt time.Duration // for how long a clock that is ahead is in doubt
}

// Audit is about the audit log.
type Audit struct {
	Retention time.Duration // 0: for good
}

// Metrics is about what a monitoring system reads.
type Metrics struct {
	Listen string // empty: on the interface's own address, for this machine only
}

// Tracing is about the traces of calls, for OpenTelemetry.
type Tracing struct {
	Endpoint string // base URL of the collector; empty: there are no traces
	Headers  string // file; empty: none
	CA       string // file; empty: the machine's authorities
	Sample   float64
	Follow   bool // a call is part of its caller's trace
	Service  string
}

// Shutdown is about the end of a server.
type Shutdown struct {
	Delay time.Duration // 0: it begins at once
	Grace time.Duration
}

// Default returns the settings of a server that was told nothing.
func Default() *Config {
	c := new(Config)
	for _, s := range c.settings() {
		s.value.reset()
	}
	return c
}

// Validate reports every setting that is outside its limits, one line each.
// Load has done it already; it is for settings that were changed in code.
func (c *Config) Validate() error {
	var problems []error
	for _, s := range c.settings() {
		if err := s.check(); err != nil {
			problems = append(problems, err)
		}
	}
	return errors.Join(append(problems, c.conflicts()...)...)
}

// SlogLevel is the log level in the terms of log/slog.
func (l Log) SlogLevel() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return slog.LevelInfo
	}
	return level
}
