package config

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever a setting takes as a secret is not shown: each setting is given a canary in
// every place where something that signs in can stand, and is asked for where it takes it.
func TestNoSettingShowsASecret(t *testing.T) {
	const canary = "CaNaRy0123456789"
	taken := map[string]int{}
	for _, s := range Settings() {
		for _, form := range []string{
			"postgres://u:%s@127.0.0.1/d", "postgres://127.0.0.1/d?password=%s", "postgres://u:a%%2F%s@127.0.0.1:1,[::1]:2/d",
			"postgresql://127.0.0.1/d?sslpassword=%s", "postgres://u:x/%s@127.0.0.1/d",
			"postgres://127.0.0.1/d?x=1&passw%%6Frd=%s",
			"nats://%s@127.0.0.1:1", "nats://u:%s@127.0.0.1:1", "nats://127.0.0.1:1,tls://u:%s@[::1]:2", "tls://%s@127.0.0.1",
			"s3://K:%s@bucket?endpoint=127.0.0.1", "s3://bucket?endpoint=127.0.0.1&insecure=true&secret_key=%s",
			"s3://bucket?endpoint=127.0.0.1&secret_access_key=%s", "s3://bucket?endpoint=127.0.0.1&session_token=%s",
			"https://u:%s@example.com", "https://u:%s@example.com/d", "https://example.com/d?token=%s",
		} {
			text := fmt.Sprintf(form, canary)
			cfg, err := Load(Sources{Flags: map[string]string{s.Key: text, "insecure_links": "true"}})
			if s.Key == "insecure_links" || err != nil {
				continue // it takes no such thing
			}
			taken[s.Key]++
			for _, e := range cfg.Effective() {
				if strings.Contains(fmt.Sprint(e), canary) || e.Key == s.Key && !e.Secret {
					t.Errorf("%s, given as %s, is shown as %+v", s.Key, text, e)
				}
			}
		}
	}
	for _, key := range []string{"database", "keyring", "keyring.copy", "nats", "blobs"} {
		if taken[key] == 0 {
			t.Errorf("%s takes none of the secrets", key)
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	for _, test := range []struct{ given, want string }{
		{"", ""},
		{"127.0.0.1:8080", "127.0.0.1:8080"},
		{"file:/etc/master.json", "file:/etc/master.json"},
		{"postgres://signet@db.example.com/signet?sslmode=verify-full",
			"postgres://signet@db.example.com/signet?sslmode=verify-full"},
		{"postgres://signet:hush@db.example.com/signet", "postgres://signet:***@db.example.com/signet"},
		{"postgres://signet:hu@sh@a:5432,b:5432/signet?password=hush&user=x",
			"postgres://signet:***@a:5432,b:5432/signet?password=***&user=x"},
		{"postgres://signet:hu/sh@a/signet", "***"},
		{"postgres://a/signet?sslpassword=hush&sslkey=/k&passfile=/p",
			"postgres://a/signet?sslpassword=***&sslkey=/k&passfile=/p"},
		{"nats://u:hush@a:4222,tls://b:4222, nats://c", "nats://u:***@a:4222,tls://b:4222,nats://c"},
		{"tls://hush@a:4222,nats://b", "tls://***@a:4222,nats://b"},
		{"s3://KEY:hush@bucket?endpoint=https://s3.example.com&region=eu",
			"s3://KEY:***@bucket?endpoint=https://s3.example.com&region=eu"},
		{"s3://bucket?endpoint=s3.example.com&secret_key=hush&access_key=abc",
			"s3://bucket?endpoint=s3.example.com&secret_key=***&access_key=***"},
	} {
		if got := HideSecrets(test.given); got != test.want {
			t.Errorf("of %s is shown %s, want %s", test.given, got, test.want)
		}
	}
}
