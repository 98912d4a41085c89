package config

import "testing"

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
