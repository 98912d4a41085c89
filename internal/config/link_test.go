package config

import (
	"maps"
	"strings"
	"testing"
)

func TestLinksToOtherMachinesAreVerifiedUnlessSaidOtherwise(t *testing.T) {
	const socket = "postgres://signet@/signet?host=/run/postgresql"
	for _, test := range []struct {
		key, value string
		refused    bool
	}{
		{"database", "postgres://u:hunter2@db.example.com/signet", true},
		{"database", "postgresql://u:hunter2@192.0.2.1/signet?sslmode=disable", true},
		{"database", "postgres://u:hunter2@db/signet?sslmode=allow", true},
		{"database", "postgres://u:hunter2@db/signet?sslmode=prefer", true},
		{"database", "postgres://u:hunter2@db/signet?sslmode=require", true},
		{"database", "postgres://u:hunter2@/signet?host=db&sslmode=require", true},
		{"database", "postgres://u:hunter2@127.0.0.1,db2/signet?sslmode=disable", true},
		{"database", "postgres://u:hunter2@db/signet?sslmode=verify-ca", false},
		{"database", "postgres://u:hunter2@db1:5432,db2:5433/signet?sslmode=verify-full", false},
		{"database", "postgres://u:hunter2@127.0.0.1:5432/signet", false},
		{"database", "postgres://u:hunter2@[::1]/signet?sslmode=disable", false},
		{"database", "postgres://u:hunter2@localhost/signet", false},
		{"database", socket, false},
		{"keyring", "postgres://u:hunter2@keys/keyring", true},
		{"keyring", "postgres://u:hunter2@keys/keyring?sslmode=verify-full", false},
		{"keyring", "file:/srv/keyring", false},
		{"keyring.copy", "postgres://u:hunter2@keys/keyring", true},
		{"nats", "nats://u:hunter2@nats:4222", true},
		{"nats", "tls://u:hunter2@n1:4222, nats://u:hunter2@n2:4222", true},
		{"nats", "tls://u:hunter2@nats:4222", false},
		{"nats", "nats://u:hunter2@127.0.0.1:4222", false},
		{"blobs", "s3://k:hunter2@signet?endpoint=s3.example.com&insecure=true", true},
		{"blobs", "s3://k:hunter2@signet?endpoint=http://s3.example.com:9000", true},
		{"blobs", "s3://k:hunter2@signet?endpoint=s3.example.com", false},
		{"blobs", "s3://k:hunter2@signet", false},
		{"blobs", "s3://k:hunter2@signet?endpoint=127.0.0.1:9000&insecure=true", false},
		{"blobs", "dir:/srv/blobs", false},
		{"tracing.endpoint", "http://otel.example.com:4318", true},
		{"tracing.endpoint", "https://otel.example.com:4318", false},
		{"tracing.endpoint", "http://127.0.0.1:4318", false},
		{"tracing.endpoint", "http://localhost:4318/otlp", false},
	} {
		flags := map[string]string{test.key: test.value}
		_, err := Load(Sources{Flags: flags})
		if !test.refused {
			wantError(t, err, "")
			continue
		}
		wantError(t, err, "insecure_links")
		if err != nil && (!strings.HasPrefix(err.Error(), test.key+": ") || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s is refused with %q, want the setting named and no password", test.value, err)
		}
		flags["insecure_links"] = "true"
		c, err := Load(Sources{Flags: flags})
		wantError(t, err, "")
		if err == nil && (len(c.Risks()) != 1 || !strings.HasPrefix(c.Risks()[0], "insecure_links: ")) {
			t.Errorf("%s is allowed, and told of as %q", test.value, c.Risks())
		}
	}
	_, err := Load(Sources{Flags: map[string]string{"nats": "nats://nats:4222", "nats_ca": "ca.pem"}})
	wantError(t, err, "") // the client then refuses a server without a certificate of it
}

// A driver's variables count too: they are those of the process that opens the link.
func TestLinkIsVerifiedByPostgreSQLsVariables(t *testing.T) {
	t.Setenv("PGSSLMODE", "verify-full")
	wantError(t, VerifiedLink("postgres://db/signet"), "")
	t.Setenv("PGSSLMODE", "require")
	wantError(t, VerifiedLink("postgres://db/signet"), "insecure_links")
}

func TestWideNetworksOfProxiesAreToldOf(t *testing.T) {
	for proxies, told := range map[string]bool{
		"192.0.2.7": false, "192.0.2.0/24": false, "2001:db8::/64": false, "2001:db8::1": false,
		"192.0.2.7,198.51.100.0/28": false,
		"10.0.0.0/8":                true, "192.0.2.7,172.16.0.0/23": true, "2001:db8::/63": true, "0.0.0.0/0": true,
	} {
		c, err := Load(Sources{Flags: map[string]string{"trusted_proxies": proxies}})
		wantError(t, err, "")
		if risks := strings.Join(c.Risks(), ""); strings.Contains(risks, "is a wide network") != told {
			t.Errorf("%s is told of as %q, want %t", proxies, risks, told)
		}
	}
}

func TestLinksBetweenThePairAreVerified(t *testing.T) {
	for _, test := range []struct {
		key, value, refused string
	}{
		{"standby_of", "http://one.example.com:8443", "insecure_links"},
		{"standby.peer", "http://192.0.2.1:8443", "insecure_links"},
		{"standby.peer", "https://192.0.2.1:8443", ""},
		{"standby_of", "http://127.0.0.1:8443", ""},
		{"standby_of", "https://one.example.com:8443/path", "want the URL"},
		{"standby_of", "one.example.com:8443", "want the URL"},
		{"standby.listen", "0.0.0.0:8443", "insecure_http"},
		{"standby.listen", "127.0.0.1:8443", ""},
	} {
		flags := map[string]string{test.key: test.value, "standby.key": "file:/etc/signet/standby.key"}
		_, err := Load(Sources{Flags: flags})
		wantError(t, err, test.refused)
		if test.refused != "" {
			continue
		}
		flags["standby.key"] = ""
		_, err = Load(Sources{Flags: flags})
		wantError(t, err, "standby.key")
		flags["standby.key"], flags["database"] = "env:KEY", "postgres://u@127.0.0.1/signet"
		_, err = Load(Sources{Flags: flags})
		wantError(t, err, "embedded store")
	}
	wantBucketSettings(t)
	alone := map[string]string{"standby.listen": "127.0.0.1:8443", "standby.key": "env:KEY"}
	for peer, told := range map[string]bool{"": true, "https://two.example.com:8443": false} {
		alone["standby.peer"] = peer
		c, err := Load(Sources{Flags: alone})
		wantError(t, err, "")
		if risks := strings.Join(c.Risks(), ""); strings.Contains(risks, "standby.peer") != told {
			t.Errorf("with the peer %q one is told %q", peer, risks)
		}
	}
	_, err := Load(Sources{Flags: map[string]string{"standby.key": "hunter2hunter2"}})
	wantError(t, err, "file:PATH")
	if err != nil && strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error repeats the secret: %v", err)
	}
}

func TestServerThatPushServicesCannotReachIsToldOf(t *testing.T) {
	for _, test := range []struct {
		flags map[string]string
		told  bool
	}{
		{map[string]string{"tls.cert": "c.pem", "tls.key": "k.pem"}, true},
		{map[string]string{"trusted_proxies": "192.0.2.7"}, true},
		{map[string]string{"trusted_proxies": "192.0.2.7", "base_url": "http://signet.example.com"}, true},
		{map[string]string{"trusted_proxies": "192.0.2.7", "base_url": "https://signet.example.com"}, false},
		{map[string]string{"trusted_proxies": "192.0.2.7", "egress.push": ""}, false},
		{map[string]string{"acme.hosts": "signet.example.com"}, false},
		{nil, false}, // on the own machine
	} {
		c, err := Load(Sources{Flags: test.flags})
		wantError(t, err, "")
		if risks := strings.Join(c.Risks(), ""); strings.Contains(risks, "push services") != test.told {
			t.Errorf("%v is told of as %q, want %t", test.flags, risks, test.told)
		}
	}
}

// wantBucketSettings wants settings of servers that follow one another by a bucket refused where they do not fit.
func wantBucketSettings(t *testing.T) {
	t.Helper()
	fits := map[string]string{"standby.bucket": "s3://pair?endpoint=s3.example.com", "standby.key": "env:KEY",
		"blobs": "s3://files?endpoint=s3.example.com"}
	for _, test := range []struct {
		key, value, refused string
	}{
		{"standby_of", "bucket", ""},
		{"standby_of", "", ""},
		{"standby_of", "https://one.example.com:8443", "want the word bucket"},
		{"standby.listen", "127.0.0.1:8443", "leave one out"},
		{"standby.peer", "https://two.example.com:8443", "leave one out"},
		{"standby.key", "", "standby.key"},
		{"blobs", "", "no attachments"},
		{"blobs", "dir:/srv/blobs", "no attachments"},
		{"database", "postgres://u@127.0.0.1/signet", "embedded store"},
		{"standby.bucket", "s3://k:hunter2@pair?endpoint=http://s3.example.com", "insecure_links"},
		{"standby.bucket", "/srv/bucket", "want a bucket"},
	} {
		flags := maps.Clone(fits)
		flags[test.key] = test.value
		_, err := Load(Sources{Flags: flags})
		wantError(t, err, test.refused)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
	_, err := Load(Sources{Flags: map[string]string{"standby_of": "bucket", "standby.key": "env:KEY"}})
	wantError(t, err, "takes standby.bucket")
}
