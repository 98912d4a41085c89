package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signet/client"
)

// client returns a client that survives restarts of the server.
func (s *server) client(key, secret string, opts ...client.Option) *client.Client {
	s.t.Helper()
	return mustConnect(s.t, s.base, s.http, key, secret, opts...)
}

func mustConnect(t *testing.T, base string, through *http.Client, key, secret string,
	opts ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(base, key, secret, append([]client.Option{client.WithHTTPClient(through)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// credentials are what the server leaves in operator.json.
type credentials struct {
	BaseURL string `json:"base_url"`
	Key     string `json:"api_key"`
	Secret  string `json:"api_secret"`
}

func (s *server) mustReadOperator() (c credentials) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "operator.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		s.t.Fatalf("operator.json: %v in %s", err, text)
	}
	return c
}

// person is an account with a key.
type person struct {
	*client.Client
	token, key, secret string
}

// mustPeople makes an organization and people in it.
func (s *server) mustPeople(names ...string) []person {
	s.t.Helper()
	c := s.mustReadOperator()
	operator := s.client(c.Key, c.Secret)
	organization, err := operator.CreateOrganization(s.t.Context(), "General Hospital", client.OrganizationSettings{})
	if err != nil {
		s.t.Fatal(err)
	}
	people := make([]person, len(names))
	for i, name := range names {
		made, err := operator.CreateUser(s.t.Context(), organization, client.NewUser{Username: name, IssueKey: true})
		if err != nil {
			s.t.Fatal(err)
		}
		people[i] = person{s.client(made.APIKey, made.APISecret), made.Token, made.APIKey, made.APISecret}
	}
	return people
}

// request makes a call with a person's key, as it is on the wire.
func (p person) request(t *testing.T, method, path, contentType, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, anyServer+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(p.key, p.secret)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

// kinds leaves of events those of one kind.
func kinds(events []client.Event, kind client.EventKind) (out []client.Event) {
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// ids are what acknowledges events.
func ids(events []client.Event) (out []string) {
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}
