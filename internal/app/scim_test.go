package app_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// directory calls SCIM with the key of an administrator whose scope is one organization.
type directory struct {
	t      testing.TB
	client *http.Client
	token  string
}

// newDirectory issues the key.
func newDirectory(t testing.TB, c *apptest.Cast) *directory {
	t.Helper()
	key, err := c.Operator.Client.CreateKey(t.Context(), c.Dana.Token,
		client.NewKey{Kind: client.AdministrativeKey, Organization: c.Organization})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &directory{t, &http.Client{Transport: transport},
		base64.RawURLEncoding.EncodeToString([]byte(key.APIKey + ":" + key.APISecret))}
}

// must calls a server, and returns the id of the answer.
func (d *directory) must(node *apptest.Server, status int, method, path, body string) string {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, node.URL+"/scim/v2"+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Set("Content-Type", "application/scim+json")
	answer, err := d.client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		d.t.Fatalf("%s %s: got %d %s, %v; want %d", method, path, answer.StatusCode, text, err, status)
	}
	var made struct{ ID string }
	if len(text) > 0 {
		if err := json.Unmarshal(text, &made); err != nil {
			d.t.Fatalf("%s: %v", text, err)
		}
	}
	return made.ID
}

// TestALeaverIsOutOnAllServers: one server takes the directory's call, and the other one ends what the leaver reads
// there.
func TestALeaverIsOutOnAllServers(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bothWays(t, func(t *testing.T, nats string) {
		c := newCluster(t, 2, nats)
		d := newDirectory(t, c.Cast)
		here, there := c.listen(0, c.Bob), c.listen(1, c.Bob)
		polling := c.at(1, c.Bob)
		if _, err := polling.Self(t.Context()); err != nil { // the other server knows the key now
			t.Fatal(err)
		}
		before := metric(t, c.nodes[1], busMetric("received_total", nats))
		d.must(c.nodes[0], http.StatusOK, "PATCH", "/Users/"+c.Bob.Token,
			`{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`)
		here.wantEnd()
		there.wantEnd()
		eventually(t, "the key is refused", func() bool {
			_, err := polling.Self(t.Context())
			return errors.Is(err, client.ErrUnauthorized)
		})
		if metric(t, c.nodes[1], busMetric("received_total", nats)) == before {
			t.Error("the other server was not told of the leaver")
		}
		if _, err := c.at(0, c.Alice).Self(t.Context()); err != nil {
			t.Errorf("somebody else is out, too: %v", err)
		}

		// Whoever is made on one server is there on the other.
		id := d.must(c.nodes[1], http.StatusCreated, "POST", "/Users", `{"userName":"eve"}`)
		d.must(c.nodes[0], http.StatusOK, "GET", "/Users/"+id, "")
		d.must(c.nodes[0], http.StatusConflict, "POST", "/Users", `{"userName":"EVE"}`)
	})
}

// BenchmarkDirectory makes people as a directory does, one call each over HTTP. 10,000 of them are to take a minute:
//
//	go test ./internal/app -run '^$' -bench Directory -benchtime 10000x
func BenchmarkDirectory(b *testing.B) {
	for name, change := range map[string]func(*config.Config){
		"embedded":   func(*config.Config) {},
		"postgresql": func(cfg *config.Config) { cfg.Database = postgrestest.URL(b) },
	} {
		b.Run(name, func(b *testing.B) {
			s := apptest.Start(b, change, func(cfg *config.Config) { cfg.Limits.RequestsPerSecond = 0 })
			d := newDirectory(b, s.People())
			n := 0
			for b.Loop() {
				n++
				d.must(s, http.StatusCreated, "POST", "/Users", fmt.Sprintf(`{"userName":"p%d@example.com","externalId":"x%d",
					"name":{"givenName":"P%d","familyName":"Test"},"active":true,"title":"Nurse",
					"emails":[{"value":"p%d@example.com","type":"work","primary":true}]}`, n, n, n, n))
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "people/s")
		})
	}
}
