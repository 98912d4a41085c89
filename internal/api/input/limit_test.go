package input

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"
)

// startLimited runs a server that takes three fields and two parts.
func startLimited(t *testing.T) *harness {
	return start(t, &Reader[int]{Limits: Limits{Fields: 3, Parts: 2}},
		func(_ *Body[int], query *Fields) any { return query.Text("q") })
}

func TestFieldsOfARequestAreLimited(t *testing.T) {
	h := startLimited(t)
	for body, contentType := range map[string]string{
		`{"a":1,"b":2,"c":[1,2,3,4,5]}`: typeJSON, // what is within a value is no field
		`a=1&b=2&&c=3`:                  typeForm,
	} {
		got := h.send("POST", "/?a=1&b=2&q=found", strings.NewReader(body), "Content-Type: "+contentType)
		if reply := h.wantReply(got); reply != "found" {
			t.Errorf("%s: got %v", body, reply)
		}
	}
	for body, contentType := range map[string]string{
		`{"a":1,"b":2,"c":3,"d":4}`: typeJSON,
		`a=1&b=2&c=3&d=4`:           typeForm,
		`a=1&a=2&a=3&a=4`:           typeForm,
	} {
		h.wantError(h.post(contentType, strings.NewReader(body)), 400, CodeTooManyFields, "")
	}
	h.wantError(h.send("POST", "/?a=1&b=2&c=3&q=too+late", nil), 400, CodeTooManyFields, "")
}

func TestPartsOfABodyAreLimited(t *testing.T) {
	h := startLimited(t)
	for n, want := range map[int]int{2: 200, 3: 400} {
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
		if got := h.post(w.FormDataContentType(), &b); got.Status != want {
			t.Errorf("%d parts: got %+v, want %d", n, got, want)
		}
	}
}
