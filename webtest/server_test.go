package webtest

import (
	"testing"

	"signet/client"
	"signet/web/browsertest"
)

// patience is how long a test waits for what takes moments.
const patience = browsertest.Patience

// server is a server of its own, on a directory of its own.
type server struct {
	url      string
	operator credentials

	*browsertest.Server
}

// credentials are a key and its secret.
type credentials struct{ Key, Secret string }

// mustServe starts a server that ends with the test.
func mustServe(t testing.TB, args ...string) server {
	t.Helper()
	s := browsertest.Serve(t, program, args...)
	return server{s.URL, credentials(s.Operator), s}
}

// mustConnect returns the Go client for a key.
func mustConnect(t testing.TB, url string, as credentials) *client.Client {
	t.Helper()
	return browsertest.Connect(t, url, as.Key, as.Secret)
}
