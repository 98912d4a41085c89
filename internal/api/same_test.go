package api_test

import (
	"maps"
	"net/http"
	"reflect"
	"strings"
)

// wantSameAnswer checks that two answers are the same to the byte, but for the
// date, the request id and what counts requests: nothing tells one from the other.
func wantSameAnswer(got, want *answer) {
	got.t.Helper()
	if a, b := got.unnamed(), want.unnamed(); got.StatusCode != want.StatusCode || a != b {
		got.t.Errorf("%s answers\n%d %s\nand not as %s\n%d %s", got.what, got.StatusCode, a, want.what, want.StatusCode, b)
	}
	if a, b := got.plainHeaders(), want.plainHeaders(); !reflect.DeepEqual(a, b) {
		got.t.Errorf("%s has the headers %v, and %s has %v", got.what, a, want.what, b)
	}
}

// unnamed is the body without the request's own id.
func (a *answer) unnamed() string {
	return strings.ReplaceAll(string(a.content), a.Header.Get("Request-Id"), "")
}

func (a *answer) plainHeaders() http.Header {
	h := maps.Clone(a.Header)
	for name := range h {
		switch name {
		case "Date", "Request-Id", "Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset":
			delete(h, name)
		case "Content-Length":
			// It counts the request's id, which a client chooses.
			delete(h, name)
		}
	}
	return h
}
