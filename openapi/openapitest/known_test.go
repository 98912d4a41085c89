package openapitest

import (
	"net/url"
	"testing"
)

func TestUnknownNamesWhatTheDocumentLacks(t *testing.T) {
	for _, c := range []struct{ method, address, want string }{
		{"GET", "/v2/events?limit=5&after=x", ""},
		{"HEAD", "/v2/user/bob%40example.com", ""},
		{"GET", "/openapi.json", ""},
		{"GET", "/v2/nothing", "path"},
		{"GET", "/", "path"},
		{"PATCH", "/v2/user", "method"},
		{"GET", "/v2/events?limits=5", "parameter limits of the query"},
	} {
		address, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := New(t).Unknown(c.method, address); got != c.want {
			t.Errorf("%s %s: the document lacks %q, want %q", c.method, c.address, got, c.want)
		}
	}
}
