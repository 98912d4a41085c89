package config

import (
	"strings"
	"testing"
)

func TestPlainHTTPIsForThisMachineUnlessSaidOtherwise(t *testing.T) {
	const refused = "without TLS they would send their secrets"
	for _, test := range []struct {
		flags map[string]string
		want  string // part of the error; empty: none
	}{
		{map[string]string{"listen": "127.0.0.1:8080"}, ""},
		{map[string]string{"listen": "127.1.2.3:8080"}, ""},
		{map[string]string{"listen": "[::1]:8080"}, ""},
		{map[string]string{"listen": "localhost:8080"}, ""},
		{map[string]string{"listen": ":8080"}, refused},
		{map[string]string{"listen": "0.0.0.0:8080"}, refused},
		{map[string]string{"listen": "[::]:8080"}, refused},
		{map[string]string{"listen": "192.0.2.1:8080"}, refused},
		{map[string]string{"listen": "signet.example.com:8080"}, refused},
		{map[string]string{"listen": ":8080", "base_url": "https://messages.example.com"}, refused},
		{map[string]string{"listen": ":8080", "insecure_http": "true"}, ""},
		{map[string]string{"listen": ":8080", "trusted_proxies": "10.0.0.0/8"}, ""},
		{map[string]string{"listen": ":8443", "tls.cert": "c", "tls.key": "k"}, ""},
		{map[string]string{"listen": ":8443", "acme.hosts": "a.example"}, ""},
	} {
		_, err := Load(Sources{Flags: test.flags})
		wantError(t, err, test.want)
	}
	c := Default()
	c.Listen = ":8080"
	wantError(t, c.Validate(), refused)
}

func TestSettingsThatContradictEachOther(t *testing.T) {
	for _, test := range []struct {
		flags map[string]string
		want  string
	}{
		{map[string]string{"tls.cert": "c"}, "tls.cert and tls.key go together"},
		{map[string]string{"tls.key": "k"}, "tls.cert and tls.key go together"},
		{map[string]string{"tls.cert": "c", "tls.key": "k", "acme.hosts": "a.example"}, "two ways to one certificate"},
		{map[string]string{"redirect_listen": "127.0.0.1:80"}, "redirect_listen leads to HTTPS"},
		{map[string]string{"redirect_listen": "127.0.0.1:80", "trusted_proxies": "10.0.0.0/8"},
			"redirect_listen leads to HTTPS"},
		{map[string]string{"redirect_listen": ":80", "tls.cert": "c", "tls.key": "k"}, ""},
		{map[string]string{"acme.hosts": "*.example.com"}, "want a name such as messages.example.com"},
		{map[string]string{"acme.hosts": "localhost"}, "want a name such as"},
		{map[string]string{"acme.hosts": "192.0.2.1"}, "want a name such as"},
		{map[string]string{"acme.directory": "http://ca.example"}, "want a URL such as https://"},
		{map[string]string{"tracing.endpoint": "otel.example.com:4318"}, "want the base URL of a collector"},
		{map[string]string{"tracing.endpoint": "https://u:hunter2@otel.example.com"}, "without a user"},
		{map[string]string{"tracing.endpoint": "https://otel.example.com/?token=hunter2"}, "without a user, a query"},
		{map[string]string{"tracing.endpoint": "https://otel.example.com/otlp", "tracing.sample": "0.05"}, ""},
		{map[string]string{"tracing.sample": "2"}, "want a number from 0 to 1, not 2"},
		{map[string]string{"tracing.sample": "NaN"}, "want a number from 0 to 1, not NaN"},
		{map[string]string{"tracing.sample": "half"}, `want a number from 0 to 1, not "half"`},
		{map[string]string{"tracing.service": "ward 7"}, "want 1 to 100 letters"},
		{map[string]string{"nats_login": "token:f"}, "are for nats, which is not set"},
		{map[string]string{"nats_ca": "f"}, "are for nats, which is not set"},
		{map[string]string{"nats": "tls://h", "nats_cert": "c"}, "nats_cert and nats_key go together"},
		{map[string]string{"nats": "nats://h", "nats_login": "hunter2"}, "want creds:PATH"},
		{map[string]string{"nats": "nats://h", "nats_login": "token:"}, "want creds:PATH"},
		{map[string]string{"nats": "nats://u:hunter2@h", "nats_login": "token:f"}, "two ways to sign in"},
		{map[string]string{"nats": "nats://u:hunter2@h", "nats_login": "password:f"}, "two ways to sign in"},
		{map[string]string{"nats": "nats://hunter2@h", "nats_login": "creds:f"}, "two ways to sign in"},
		{map[string]string{"nats": "nats://h", "nats_login": "password:f"}, "a password is that of a user"},
		{map[string]string{"nats": "nats://u@h,nats://v@h", "nats_login": "password:f"}, "a password is that of a user"},
		{map[string]string{"nats": "nats://u@h, tls://u@i", "nats_login": "password:f", "nats_cert": "c", "nats_key": "k",
			"nats_ca": "a"}, ""},
		{map[string]string{"nats": "tls://h", "nats_login": "creds:f"}, ""},
		{map[string]string{"trusted_proxies": "10.1.2.3/8"}, "want the addresses or networks of your proxies"},
		{map[string]string{"trusted_proxies": "proxy.example"}, "want the addresses or networks of your proxies"},
		{map[string]string{"egress.networks": "10.1.2.3/8"}, "want the addresses or networks of the receivers"},
		{map[string]string{"egress.networks": "127.0.0.1,fd00::/64"}, ""},
		{map[string]string{"egress.push": "https://push.example.com"}, "want names such as push.example.com"},
		{map[string]string{"egress.push": ""}, ""},
		{map[string]string{"egress.webhooks": "hooks.example.com:8443"}, "want names such as push.example.com"},
		{map[string]string{"egress.webhooks": "127.1"}, "want names such as push.example.com"},
		{map[string]string{"egress.issuers": "https://login.example.com"}, "want names such as push.example.com"},
		{map[string]string{"egress.webhooks": "*,hooks.example.com,*.example.org,192.0.2.7"}, ""},
		{map[string]string{"proxy_header": "X-Real-IP"}, "want one of X-Forwarded-For, Forwarded"},
		{map[string]string{"insecure_http": "perhaps"}, "want true or false"},
	} {
		_, err := Load(Sources{Flags: test.flags})
		wantError(t, err, test.want)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells a password: %v", err)
		}
	}
}
