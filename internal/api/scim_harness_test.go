package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// directory is the program by which an organization keeps its people.
type directory struct {
	*person
	org    string
	client *http.Client
}

// mustDirectory makes an administrator of an organization whose key SCIM takes.
func (s *server) mustDirectory(organization string) *directory {
	s.t.Helper()
	p := s.mustCreateAdmin(organization, "directory-"+strings.ToLower(organization[:8]))
	p = p.withKey(s.operator.post(p.path("/key"), fields{"kind": "administrative", "organization": organization}).reply())
	transport := &http.Transport{DisableCompression: true}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &directory{p, organization, &http.Client{Transport: transport}}
}

// as is the same with other credentials.
func (d *directory) as(p *person) *directory { return &directory{p, d.org, d.client} }

// resource is an answer of SCIM.
type resource struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	text   string
	body   map[string]any
}

// scim calls with the bearer token of the key; body is JSON, or empty.
func (d *directory) scim(method, path, body string, headers ...string) *resource {
	d.t.Helper()
	r, err := http.NewRequestWithContext(within(d.t), method, d.s.url+"/scim/v2"+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/scim+json; charset=utf-8")
	}
	if d.key != "" {
		token := base64.RawURLEncoding.EncodeToString([]byte(d.key + ":" + d.secret))
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if d.cookie != "" {
		r.Header.Set("Cookie", d.cookie)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := d.client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	out := &resource{t: d.t, what: method + " " + path, status: response.StatusCode, header: response.Header,
		text: string(content)}
	if len(content) == 0 {
		return out
	}
	if got := response.Header.Get("Content-Type"); got != "application/scim+json" {
		d.t.Errorf("%s: the type is %q", out.what, got)
	}
	if err := json.Unmarshal(content, &out.body); err != nil {
		d.t.Fatalf("%s: %s: %v", out.what, content, err)
	}
	return out
}

// want stops the test unless the answer has this status.
func (r *resource) want(status int) *resource {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: got %d %s, want %d", r.what, r.status, r.text, status)
	}
	return r
}

// wantError stops the test unless the answer is an error of this kind, in SCIM's own form.
func (r *resource) wantError(status int, kind string) {
	r.t.Helper()
	r.want(status)
	got, _ := r.body["scimType"].(string)
	schemas, _ := json.Marshal(r.body["schemas"])
	if got != kind || r.body["status"] != number(status) || r.body["detail"] == "" ||
		string(schemas) != `["urn:ietf:params:scim:api:messages:2.0:Error"]` {
		r.t.Errorf("%s: got %s, want %d %q", r.what, r.text, status, kind)
	}
}

// at is a text in the answer, by the names that lead to it; numbers count in lists.
func (r *resource) at(path ...any) any {
	r.t.Helper()
	var value any = r.body
	for _, step := range path {
		switch step := step.(type) {
		case string:
			inside, _ := value.(map[string]any)
			value = inside[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				r.t.Fatalf("%s: %v has no place %d: %s", r.what, path, step, r.text)
			}
			value = list[step]
		}
	}
	return value
}

func (r *resource) wantAt(want any, path ...any) *resource {
	r.t.Helper()
	if got := r.at(path...); got != want {
		r.t.Errorf("%s: %v is %v, want %v", r.what, path, got, want)
	}
	return r
}

func (r *resource) id() string {
	r.t.Helper()
	id, _ := r.body["id"].(string)
	return id
}

// found lists whom a filter finds, by their userName or displayName, and how many there are.
func (d *directory) found(kind, filter string, more ...string) (names []string, total int) {
	d.t.Helper()
	q := url.Values{}
	if filter != "" {
		q.Set("filter", filter)
	}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	r := d.scim("GET", "/"+kind+"?"+q.Encode(), "").want(200)
	list, _ := r.body["Resources"].([]any)
	for _, one := range list {
		name := one.(map[string]any)["userName"]
		if kind == "Groups" {
			name = one.(map[string]any)["displayName"]
		}
		names = append(names, name.(string))
	}
	if got := int(r.body["itemsPerPage"].(float64)); got != len(names) {
		d.t.Errorf("%s: itemsPerPage is %d, with %d resources", filter, got, len(names))
	}
	return names, int(r.body["totalResults"].(float64))
}

func (d *directory) wantFound(kind, filter string, want ...string) {
	d.t.Helper()
	got, total := d.found(kind, filter)
	if strings.Join(got, " ") != strings.Join(want, " ") || total != len(want) {
		d.t.Errorf("%s: got %q (%d), want %q", filter, got, total, want)
	}
}

// mustPerson makes a person with an e-mail address.
func (d *directory) mustPerson(name string) string {
	d.t.Helper()
	return d.scim("POST", "/Users", `{"userName":"`+name+`","externalId":"x-`+name+`","emails":[{"value":"`+name+
		`@example.com","type":"work","primary":true}],"name":{"givenName":"`+strings.ToTitle(name[:1])+name[1:]+
		`","familyName":"Test"}}`).want(201).id()
}

// wantJSON compares an answer with JSON of which every member has to be in it.
func (r *resource) wantJSON(want string) {
	r.t.Helper()
	var wanted any
	if err := json.NewDecoder(bytes.NewReader([]byte(want))).Decode(&wanted); err != nil {
		r.t.Fatalf("%s: %v", want, err)
	}
	if missing := lacks(wanted, any(r.body), ""); missing != "" {
		r.t.Errorf("%s: %s lacks %s", r.what, r.text, missing)
	}
}

// lacks names the first part of a wanted value that another one does not have.
func lacks(want, got any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		inside, ok := got.(map[string]any)
		if !ok {
			return at
		}
		for name, value := range want {
			if missing := lacks(value, inside[name], at+"."+name); missing != "" {
				return missing
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return at
		}
		for i := range want {
			if missing := lacks(want[i], list[i], at+"["+number(i)+"]"); missing != "" {
				return missing
			}
		}
		return ""
	}
	if want != got {
		return at
	}
	return ""
}

// mustCounter returns the value of a metric with one label.
func (s *server) mustCounter(name, label string) float64 {
	s.t.Helper()
	families, err := s.metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && len(m.GetLabel()) == 1 && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
	}
	s.t.Fatalf("there is no %s of %s", name, label)
	return 0
}
