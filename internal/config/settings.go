package config

import "time"

// settings lists every setting in the order of the documentation, each bound
// to its field of c: key, default, what a value looks like, limits, meaning.
// Settings of one section stand together.
func (c *Config) settings() []*setting {
	const (
		second = time.Second
		minute = time.Minute
		hour   = time.Hour
	)
	return []*setting{
		text(&c.Listen, "listen", "127.0.0.1:8080", "HOST:PORT", hostPort, `
Address that the interface is served on. Port 0 takes any free port; the line
printed at the start says which. An address that other machines reach needs TLS,
because passwords and secrets come with each request.`),

		text(&c.BaseURL, "base_url", "", "URL", optional(baseURL), `
URL under which clients reach the server, without the final /v2. It is written
to operator.json and begins the URLs in answers. Empty: it follows from the address
listened on and the name in the certificate or, behind one of the trusted_proxies,
from the host that the client asked for.`),

		text(&c.TLS.Cert, "tls.cert", "", "FILE", anyText, `
File with the server's certificate and those between it and its authority (PEM).
With tls.key it makes the server speak HTTPS, with TLS 1.2 or later. The server looks
at both files every 10 s, and on SIGHUP, and uses new ones for new connections.`),

		text(&c.TLS.Key, "tls.key", "", "FILE", anyText, `
File with the private key of tls.cert (PEM).`),

		duration(&c.TLS.HSTS, "tls.hsts", 365*24*hour, 0, 100*365*24*hour, `
How long browsers that came by HTTPS are told to use nothing else
(Strict-Transport-Security; 8760h is a year). 0: they are told nothing.`),

		list(&c.ACME.Hosts, "acme.hosts", "NAMES", hostNames, `
Names of this server for which it gets and renews certificates by itself, from an
authority that speaks ACME. The authority has to reach the server under each name on
port 443, or redirect_listen on port 80. Setting this accepts the authority's terms.
Certificates and keys are kept in the data directory.`),

		text(&c.ACME.Email, "acme.email", "", "ADDRESS", anyText, `
Address that the authority writes to about problems with certificates.`),

		text(&c.ACME.Directory, "acme.directory", "https://acme-v02.api.letsencrypt.org/directory", "URL", httpsURL, `
Directory of the authority that acme.hosts are certified by. One of your own has to
be among the machine's trusted authorities (or in the file that SSL_CERT_FILE names).`),

		text(&c.Redirect, "redirect_listen", "", "HOST:PORT", optional(hostPort), `
Address, usually with port 80, on which plain HTTP is answered with a redirect to
HTTPS. Requests with credentials are refused there: they were sent in clear.`),

		toggle(&c.InsecureHTTP, "insecure_http", `
Lets the server speak plain HTTP on an address that other machines reach. Everybody
in between can then read messages and secrets.`),

		list(&c.Proxies, "trusted_proxies", "NETWORKS", networks, `
Addresses or networks (192.0.2.0/28) of the proxies in front of the server. The server
believes them, and nobody else, in what they say of a client's address and of HTTPS:
name no network with other machines in it. One wider than /24 (of IPv6: /64) is warned
of. Setting this lets the server speak plain HTTP, because the proxy has to speak TLS.`),

		text(&c.ProxyHeader, "proxy_header", "X-Forwarded-For", "NAME", oneOf("X-Forwarded-For", "Forwarded"), `
Header in which trusted_proxies pass on the client's address: X-Forwarded-For
(with X-Forwarded-Proto), or Forwarded (RFC 7239). Only this one is read, because a
proxy may let the other one through as a client wrote it.`),

		duration(&c.Timeouts.Header, "timeouts.header", 10*second, 100*time.Millisecond, hour, `
How long a client may take for the head of a request, and for the beginning of TLS.`),

		duration(&c.Timeouts.Body, "timeouts.body", 30*second, 100*time.Millisecond, hour, `
How long a client may take for the body of a request; each 1,000 bytes received add
a second.`),

		duration(&c.Timeouts.Write, "timeouts.write", 30*second, 100*time.Millisecond, hour, `
How long a client may take for 32 KiB of an answer. Event streams and waiting polls
have limits of their own.`),

		duration(&c.Timeouts.Idle, "timeouts.idle", 2*minute, 100*time.Millisecond, 24*hour, `
How long a connection without requests is kept. It has to be longer than the same time
of a proxy in front, which may otherwise send a request into a closing connection.`),

		text(&c.Data, "data", "./data", "DIR", notEmpty, `
Directory of the store, of the attachments and of operator.json. The first start makes
it, readable for its owner only. One server at a time uses it.`),

		text(&c.Database, "database", "", "URL", optional(database), `
PostgreSQL database (15 or later) to store in, as
postgres://user@host/name?sslmode=verify-full; hosts separated by commas are tried in
turn. Any number of servers share one. Empty: the embedded store in the data directory.
Give a password in the environment, or in PostgreSQL's password file (~/.pgpass),
rather than in a flag that others see.`),

		toggle(&c.InsecureLinks, "insecure_links", `
Lets the links to a database, key ring, NATS or bucket on another machine be in clear,
or to a machine that proves nothing: without sslmode=verify-full or verify-ca, tls:// or
nats_ca, or https. Whoever sits on such a link reads and changes what passes, and may
take over the installation. Links on this machine need nothing.`),

		number(&c.CacheBytes, "cache_bytes", 64<<20, 0, 1<<40, `
Bytes of the embedded store's file that are kept in memory (67108864 is 64 MiB), given
back when the server has had nothing to do for some seconds. The system keeps what it
has memory for as well, so that more helps only where very many people are active at
the same time. With a database it has no effect. 0: 64 MiB.`),

		number(&c.Disk.Reserve, "disk.reserve", 16<<20, 0, 1<<40, `
Bytes on the disk of the data directory that are kept for the time when it is full
(16777216 is 16 MiB), twice: in the file "reserve", which the server gives up bit by
bit for recalls, acknowledgements and the clean-up; and free, below which it takes no
new message or file. On a small disk each is at most an eighth of it. 0: none is kept.`),

		text(&c.MasterKey, "master_key", "", "WHERE", optional(masterKey), `
Master key that wraps the keys of everything that is sealed: file:PATH, or env:NAME
for a variable of the environment, which is a Tink keyset in JSON. Empty: the file
master.json in the data directory. A file is made at the first start. Keep a copy of
it apart from the backups: without it nothing that is sealed can be read.`),

		text(&c.Keyring, "keyring", "", "WHERE", optional(keyring), `
Key ring, which holds those keys: file:PATH, or a PostgreSQL database of its own as
postgres://user@host/name?sslmode=verify-full, for several servers on one database: on
another PostgreSQL server, whose copies are made apart. Empty: the file keyring in the
data directory. It is in no backup, so that what has ended is gone from backups
too; "signet keys export" copies what is alive. When it is lost, what is sealed is lost.`),
		text(&c.KeyringCopy, "keyring.copy", "", "WHERE", optional(keyring), `
Second place for the key ring, file:PATH or a PostgreSQL database of its own: a new key
is written there before it is used, and a destroyed one is destroyed there too. So the
loss of the first place loses nothing. Put it on another disk or machine, and in no
backup. If the server cannot reach it, it goes on without, and says so. Empty: none.`),
		text(&c.NATS, "nats", "", "URLS", optional(natsServers), `
NATS servers through which several servers on one database tell each other at once of
events, typing, presence and ended keys; as tls://user:password@host:4222 or
nats://127.0.0.1:4222, separated by commas. Without them servers on one database look into
it, and notice seconds later; without a database it has no effect. Give a password in
the environment or the file, or by nats_login.`),
		text(&c.NATSLogin, "nats_login", "", "WHERE", optional(natsLogin), `
File to sign in to the NATS servers with: creds:PATH, a credentials file as nsc makes
it; nkey:PATH, the seed of an NKey; token:PATH, a token; password:PATH, the password of
the user that nats names (nats://user@host:4222). All but the seed may be replaced
while the server runs: they are read for each connection. Empty: nats says it.`),
		text(&c.NATSCA, "nats_ca", "", "FILE", anyText, `
File with the authorities (PEM) that certify the NATS servers, which then have to speak
TLS. Empty: those that the machine trusts.`),
		text(&c.NATSCert, "nats_cert", "", "FILE", anyText, `
File with the certificate (PEM) by which NATS servers recognise this one, with nats_key.
Both are read for each connection.`),
		text(&c.NATSKey, "nats_key", "", "FILE", anyText, `
File with the private key of nats_cert (PEM).`),
		text(&c.Blobs, "blobs", "", "LOCATION", blobs, `
Where attachments and avatars are kept: a directory (dir:/path, or the path alone),
or a bucket of an S3 server, as s3://bucket?endpoint=host&region=name, which servers
that share a database share too; docs/operate/storage.md has all parameters. The key
of a bucket comes from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws, or
from the machine's role. Empty: the directory blobs in the data directory.`),

		text(&c.DefaultRegion, "default_region", "US", "REGION", region, `
Country (ISO 3166-1, two capital letters) whose rules a telephone number without
a leading + is read by.`),

		text(&c.Log.Level, "log.level", "info", "LEVEL", oneOf("debug", "info", "warn", "error"), `
The least urgent lines that are logged: debug, info, warn or error.`),

		text(&c.Log.Format, "log.format", "text", "FORMAT", oneOf(logFormats...), `
Form of the log, which goes to standard error: text (for people) or json (an
object each line, for programs).`),

		toggle(&c.Log.Access, "log.access", `
Logs a line of each call when it is over, and of each event stream also when it
begins: method, route, status, duration, bytes, request id, account, name of the key
and address of the client; no names, secrets or content. The lines are of level info.`),

		text(&c.Vendor.Prefix, "vendor.prefix", "TT", "NAME", vendorPrefix, `
What the names of the interface's own headers start with: TT makes TT-X-Message-Id.
Clients have it built in, so it changes only together with them.`),

		text(&c.Vendor.Namespace, "vendor.namespace", "tigertext", "NAME", vendorNamespace, `
What every xmlns and every event type starts with: tigertext makes
tigertext:entity:account. Clients have it built in.`),

		list(&c.CORS.Origins, "cors.origins", "ORIGINS", origins, `
Web sites whose pages may call the interface from a browser, such as
https://app.example.com. None by default; there is no wildcard, because browsers
would send their users' credentials along.`),

		toggledOn(&c.Web.Pages, "web.pages", `
Serves the pages in a browser: the messenger at /.`),

		duration(&c.Web.SessionIdle, "web.session_idle", 12*hour, 5*minute, 30*24*hour, `
How long a session of a browser lasts after its last call; an open event stream is none.
Whatever it is, a session ends 30 days after the sign-in. It has to be longer than twice
expiry.sweep.`),

		number(&c.Limits.MessagesPerDay, "limits.messages_per_day", 100, 0, 1<<31-1, `
Messages that a key may send in a day (UTC), forwards included. An operator gives a
key another figure when making it. 0: no limit.`),

		number(&c.Limits.RequestsPerSecond, "limits.requests_per_second", 50, 0, 1_000_000, `
Requests a second that a key may make in the long run, with all keys that its account
issued by it, counted on each node. An operator gives a key another figure when making
it. 0: no limit.`),

		number(&c.Limits.Burst, "limits.burst", 100, 0, 1_000_000, `
Requests that a key may make at once before requests_per_second holds it back.
0: no limit, which leaves requests_per_second without effect.`),

		number(&c.Limits.FailedLoginsPerMinute, "limits.failed_logins_per_minute", 10, 0, 1_000_000, `
Failed logins a minute from one address with one key or user name; past it that
pair is refused, but for the right secret of a key. 0: no limit.`),

		number(&c.Limits.FailedLoginsPerMinuteAddress, "limits.failed_logins_per_minute_address", 100, 0, 1_000_000, `
Failed logins a minute from one address, whatever the key; past it that address
is refused, but for right secrets of keys. 0: no limit.`),

		number(&c.Limits.FailedLoginsPerMinuteName, "limits.failed_logins_per_minute_name", 100, 0, 1_000_000, `
Failed logins a minute with one key or user name, whatever the address; past it that
name is refused, but for right secrets of keys, and from addresses where its password
has succeeded. 0: no limit.`),

		number(&c.Limits.BodyBytes, "limits.body_bytes", 256<<10, 0, 1<<30, `
Bytes of a JSON or form body (262144 is 256 KiB); many users made in one call may
take 1 MiB. 0: no limit; such a body is held in memory, so that anybody with a key
could then fill it.`),

		number(&c.Limits.BodyMemoryBytes, "limits.body_memory_bytes", 32<<20, 0, 1<<40, `
Bytes of all JSON and form bodies that are held in memory at a time (33554432 is 32
MiB), but the first 8 KiB of each; one key has at most an eighth. Past it calls with
larger bodies are answered 503. 0: no limit.`),

		number(&c.Limits.MessageBytes, "limits.message_bytes", 64<<10, 0, 1<<30, `
Bytes of the text of a message (65536 is 64 KiB). 0: no limit but body_bytes.`),

		number(&c.Limits.AttachmentBytes, "limits.attachment_bytes", 25<<20, 0, 1<<50, `
Bytes of an attachment (26214400 is 25 MiB). Attachments are streamed and never
held in memory. 0: no limit but the disk.`),

		number(&c.Limits.StreamsPerAccount, "limits.streams_per_account", 20, 0, 1_000_000, `
Event streams that an account may have open; one more closes the oldest, whose
client is told to wait for a minute. 0: no limit.`),

		number(&c.Limits.ConnectionsPerAddress, "limits.connections_per_address", 256, 0, 1_000_000, `
Connections that one address (of IPv6: one /64 network) may have open; further ones
are closed at once. It does not hold for this machine and for trusted_proxies.
0: no limit.`),

		number(&c.Limits.HeaderBytes, "limits.header_bytes", 64<<10, 4<<10, 16<<20, `
Bytes of the head of a request (65536 is 64 KiB).`),

		number(&c.Limits.Fields, "limits.fields", 5000, 0, 1<<20, `
Names and values that a body or a query may have. 0: no limit but body_bytes.`),

		number(&c.Limits.Parts, "limits.parts", 100, 1, 10_000, `
Parts of a multipart body.`),

		number(&c.Limits.GroupMembers, "limits.group_members", 2000, 0, 1_000_000, `
Members of a group. 0: no limit.`),

		number(&c.Limits.MetadataKeys, "limits.metadata_keys", 11, 0, 1_000_000, `
Keys in the metadata of an entity. 0: no limit.`),

		number(&c.Limits.MetadataBytes, "limits.metadata_bytes", 64<<20, 0, 1<<50, `
Bytes of all metadata of an organization, as stored (67108864 is 64 MiB). 0: no limit.`),

		number(&c.Limits.GroupsPerDay, "limits.groups_per_day", 200, 0, 1_000_000, `
Groups that may be made in a day (UTC) with a regular key, and with the keys that its
account issued by it. 0: no limit.`),

		text(&c.Organizations.Join, "organizations.join", "open", "HOW", oneOf("open", "approve"), `
How an account joins an organization that did not create it. "open": an administrator
there adds it. "approve": the account itself, or an administrator of the organization
that created it, has to agree.`),

		duration(&c.Events.Retention, "events.retention", 30*24*hour, minute, 100*365*24*hour, `
How long an event that nobody acknowledges stays queued (720h is 30 days).`),

		number(&c.Events.QueueMax, "events.queue_max", 20_000, 0, 100_000_000, `
Events besides messages that an account's queue holds. The oldest of those go first, and
the reader is told to read everything anew. A queue may be some hundredths longer for
some seconds. Messages stay, however many there are. 0: no limit.`),

		duration(&c.Expiry.Sweep, "expiry.sweep", 10*second, 100*time.Millisecond, hour, `
How often the contents of expired messages are erased from the store. Nobody can read
them from the moment they expire, whatever this setting is.`),

		duration(&c.Expiry.ClockJump, "expiry.clock_jump", 7*24*hour, minute, 100*365*24*hour, `
How far the clock may be ahead of the last known time at a start (168h is a week), for
instance because the server was off. A clock that is further ahead, or that jumps ahead
by more than an hour while the server runs, is in doubt: the server then erases nothing
that has ended and destroys no key.`),

		duration(&c.Expiry.ClockDoubt, "expiry.clock_doubt", 24*hour, minute, 365*24*hour, `
How long such a clock is in doubt before the server takes it as right. Setting the
clock right, or "signet clock accept", ends the doubt at once.`),

		duration(&c.Audit.Retention, "audit.retention", 6*365*24*hour, 0, 100*365*24*hour, `
How long an entry of the audit log stays (52560h is six years). A signed checkpoint
takes the place of removed entries. 0: for good.`),

		text(&c.Metrics.Listen, "metrics.listen", "", "HOST:PORT", optional(hostPort), `
Address that /metrics (Prometheus) is served on, to whoever reaches it. Empty: it is
served on the interface's own address, only to clients on this machine that did not
come through a proxy; for everybody else it does not exist there.`),

		duration(&c.Shutdown.Grace, "shutdown.grace", 10*second, 0, hour, `
How long a stopping server lets running requests finish before it cuts them off. It
refuses new ones meanwhile.`),
	}
}
