package clienttest

import (
	"encoding/json"
	"testing"

	"signet/client"
	"signet/web/browsertest"
)

// server is a server of its own, on a directory of its own.
type server struct {
	url      string
	operator credentials
}

// credentials are a key and its secret, as the tests in TypeScript read them.
type credentials struct {
	Key    string `json:"key"`
	Secret string `json:"secret"`
}

// mustServe starts a server that ends with the test.
func mustServe(t *testing.T, args ...string) server {
	t.Helper()
	s := browsertest.Serve(t, program, args...)
	return server{s.URL, credentials(s.Operator)}
}

// mustConnect returns the Go client for a key.
func mustConnect(t *testing.T, url string, as credentials) *client.Client {
	t.Helper()
	return browsertest.Connect(t, url, as.Key, as.Secret)
}

// mustMarshal writes a value for the environment of the tests in TypeScript.
func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
