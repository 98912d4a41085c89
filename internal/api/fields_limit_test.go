package api

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

// startLimited runs a server that takes three fields and two parts.
func startLimited(t *testing.T) *harness {
	return start(t, func(o *Options) { o.Limits.Fields, o.Limits.Parts = 3, 2 },
		route{method: "POST", pattern: "/v2/x", handler: echo(func(c *call) any { return c.readQuery().Text("q") })})
}

func TestFieldsOfARequestAreLimited(t *testing.T) {
	h := startLimited(t)
	for body, contentType := range map[string]string{
		`{"a":1,"b":2,"c":[1,2,3,4,5]}`: "application/json", // what is within a value is no field
		`a=1&b=2&&c=3`:                  "application/x-www-form-urlencoded",
	} {
		got := h.mustSend(request{method: "POST", path: "/v2/x?a=1&b=2&q=found", headers: []string{"Content-Type: " + contentType}, body: strings.NewReader(body)})
		if reply := h.wantReply(got); reply != "found" {
			t.Errorf("%s: got %v", body, reply)
		}
	}
	for body, contentType := range map[string]string{
		`{"a":1,"b":2,"c":3,"d":4}`: "application/json",
		`a=1&b=2&c=3&d=4`:           "application/x-www-form-urlencoded",
		`a=1&a=2&a=3&a=4`:           "application/x-www-form-urlencoded",
	} {
		got := h.mustSend(request{method: "POST", path: "/v2/x", headers: []string{"Content-Type: " + contentType}, body: strings.NewReader(body)})
		h.wantError(got, 400, codeTooManyFields, "")
	}
	h.wantError(h.mustSend(request{method: "POST", path: "/v2/x?a=1&b=2&c=3&q=too+late"}), 400, codeTooManyFields, "")
}

func TestPartsOfABodyAreLimited(t *testing.T) {
	h := startLimited(t)
	for n, want := range map[int]int{2: http.StatusOK, 3: http.StatusBadRequest} {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for i := range n {
			if err := w.WriteField(fmt.Sprint("f", i), "x"); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := h.mustSend(request{method: "POST", path: "/v2/x", headers: []string{"Content-Type: " + w.FormDataContentType()}, body: &b})
		if got.StatusCode != want {
			t.Errorf("%d parts: got %d %s, want %d", n, got.StatusCode, got.body, want)
		}
	}
}
