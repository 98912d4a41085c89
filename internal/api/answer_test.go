package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// answer is what the server said to a request.
type answer struct {
	*http.Response
	t       *testing.T
	what    string // who asked for what
	content []byte
}

// wantCommonHeaders checks what every answer has (contract, section 1).
func (a *answer) wantCommonHeaders(r *http.Request) {
	a.t.Helper()
	if got, sent := a.Header.Get("Request-Id"), r.Header.Get("Request-ID"); got == "" ||
		len(r.Header["Request-Id"]) == 1 && a.StatusCode != 400 && got != sent {
		a.t.Errorf("%s: Request-Id is %q, sent was %q", a.what, got, sent)
	}
	keeps := "no-store"
	if strings.HasPrefix(r.URL.Path, "/v2/brand") && a.StatusCode < 400 {
		keeps = "no-cache" // it is for everybody
	}
	if a.Header.Get("Cache-Control") != keeps || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		a.t.Errorf("%s: Cache-Control %q, X-Content-Type-Options %q", a.what, a.Header.Get("Cache-Control"),
			a.Header.Get("X-Content-Type-Options"))
	}
	policy := a.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'") ||
		a.Header.Get("Referrer-Policy") != "no-referrer" {
		a.t.Errorf("%s: Content-Security-Policy %q, Referrer-Policy %q", a.what, policy, a.Header.Get("Referrer-Policy"))
	}
}

// want stops the test unless the answer has this status, and is shaped as the
// contract says for it.
func (a *answer) want(status int) *answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s: got %d %s, want %d", a.what, a.StatusCode, a.content, status)
	}
	if (status == 204 || status == 304) && len(a.content) > 0 {
		a.t.Errorf("%s: a %d has the body %q", a.what, status, a.content)
	}
	return a
}

// wantError stops the test unless the answer is this error.
func (a *answer) wantError(status int, code string) *answer {
	a.t.Helper()
	a.want(status)
	var envelope struct {
		Status string
		Error  struct {
			Status    int
			Code      string
			Message   string
			Field     string
			RequestID string `json:"request_id"`
		}
	}
	if err := json.Unmarshal(a.content, &envelope); err != nil {
		a.t.Fatalf("%s: got %q: %v", a.what, a.content, err)
	}
	e := envelope.Error
	if e.Code != code {
		a.t.Fatalf("%s: got %s, want the code %q", a.what, a.content, code)
	}
	if envelope.Status != "fail" || e.Status != status || e.Message == "" || e.RequestID != a.Header.Get("Request-Id") ||
		a.Header.Get("Content-Type") != "application/json" {
		a.t.Errorf("%s: the error is misshapen: %s", a.what, a.content)
	}
	return a
}

// wantField checks which field an error names.
func (a *answer) wantField(field string) *answer {
	a.t.Helper()
	if got := a.value().at("error", "field").v; got != field {
		a.t.Errorf("%s: the error names the field %v, want %q: %s", a.what, got, field, a.content)
	}
	return a
}

// wantMissing stops the test unless the answer is the one for what does not exist.
func (a *answer) wantMissing() *answer {
	a.t.Helper()
	return a.wantError(404, "not_found")
}

func (a *answer) wantHeader(name, want string) *answer {
	a.t.Helper()
	if got := a.Header.Get(name); got != want {
		a.t.Errorf("%s: %s is %q, want %q", a.what, name, got, want)
	}
	return a
}

// value is the body, decoded.
func (a *answer) value() value {
	a.t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.content))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		a.t.Fatalf("%s: got %q: %v", a.what, a.content, err)
	}
	return value{a.t, v}
}

// reply is the data of a success.
func (a *answer) reply() value {
	a.t.Helper()
	a.want(200)
	v := a.value()
	if v.text("status") != "success" || len(v.names()) != 2 {
		a.t.Errorf("%s: the envelope is misshapen: %s", a.what, a.content)
	}
	return v.at("reply")
}

// value is something decoded from JSON.
type value struct {
	t *testing.T
	v any
}

// at goes down into objects (by name) and lists (by index). What is not there is
// a value of nil.
func (v value) at(path ...any) value {
	v.t.Helper()
	at := v.v
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := at.(map[string]any)
			at = object[step]
		case int:
			list, _ := at.([]any)
			if step >= len(list) {
				return value{v.t, nil}
			}
			at = list[step]
		}
	}
	return value{v.t, at}
}

// text is a text, of v or of a field of it.
func (v value) text(path ...any) string {
	v.t.Helper()
	text, ok := v.at(path...).v.(string)
	if !ok {
		v.t.Fatalf("%v is no text in %s", path, v)
	}
	return text
}

// int is a whole number, of v or of a field of it.
func (v value) int(path ...any) int64 {
	v.t.Helper()
	given, _ := v.at(path...).v.(json.Number)
	n, err := given.Int64()
	if err != nil {
		v.t.Fatalf("%v is no whole number in %s", path, v)
	}
	return n
}

// list is the elements of a list, of v or of a field of it.
func (v value) list(path ...any) []value {
	v.t.Helper()
	all, ok := v.at(path...).v.([]any)
	if !ok {
		v.t.Fatalf("%v is no list in %s", path, v)
	}
	out := make([]value, len(all))
	for i := range all {
		out[i] = value{v.t, all[i]}
	}
	return out
}

// names are the names of an object's fields.
func (v value) names() []string {
	object, _ := v.v.(map[string]any)
	var out []string
	for name := range object {
		out = append(out, name)
	}
	return out
}

// has reports whether an object has a field.
func (v value) has(name string) bool {
	object, _ := v.v.(map[string]any)
	_, ok := object[name]
	return ok
}

// String is the JSON again.
func (v value) String() string {
	text, err := json.Marshal(v.v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// wantIs checks v against what the same JSON would be decoded into.
func (v value) wantIs(want any) value {
	v.t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		v.t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var same any
	if err := d.Decode(&same); err != nil {
		v.t.Fatal(err)
	}
	if !reflect.DeepEqual(v.v, same) {
		v.t.Errorf("got %s, want %s", v, text)
	}
	return v
}

// wantFields checks some fields of an object, and that none of the names in
// absent is there.
func (v value) wantFields(want fields, absent ...string) value {
	v.t.Helper()
	for name, expected := range want {
		if !v.has(name) {
			v.t.Errorf("%s is missing in %s", name, v)
			continue
		}
		text, _ := json.Marshal(expected)
		if got := v.at(name).String(); got != string(text) {
			v.t.Errorf("%s is %s, want %s", name, got, text)
		}
	}
	for _, name := range absent {
		if v.has(name) {
			v.t.Errorf("%s should not be there: %s", name, v)
		}
	}
	return v
}
