package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v3"

	"signet/client"
	"signet/internal/blob/s3test"
	"signet/internal/live/natstest"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// mustServeCompose runs what deploy/compose.yaml describes: its servers, with the
// variables that it gives them and the secrets that deploy/make-secrets makes, on
// real PostgreSQL, NATS and S3. Only addresses and paths are others.
func mustServeCompose(t *testing.T) (*cluster, *natstest.Server) {
	t.Helper()
	var file struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
		}
	}
	mustDecode(t, "../../deploy/compose.yaml", &file)
	secrets := filepath.Join(t.TempDir(), "secrets")
	if out, err := exec.Command("../../deploy/make-secrets", secrets).CombinedOutput(); err != nil {
		t.Fatalf("make-secrets: %v\n%s", err, out)
	}
	options, err := natsserver.ProcessConfigFile(filepath.Join(secrets, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	nats := natstest.Start(t, func(o *natsserver.Options) { o.Username, o.Password = options.Username, options.Password })
	bucket := s3test.Shared(t).Bucket(t)
	s3, err := url.Parse(bucket.Location())
	if err != nil {
		t.Fatal(err)
	}
	database, err := url.Parse(postgrestest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := url.Parse(postgrestest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	mustReplace(t, filepath.Join(secrets, "signet.yaml"), "@nats:4222", "@"+nats.Addr())
	mustWrite(t, filepath.Join(secrets, "aws"), fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = "+
		"%s\n", s3test.AccessKey, s3test.SecretKey))
	addresses := strings.NewReplacer(
		"/run/secrets", secrets,
		"@postgres:5432/signet?", "@"+database.Host+database.Path+"?"+database.RawQuery+"&",
		"@keys:5432/keyring?", "@"+keys.Host+keys.Path+"?"+keys.RawQuery+"&",
		"s3://signet?endpoint=s3:7070", "s3://"+bucket.Name+"?endpoint="+s3.Query().Get("endpoint"),
		"172.30.77.10", "127.0.0.1",
		"0.0.0.0:9090", "127.0.0.1:0",
	)
	c := &cluster{t: t}
	c.http = &http.Client{Transport: &http.Transport{DialContext: c.dial, DisableKeepAlives: true,
		DisableCompression: true}}
	for _, name := range slices.Sorted(maps.Keys(file.Services)) {
		if file.Services[name].Image != "signet" {
			continue
		}
		node := newServer(t, freshDirectory(t), "--log.format=text") // which these tests read, in place of JSON
		for variable, value := range file.Services[name].Environment {
			node.env = append(node.env, variable+"="+addresses.Replace(value))
		}
		node.mustStart()
		c.nodes = append(c.nodes, node)
	}
	if len(c.nodes) != clusterNodes {
		t.Fatalf("compose.yaml has %d servers, want %d", len(c.nodes), clusterNodes)
	}
	return c, nats
}

func mustDecode(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.Remove(path); err != nil { // it may be read-only
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustReplace(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not name %s", path, old)
	}
	mustWrite(t, path, strings.ReplaceAll(string(text), old, new))
}

// mustBalance starts a proxy in front of the nodes, which sends each request to
// another one, and returns a client of it.
func (c *cluster) mustBalance() *http.Client {
	c.t.Helper()
	proxy := &httputil.ReverseProxy{
		Transport:     c.http.Transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "signet.test"})
			r.SetXForwarded()
		},
	}
	front := httptest.NewServer(proxy)
	c.t.Cleanup(front.Close)
	address, err := url.Parse(front.URL)
	if err != nil {
		c.t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(address)}
	c.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// through is a person who calls by way of a server, or of the load balancer.
func (p person) through(t *testing.T, by *http.Client) person {
	t.Helper()
	p.Client = mustConnect(t, anyServer, by, p.key, p.secret)
	return p
}

// messagesTo follows a person's events, and hands on the bodies of messages.
func messagesTo(t *testing.T, p person) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	bodies, done := make(chan string, 100), make(chan struct{})
	go func() {
		defer close(done)
		for event, err := range p.Events(ctx, client.StreamOptions{}) {
			if err != nil || event.Kind != client.EventMessage {
				continue
			}
			if m, err := event.Message(); err == nil {
				bodies <- m.Body
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return bodies
}

// wantNext waits for what a stream brings next.
func wantNext(t *testing.T, by string, stream <-chan string, want string) {
	t.Helper()
	select {
	case got := <-stream:
		if got != want {
			t.Errorf("by %s came %q, want %q", by, got, want)
		}
	case <-time.After(patience):
		t.Fatalf("by %s nothing comes, want %q", by, want)
	}
}

func TestComposedServersAreOne(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c, nats := mustServeCompose(t)
	balancer := c.mustBalance()
	people := c.nodes[0].mustPeople("alice", "bob")
	alice, bob := people[0], people[1]
	if nats.Subscriptions() == 0 {
		t.Error("the servers do not listen to NATS")
	}
	for i, node := range c.nodes {
		if out, err := node.health(); err != nil {
			t.Errorf("signet health of node %d: %v\n%s", i+1, err, out)
		}
	}

	// Made by the first, sent by the second, heard on the third.
	atSecond, atThird := alice.through(t, c.nodes[1].http), bob.through(t, c.nodes[2].http)
	heard := messagesTo(t, atThird)
	throughBalancer := messagesTo(t, bob.through(t, balancer))
	send := func(by person, body string) string {
		t.Helper()
		id := mustSend(t, by, client.Outgoing{Recipient: "bob", Body: body})
		for name, stream := range map[string]<-chan string{"the third server": heard, "the load balancer": throughBalancer} {
			wantNext(t, name, stream, body)
		}
		return id
	}
	send(atSecond, "from node to node")

	// Up by the second server, down by the first and by the load balancer's choice.
	scan := make([]byte, 6<<20)
	rand.Read(scan)
	id := mustSend(t, atSecond, fileTo("bob", scan))
	wantNext(t, "the third server", heard, "with a file")
	wantNext(t, "the load balancer", throughBalancer, "with a file")
	for _, by := range []*http.Client{c.nodes[0].http, balancer} {
		p := bob.through(t, by)
		wantAttachment(t, p, mustMessage(t, p, id), scan)
	}

	// One after the other goes and comes back, as in an upgrade; the person behind
	// the load balancer notices nothing, and neither does the one on the last server.
	aliceAnywhere := alice.through(t, balancer)
	for i, node := range c.nodes[:2] {
		node.stop()
		for turn := range 4 { // on each of those that are left
			send(aliceAnywhere, fmt.Sprintf("without node %d, %d", i+1, turn))
		}
		if _, err := node.health(); err == nil {
			t.Errorf("signet health of node %d, which is stopped, says that it is well", i+1)
		}
		node.mustStart()
		wantProbe(t, node, "/readyz", http.StatusOK)
		send(alice.through(t, node.http), fmt.Sprintf("by node %d again", i+1))
	}
	// A person without access to the data directory of the first gets a key of their
	// own.
	directory := filepath.Join(t.TempDir(), "operator")
	if out, err := c.nodes[1].command("operator", "reset", "--data", directory); err != nil {
		t.Fatalf("signet operator reset: %v\n%s", err, out)
	}
	c.nodes[1].dir = directory
	c.nodes[1].mustPeople("carol")
	// In the container of a server, commands lead to that server, as on Kubernetes.
	inside := c.nodes[2]
	inside.env = append(inside.env, "SIGNET_URL=http://"+inside.address())
	for _, args := range [][]string{{"operator", "reset"}, {"org", "create", "Clinic"}} {
		if out, err := inside.command(append(args, "--data", inside.dir)...); err != nil {
			t.Errorf("signet %q in a container: %v\n%s", args, err, out)
		}
	}
	c.end()
}

// health runs "signet health" as the container does.
func (s *server) health() (string, error) { return s.command("health", "--listen", s.address()) }

// command runs another command of the program with the variables of the server.
func (s *server) command(args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Env = append([]string{}, s.env...)
	out, err := command.CombinedOutput()
	return string(out), err
}
