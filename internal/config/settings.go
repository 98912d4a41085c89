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
Address that the interface is served on. Port 0 takes any free port; the line printed
at the start says which. A socket of systemd takes its place. An address that other
machines can reach needs TLS, because each request carries passwords or secrets.`),

		text(&c.BaseURL, "base_url", "", "URL", optional(baseURL), `
URL under which clients reach the server, without the final /v2. It is written to
operator.json, and URLs in answers begin with it. Empty: it is made from the address
listened on and the name in the certificate or, behind one of the trusted_proxies,
from the host that the client asked for.`),

		text(&c.TLS.Cert, "tls.cert", "", "FILE", anyText, `
File with the server's certificate and the intermediate certificates (PEM). With
tls.key it makes the server speak HTTPS, with TLS 1.2 or later. The server looks at
both files every 10 s, and on SIGHUP, and uses new ones for new connections.`),

		text(&c.TLS.Key, "tls.key", "", "FILE", anyText, `
File with the private key of tls.cert (PEM).`),

		duration(&c.TLS.HSTS, "tls.hsts", 365*24*hour, 0, 100*365*24*hour, `
How long browsers that connect over HTTPS are told to use nothing else
(Strict-Transport-Security; 8760h is a year). 0: they are told nothing.`),

		list(&c.ACME.Hosts, "acme.hosts", "NAMES", hostNames, `
Names of this server, for which it gets and renews certificates by itself, from an
authority that speaks ACME. The authority has to reach the server under each name on
port 443, or redirect_listen on port 80. Setting this accepts the authority's terms.
Certificates and keys are kept in the data directory.`),

		text(&c.ACME.Email, "acme.email", "", "ADDRESS", anyText, `
Address that the authority writes to about problems with certificates.`),

		text(&c.ACME.Directory, "acme.directory", "https://acme-v02.api.letsencrypt.org/directory", "URL", httpsURL, `
ACME directory of the authority that certifies acme.hosts. An authority of your own
has to be among those that the machine trusts (or in the file that SSL_CERT_FILE
names).`),

		text(&c.Redirect, "redirect_listen", "", "HOST:PORT", optional(hostPort), `
Address, usually with port 80, on which plain HTTP is answered with a redirect to
HTTPS. Requests with credentials are refused there, because the credentials were sent
in clear text.`),

		toggle(&c.InsecureHTTP, "insecure_http", `
Lets the server speak plain HTTP on an address that other machines can reach. Anybody
in between can then read messages and secrets.`),

		list(&c.Proxies, "trusted_proxies", "NETWORKS", networks, `
Addresses or networks (192.0.2.0/28) of the proxies in front of the server. About a
client's address and about HTTPS, the server believes these proxies and nobody else:
name no network with other machines in it. The server warns about a network wider than
/24 (IPv6: /64). Setting this lets the server speak plain HTTP, because the proxy has
to speak TLS.`),

		text(&c.ProxyHeader, "proxy_header", "X-Forwarded-For", "NAME", oneOf("X-Forwarded-For", "Forwarded"), `
Header in which trusted_proxies pass on the client's address: X-Forwarded-For (with
X-Forwarded-Proto), or Forwarded (RFC 7239). Only this one is read, because a proxy
may pass the other one on as a client wrote it.`),

		duration(&c.Timeouts.Header, "timeouts.header", 10*second, 100*time.Millisecond, hour, `
How long a client may take for the head of a request, and for the TLS handshake.`),

		duration(&c.Timeouts.Body, "timeouts.body", 30*second, 100*time.Millisecond, hour, `
How long a client may take for the body of a request; each 1,000 bytes received add
a second.`),

		duration(&c.Timeouts.Write, "timeouts.write", 30*second, 100*time.Millisecond, hour, `
How long a client may take for 32 KiB of an answer. Event streams and waiting polls
have limits of their own.`),

		duration(&c.Timeouts.Idle, "timeouts.idle", 2*minute, 100*time.Millisecond, 24*hour, `
How long a connection without requests is kept open. It has to be longer than the idle
time of a proxy in front, which might otherwise send a request on a connection that is
closing.`),

		text(&c.Data, "data", "./data", "DIR", notEmpty, `
Directory for the store, the attachments and operator.json. The first start makes it,
readable by its owner only. Only one server at a time can use it.`),

		text(&c.Database, "database", "", "URL", optional(database), `
PostgreSQL database (15 or later) to store everything in, as
postgres://user@host/name?sslmode=verify-full; hosts separated by commas are tried in
turn. Any number of servers can share a database. Empty: the embedded store in the
data directory. Give a password in the environment, or in PostgreSQL's password file
(~/.pgpass), rather than in a flag that others can see.`),

		toggle(&c.InsecureLinks, "insecure_links", `
Allows links to a database, key ring, NATS or bucket on another machine that are not
encrypted or whose other end is not verified: without sslmode=verify-full or
verify-ca, tls:// or nats_ca, or https. Whoever controls such a link can read and
change what passes, and may take over the installation. Links within this machine do
not need this setting.`),

		number(&c.CacheBytes, "cache_bytes", 64<<20, 0, 1<<40, `
How many bytes of the embedded store's file are kept in memory (67108864 is 64 MiB).
The memory is given back when the server has had nothing to do for some seconds. The
operating system caches the file as well, so a larger value helps only if very many
people are active at the same time. With a database it has no effect. 0: 64 MiB.`),

		number(&c.Disk.Reserve, "disk.reserve", 16<<20, 0, 1<<40, `
Bytes on the data directory's disk that are reserved for when it is full (16777216 is
16 MiB), twice: in the file "reserve", which the server shrinks bit by bit for
recalls, acknowledgements and clean-up; and as free space: with less than this, the
server accepts no new message or file. On a small disk each is at most an eighth of
the disk. 0: nothing is reserved.`),

		duration(&c.Backup.MaxAge, "backup.max_age", 26*hour, 0, 100*365*24*hour, `
How old the last backup of the embedded store may be: the metric
signet_backup_due_timestamp_seconds says when the next one has to have begun, and an
alert tells when it has not. The default suits a backup each night. With a database it
has no effect, since the database has tools of its own. 0: no backups are asked for.`),

		text(&c.MasterKey, "master_key", "", "WHERE", optional(masterKey), `
Master key, which wraps the keys that everything is sealed with: file:PATH, or
env:NAME for an environment variable; it is a Tink keyset in JSON. Empty: the file
master.json in the data directory. The first start makes the file. Keep a copy of the
key apart from the backups: without it nothing that is sealed can be read.`),

		text(&c.Keyring, "keyring", "", "WHERE", optional(keyring), `
Key ring, which holds the keys that the master key wraps: file:PATH or, for several
servers on one database, a PostgreSQL database of its own, as
postgres://user@host/name?sslmode=verify-full; put it on another PostgreSQL server,
which is backed up separately. Empty: the file keyring in the data directory. It is in
no backup, so that erased content cannot be read from backups either; "signet keys
export" copies the keys that still exist. If the key ring is lost, everything sealed
is lost.`),
		text(&c.KeyringCopy, "keyring.copy", "", "WHERE", optional(keyring), `
Second place for the key ring, file:PATH or a PostgreSQL database of its own: a new
key is written there before it is used, and a key that is destroyed is destroyed there
too. So nothing is lost if the first place is lost. Put it on another disk or machine,
and in no backup. If the server cannot reach it, it carries on without it, and reports
this. Empty: none.`),
		text(&c.NATS, "nats", "", "URLS", optional(natsServers), `
NATS servers through which several servers on one database tell each other at once
about events, typing, presence and ended keys; as tls://user:password@host:4222 or
nats://127.0.0.1:4222, separated by commas. Without NATS, notifications of PostgreSQL
carry the same; where these are not to be had, as behind a pooler that hands out
connections by the transaction, servers look into the database, and notice seconds
later. It has no effect without a database. Give a password in the environment or the
configuration file, or by nats_login.`),
		text(&c.NATSLogin, "nats_login", "", "WHERE", optional(natsLogin), `
File with the credentials for the NATS servers: creds:PATH, a credentials file as nsc
makes it; nkey:PATH, the seed of an NKey; token:PATH, a token; password:PATH, the
password of the user that nats names (nats://user@host:4222). All but the seed may be
replaced while the server runs: they are read for each connection. Empty: the
credentials in nats, if any.`),
		text(&c.NATSCA, "nats_ca", "", "FILE", anyText, `
File with the authorities (PEM) that certify the NATS servers, which then have to
speak TLS. Empty: the authorities that the machine trusts.`),
		text(&c.NATSCert, "nats_cert", "", "FILE", anyText, `
File with the certificate (PEM) with which this server identifies itself to NATS
servers, together with nats_key. Both are read for each connection.`),
		text(&c.NATSKey, "nats_key", "", "FILE", anyText, `
File with the private key of nats_cert (PEM).`),
		text(&c.Blobs, "blobs", "", "LOCATION", blobs, `
Where attachments and avatars are kept: a directory (dir:/path, or the path alone), or
a bucket of an S3 server, as s3://bucket?endpoint=host&region=name. Servers that share
a database must also share this place. docs/operate/storage.md lists all parameters.
The bucket's key comes from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws,
or from the machine's role. Empty: the directory blobs in the data directory.`),

		text(&c.StandbyOf, "standby_of", "", "URL", optional(standbyOf), `
Makes this server a standby of the one whose standby.listen is at this URL, such as
https://one.example.com:8443, or with the word bucket, of the one that puts what is
written into standby.bucket: it keeps a copy of that server's embedded store, key
ring and files, at most a second old, and serves nobody until "signet promote". A
data directory that was promoted is served, whatever this setting says.`),
		text(&c.Standby.Key, "standby.key", "", "WHERE", optional(standbyKey), `
Secret that a server and its standby share: file:PATH, or env:NAME for an environment
variable; at least 32 random characters. Whoever has it, and reaches standby.listen or
standby.bucket, can copy the store and stop the server.`),
		text(&c.Standby.Bucket, "standby.bucket", "", "LOCATION", optional(standbyBucket), `
Bucket by which standbys follow, in place of standby.listen, in the form that blobs
takes: s3://bucket?endpoint=host&region=name. The server puts there, sealed with
standby.key, what is written, and its standbys read it: they need not reach each
other. Set it on all of them, with a blobs that is in a bucket too. The bucket must
keep no versions.`),
		text(&c.Standby.Listen, "standby.listen", "", "HOST:PORT", optional(hostPort), `
Address on which a server and its standby talk to each other, with the certificate of
the interface. Let nobody else reach it. Set it on both, so that either can follow the
other. Empty: no standby can follow this server.`),
		text(&c.Standby.Peer, "standby.peer", "", "URL", optional(standbyURL), `
URL of the standby.listen of the other server of the pair. A server asks it at its
start, and every few seconds, whether it has taken over, and then does not serve. A
standby that was promoted asks the one that it followed, without this setting.`),
		text(&c.Standby.CA, "standby.ca", "", "FILE", anyText, `
File with the authorities (PEM) that certify the other server of the pair. Empty: the
authorities that the machine trusts.`),

		text(&c.DefaultRegion, "default_region", "US", "REGION", region, `
Country (ISO 3166-1, two capital letters) by whose rules a telephone number without a
leading + is read.`),

		text(&c.Log.Level, "log.level", "info", "LEVEL", oneOf("debug", "info", "warn", "error"), `
Level of the least urgent lines that are logged: debug, info, warn or error. On SIGHUP
a server under systemd reads it from the file again.`),

		text(&c.Log.Format, "log.format", "text", "FORMAT", oneOf(logFormats...), `
Form of the log, which goes to standard error: text (for people) or json (one object
per line, for programs).`),

		toggle(&c.Log.Access, "log.access", `
Logs a line for each call when it is over, and for each event stream also when it
begins: method, route, status, duration, bytes, request id, account, name of the key
and the client's address; no people's names, secrets or content. The lines have the
level info.`),

		text(&c.Vendor.Prefix, "vendor.prefix", "TT", "NAME", vendorPrefix, `
What the names of the interface's own headers start with: TT makes TT-X-Message-Id. It
is built into clients, so change it only together with them.`),

		text(&c.Vendor.Namespace, "vendor.namespace", "tigertext", "NAME", vendorNamespace, `
What every xmlns and every event type starts with: tigertext makes
tigertext:entity:account. It is built into clients.`),

		list(&c.CORS.Origins, "cors.origins", "ORIGINS", origins, `
Web sites whose pages may call the interface from a browser, such as
https://app.example.com. None by default; there is no wildcard, because browsers would
send their users' credentials along.`),

		list(&c.Egress.Networks, "egress.networks", "NETWORKS", calledNetworks, `
Addresses or networks (10.1.2.0/24) that the server may call for egress.push,
egress.webhooks and egress.issuers although no public host has them: loopback, private,
link-local and the like, which are refused otherwise, whatever name leads there. Plain
HTTP is allowed to these only. Name receivers, not whole networks: whoever may name a
receiver can have the server call any machine in them.`),

		listOf(&c.Egress.Push, "egress.push", pushServices, "HOSTS", hosts, `
Hosts to which notifications of new messages may be pushed (Web Push): those to which
browsers subscribe. *.example.com is all below example.com, * is all public hosts. The
default has the services of Google (Chrome, and most others), Mozilla, Apple and
Microsoft. They learn when something is pushed to which browser, and nothing of what
was written, by whom, or to whom. They are told base_url, or the first of acme.hosts, as
the way to whoever runs the server: without either Apple's takes nothing. Empty: nothing
is pushed.`),

		list(&c.Egress.Webhooks, "egress.webhooks", "HOSTS", hosts, `
Hosts to which webhooks may send events, such as hooks.example.com; *.example.com is
all below example.com, * is all public hosts. Empty: there are no webhooks.`),

		listOf(&c.Egress.Issuers, "egress.issuers", []string{"*"}, "HOSTS", hosts, `
Hosts of the providers of identities (OpenID Connect) with which members of
organizations sign in, such as login.microsoftonline.com; *.example.com is all below
example.com, * is all public hosts, and those of egress.networks. All hosts count at
which a provider publishes, gives tokens and tells of people. Whoever administers an
organization may name a provider: name hosts here if you do not want each of them to
have the server call one. Empty: nobody signs in with a provider.`),

		toggledOn(&c.Web.Pages, "web.pages", `
Serves the pages for browsers: the messenger at /.`),

		duration(&c.Web.SessionIdle, "web.session_idle", 12*hour, 5*minute, 30*24*hour, `
How long a browser's session lasts after its last call; an open event stream does not
count as a call. In any case a session ends 30 days after the sign-in. This setting
has to be longer than twice expiry.sweep.`),

		text(&c.Brand.Name, "brand.name", "", "TEXT", brandName, `
Name of the house, up to 60 characters, which the pages show beside the product's,
also to people who have not signed in.`),

		text(&c.Brand.Logo, "brand.logo", "", "FILE", anyText, `
File with the logo of the house, which the pages show beside its name: a PNG, JPEG or
WebP picture of up to 256 KiB and 1024 x 1024 pixels. It is read at the start, and
anybody who reaches the server can see it.`),

		number(&c.Limits.MessagesPerDay, "limits.messages_per_day", 100, 0, 1<<31-1, `
Messages that a key may send in a day (UTC), forwards included. An operator can give a
key another limit. 0: no limit.`),

		number(&c.Limits.RequestsPerSecond, "limits.requests_per_second", 50, 0, 1_000_000, `
Requests a second that a key may make in the long run, together with all keys that its
account issued with it, counted on each server separately. An operator can give a key
another limit. 0: no limit.`),

		number(&c.Limits.Burst, "limits.burst", 100, 0, 1_000_000, `
Requests that a key may make at once before requests_per_second holds it back. 0: no
limit, and requests_per_second has no effect.`),

		number(&c.Limits.FailedLoginsPerMinute, "limits.failed_logins_per_minute", 10, 0, 1_000_000, `
Failed logins a minute from one address with one key or user name. Beyond this, logins
with this pair are refused, except with a key's right secret. 0: no limit.`),

		number(&c.Limits.FailedLoginsPerMinuteAddress, "limits.failed_logins_per_minute_address", 100, 0, 1_000_000, `
Failed logins a minute from one address, whatever the key. Beyond this, logins from
the address are refused, except with a key's right secret. 0: no limit.`),

		number(&c.Limits.FailedLoginsPerMinuteName, "limits.failed_logins_per_minute_name", 100, 0, 1_000_000, `
Failed logins a minute with one key or user name, whatever the address. Beyond this,
logins with the name are refused, except with a key's right secret, and from addresses
from which its password has succeeded. 0: no limit.`),

		number(&c.Limits.BodyBytes, "limits.body_bytes", 256<<10, 0, 1<<30, `
Bytes of a JSON or form body (262144 is 256 KiB); a call that makes many users may
have 1 MiB. 0: no limit; but such a body is held in memory, so anybody with a key
could then fill the memory.`),

		number(&c.Limits.BodyMemoryBytes, "limits.body_memory_bytes", 32<<20, 0, 1<<40, `
Bytes of all JSON and form bodies that are held in memory at a time (33554432 is 32
MiB), not counting the first 8 KiB of each; one key may use at most an eighth. Beyond
this, calls with larger bodies are answered with 503. 0: no limit.`),

		number(&c.Limits.MessageBytes, "limits.message_bytes", 64<<10, 0, 1<<30, `
Bytes of a message's text (65536 is 64 KiB). 0: no limit but body_bytes.`),

		number(&c.Limits.AttachmentBytes, "limits.attachment_bytes", 25<<20, 0, 1<<50, `
Bytes of an attachment (26214400 is 25 MiB). Attachments are streamed and never
held in memory. 0: no limit but the disk.`),

		number(&c.Limits.StreamsPerAccount, "limits.streams_per_account", 20, 0, 1_000_000, `
Event streams that an account may have open; one more closes the oldest, whose
client is told to wait for a minute. 0: no limit.`),

		number(&c.Limits.ConnectionsPerAddress, "limits.connections_per_address", 256, 0, 1_000_000, `
Connections that one address (of IPv6: one /64 network) may have open; further ones
are closed at once. This does not apply to this machine and to trusted_proxies. 0: no
limit.`),

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
Groups that may be made in a day (UTC) with a regular key, together with the keys that
its account issued with it. 0: no limit.`),

		text(&c.Organizations.Join, "organizations.join", "open", "HOW", oneOf("open", "approve"), `
How an account joins an organization that did not create it. "open": an administrator
there adds it. "approve": the account itself, or an administrator of the organization
that created it, has to agree.`),

		duration(&c.Events.Retention, "events.retention", 30*24*hour, minute, 100*365*24*hour, `
How long an event that nobody acknowledges stays queued (720h is 30 days).`),

		number(&c.Events.QueueMax, "events.queue_max", 20_000, 0, 100_000_000, `
Events other than messages that an account's queue may hold. Beyond this, the oldest
of these events are dropped, and the reader is told to read everything anew. For some
seconds a queue may be a few percent longer. Messages stay, however many there are. 0:
no limit.`),

		duration(&c.Expiry.Sweep, "expiry.sweep", 10*second, 100*time.Millisecond, hour, `
How often the contents of expired messages are erased from the store. Nobody can read
them from the moment they expire, whatever this setting is.`),

		duration(&c.Expiry.ClockJump, "expiry.clock_jump", 7*24*hour, minute, 100*365*24*hour, `
How far the clock may be ahead of the last known time when the server starts (168h is
a week), for instance because it was off. A clock that is further ahead, or that jumps
ahead by more than an hour while the server runs, is in doubt: the server then erases
nothing that has expired and destroys no key.`),

		duration(&c.Expiry.ClockDoubt, "expiry.clock_doubt", 24*hour, minute, 365*24*hour, `
How long such a clock is in doubt before the server accepts it as right. Correcting
the clock, or "signet clock accept", ends the doubt at once.`),

		duration(&c.Audit.Retention, "audit.retention", 6*365*24*hour, 0, 100*365*24*hour, `
How long an entry of the audit log stays (52560h is six years). A signed checkpoint
takes the place of removed entries. 0: for ever.`),

		text(&c.Metrics.Listen, "metrics.listen", "", "HOST:PORT", optional(hostPort), `
Address that /metrics (Prometheus) is served on, to whoever can reach it. Empty: it is
served on the interface's own address, but only to clients on this machine that do not
come through a proxy; for everybody else it does not exist there.`),

		text(&c.Tracing.Endpoint, "tracing.endpoint", "", "URL", optional(collector), `
Base URL of a collector of OpenTelemetry, as https://otel.example.com:4318, to which
the server sends traces of its calls (OTLP over HTTP; /v1/traces is added). Empty:
there are no traces. OTEL_... variables have no effect: they are often set for every
program of a machine, and the server calls nobody whom its own settings do not name.`),

		text(&c.Tracing.Headers, "tracing.headers", "", "FILE", anyText, `
File with headers for each request to the collector, a line each, as "Authorization:
Bearer TOKEN". It is read for each request, so that it can be replaced.`),

		text(&c.Tracing.CA, "tracing.ca", "", "FILE", anyText, `
File with the authorities (PEM) that certify the collector. Empty: the authorities
that the machine trusts.`),

		fraction(&c.Tracing.Sample, "tracing.sample", 1, `
Share of the calls and background tasks that are traced, from 0 to 1. It does not
apply to calls whose caller says whether to trace them (tracing.follow).`),

		toggledOn(&c.Tracing.Follow, "tracing.follow", `
Takes a call into the trace that its caller names in the header traceparent, and
traces it if the caller does. Off: callers have no influence on traces, as may be
better where strangers reach the server.`),

		text(&c.Tracing.Service, "tracing.service", "signet", "NAME", serviceName, `
Name under which the traces of this server are found (service.name).`),

		duration(&c.Shutdown.Delay, "shutdown.delay", 0, 0, hour, `
How long a stopping server goes on as before, but for /readyz, which says at once that
it stops: so long a load balancer may take to notice, and sends it nothing that would
be refused. shutdown.grace comes after it. 0: it refuses new requests at once.`),

		duration(&c.Shutdown.Grace, "shutdown.grace", 10*second, 0, hour, `
How long a stopping server lets running requests finish before it cuts them off.
Meanwhile it refuses new ones.`),
	}
}
