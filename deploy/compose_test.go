package deploy

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"signet/internal/config"
)

// compose is what the tests look at in compose.yaml.
type compose struct {
	Services map[string]service
	Networks map[string]struct {
		IPAM struct{ Config []struct{ Subnet string } }
	}
	Volumes map[string]any
	Secrets map[string]struct{ File string }
}

type service struct {
	Image       string
	Command     any
	Environment map[string]string
	EnvFile     []string `yaml:"env_file"`
	Secrets     secrets
	Volumes     []string
	Ports       []string
	Networks    networks
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck struct{ Test []string }
	StopGrace   string `yaml:"stop_grace_period"`
	User        string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	MemLimit    string   `yaml:"mem_limit"`
}

// secrets are the names of a service's secrets, which are mounted under these names or at
// places of their own.
type secrets []string

func (s *secrets) UnmarshalYAML(node *yaml.Node) error {
	for _, entry := range node.Content {
		var placed struct{ Source string }
		if entry.Kind == yaml.ScalarNode {
			placed.Source = entry.Value
		} else if err := entry.Decode(&placed); err != nil {
			return err
		}
		*s = append(*s, placed.Source)
	}
	return nil
}

// networks are those of a service, as a list or with its address in each.
type networks map[string]struct {
	Address string `yaml:"ipv4_address"`
}

func (n *networks) UnmarshalYAML(node *yaml.Node) error {
	type plain networks
	if node.Kind == yaml.MappingNode {
		return node.Decode((*plain)(n))
	}
	var names []string
	if err := node.Decode(&names); err != nil {
		return err
	}
	*n = networks{}
	for _, name := range names {
		(*n)[name] = struct {
			Address string `yaml:"ipv4_address"`
		}{}
	}
	return nil
}

func mustCompose(t *testing.T) (c compose, nodes []string) {
	t.Helper()
	c = mustParse[compose](t, "compose.yaml")[0]
	for _, name := range slices.Sorted(maps.Keys(c.Services)) {
		if c.Services[name].Image == "signet" {
			nodes = append(nodes, name)
		}
	}
	if len(nodes) != 3 {
		t.Fatalf("compose.yaml has the servers %q, want three", nodes)
	}
	return c, nodes
}

func TestComposeStartsServersThatTheProgramUnderstands(t *testing.T) {
	c, nodes := mustCompose(t)
	secrets := mustMakeSecrets(t)
	for _, name := range nodes {
		node := c.Services[name]
		cfg := mustLoad(t, "compose.yaml, "+name, node.Environment, filepath.Join(secrets, "signet.yaml"))
		if cfg.Database == "" || cfg.NATS == "" || !strings.HasPrefix(cfg.Blobs, "s3://") {
			t.Errorf("%s shares no database, no NATS or no bucket with the others", name)
		}
		if got := fmt.Sprint(node.Command); got != "[serve]" {
			t.Errorf("%s runs %s", name, got)
		}
		if got := strings.Join(node.Healthcheck.Test, " "); got != "CMD /usr/local/bin/signet health" {
			t.Errorf("%s is asked for its health by %q", name, got)
		}
		if want := c.Services["balancer"].Networks["inside"].Address; !slices.Equal(cfg.Proxies, []string{want}) {
			t.Errorf("%s believes %q, want the address %s of the load balancer alone", name, cfg.Proxies, want)
		}
		grace, err := time.ParseDuration(node.StopGrace)
		if err != nil {
			t.Fatal(err)
		}
		wantLonger(t, name+": stop_grace_period", grace, cfg.Shutdown.Delay+cfg.Shutdown.Grace+afterGrace)
		if !node.ReadOnly || node.User != "65532:65532" || !slices.Contains(node.CapDrop, "ALL") ||
			len(node.SecurityOpt) == 0 {
			t.Errorf("%s may more than it needs", name)
		}
		if !slices.Equal(node.Volumes, []string{name + ":" + cfg.Data}) {
			t.Errorf("%s has volumes %q, want one of its own at %s", name, node.Volumes, cfg.Data)
		}
		for _, path := range []string{"SIGNET_CONFIG", "PGPASSFILE", "AWS_SHARED_CREDENTIALS_FILE", "SIGNET_MASTER_KEY"} {
			if !slices.Contains(node.Secrets,
				strings.TrimPrefix(strings.TrimPrefix(node.Environment[path], "file:"), "/run/secrets/")) {
				t.Errorf("%s: %s is %q, which is not one of its secrets", name, path, node.Environment[path])
			}
		}
	}
}

// No container may more than it needs, nor take the machine's memory; and the servers have
// no key to more than their bucket.
func TestContainersOfComposeAreBounded(t *testing.T) {
	c, _ := mustCompose(t)
	for name, s := range c.Services {
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") ||
			s.MemLimit == "" {
			t.Errorf("%s has the capabilities of its image but %q, %q, and the memory limit %q", name, s.CapDrop, s.SecurityOpt,
				s.MemLimit)
		}
		if strings.Contains(strings.Join(s.EnvFile, " "), "s3.env") != (name == "s3") {
			t.Errorf("%s has the environment %q: the S3 server alone has its root key", name, s.EnvFile)
		}
	}
	made := mustMakeSecrets(t)
	_, root, _ := strings.Cut(mustRead(t, filepath.Join(made, "s3.env")), "ROOT_SECRET_KEY=")
	_, key, _ := strings.Cut(mustRead(t, filepath.Join(made, "aws")), "aws_secret_access_key = ")
	root, key = strings.TrimSpace(root), strings.TrimSpace(key)
	if len(key) != 48 || len(root) != 48 || key == root ||
		!strings.Contains(mustRead(t, filepath.Join(made, "s3_users")), `"secret":"`+key+`","role":"userplus"`) {
		t.Error("the servers' key of the bucket is not that of a user of the S3 server")
	}
}

func TestComposeNamesWhatIsThere(t *testing.T) {
	c, nodes := mustCompose(t)
	secrets := mustMakeSecrets(t)
	for name, s := range c.Services {
		wantNamed(t, c, name, s)
		for _, file := range s.EnvFile {
			mustRead(t, filepath.Join(secrets, strings.TrimPrefix(file, "secrets/")))
		}
		if strings.HasSuffix(s.Image, ":latest") || name != "signet" && !strings.Contains(s.Image, ":") &&
			!slices.Contains(nodes, name) {
			t.Errorf("%s: what image %s is changes by itself", name, s.Image)
		}
	}
	for name, secret := range c.Secrets {
		info, err := os.Stat(filepath.Join(secrets, strings.TrimPrefix(secret.File, "secrets/")))
		if err != nil || info.Mode().Perm()&0o004 == 0 {
			t.Errorf("secret %s: make-secrets makes no file that a container can read (%v)", name, err)
		}
	}
	// The servers' addresses of the others are those of the services.
	node := c.Services[nodes[0]].Environment
	for variable, want := range map[string]string{"SIGNET_DATABASE": "postgres:5432", "SIGNET_KEYRING": "keys:5432",
		"SIGNET_BLOBS": "s3:7070"} {
		if host, _, _ := net.SplitHostPort(want); !strings.Contains(node[variable], want) || c.Services[host].Image == "" {
			t.Errorf("%s is %s, want it at %s", variable, node[variable], want)
		}
	}
	if got := mustRead(t, filepath.Join(secrets, "signet.yaml")); !strings.Contains(got, "@nats:4222") {
		t.Error("NATS is not where the servers look for it")
	}
	if got := fmt.Sprint(c.Services["s3"].Command); !strings.Contains(got, "--port :7070") {
		t.Errorf("the S3 server runs with %s", got)
	}
}

// wantNamed looks for all that a service names.
func wantNamed(t *testing.T, c compose, name string, s service) {
	t.Helper()
	if len(s.Healthcheck.Test) == 0 && name != "bucket" { // which ends
		t.Errorf("%s is not asked for its health", name)
	}
	for other, how := range s.DependsOn {
		if _, there := c.Services[other]; !there || how.Condition == "" {
			t.Errorf("%s waits for %s (%q), which does not come", name, other, how.Condition)
		}
	}
	for _, volume := range s.Volumes {
		if source, _, _ := strings.Cut(volume, ":"); strings.HasPrefix(source, "./") {
			mustRead(t, source)
		} else if _, there := c.Volumes[source]; !there {
			t.Errorf("%s has a volume %s that is not made", name, source)
		}
	}
	for _, secret := range s.Secrets {
		if _, there := c.Secrets[secret]; !there {
			t.Errorf("%s has a secret %s that is not named below", name, secret)
		}
	}
	for network := range s.Networks {
		if _, there := c.Networks[network]; !there {
			t.Errorf("%s is in a network %s that is not made", name, network)
		}
	}
}

func TestTheDatabaseTakesTheConnectionsOfAllServers(t *testing.T) {
	c, nodes := mustCompose(t)
	m := regexp.MustCompile(`max_connections=(\d+)`).FindStringSubmatch(fmt.Sprint(c.Services["postgres"].Command))
	most := 0
	if m == nil {
		t.Fatal("max_connections is not set")
	}
	fmt.Sscan(m[1], &most)
	if need := (len(nodes)+1)*64 + 20; most < need {
		t.Errorf("max_connections is %d, want at least %d", most, need)
	}
}

func TestTheLoadBalancerAsksTheServersOfCompose(t *testing.T) {
	c, nodes := mustCompose(t)
	text := mustRead(t, "haproxy.cfg")
	_, port, _ := net.SplitHostPort(c.Services[nodes[0]].Environment["SIGNET_LISTEN"])
	var asked []string
	for _, m := range regexp.MustCompile(`(?m)^\tserver (\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		asked = append(asked, m[1])
		if m[2] != m[1]+":"+port {
			t.Errorf("haproxy.cfg: %s is at %s, want port %s", m[1], m[2], port)
		}
	}
	if !slices.Equal(asked, nodes) {
		t.Errorf("haproxy.cfg asks %q, and compose.yaml has %q", asked, nodes)
	}
	direct := config.Default()
	for _, line := range []string{"timeout http-request " + direct.Timeouts.Header.String(),
		fmt.Sprintf("reject if { sc_conn_cur(0) gt %d }", direct.Limits.ConnectionsPerAddress),
		"track-sc0 src,ipmask(32,64)", "uri /readyz", "del-header X-Forwarded-For", "set-header X-Forwarded-For %[src]",
		"bind :8080", "bind :8405"} {
		if !strings.Contains(text, line) {
			t.Errorf("haproxy.cfg lacks %q", line)
		}
	}
	// A poll waits for up to 60 s.
	for _, m := range regexp.MustCompile(`timeout (?:client|server|tunnel) (\S+)`).FindAllStringSubmatch(text, -1) {
		if d, err := time.ParseDuration(m[1]); err != nil || d <= time.Minute {
			t.Errorf("haproxy.cfg: %s cuts off polls that wait", m[0])
		}
	}
	// A server that stops goes on until the load balancer has asked it twice, and a moment more.
	m := regexp.MustCompile(`check inter (\S+) fall (\d+)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("haproxy.cfg does not say how often it asks")
	}
	inter, err := time.ParseDuration(m[1])
	fall, err2 := strconv.Atoi(m[2])
	delay, err3 := time.ParseDuration(c.Services[nodes[0]].Environment["SIGNET_SHUTDOWN_DELAY"])
	if errors.Join(err, err2, err3) != nil || delay <= inter*time.Duration(fall) {
		t.Errorf("SIGNET_SHUTDOWN_DELAY is %v, and the load balancer asks every %v, %d times", delay, inter, fall)
	}
	balancer := c.Services["balancer"]
	if !slices.Equal(balancer.Ports, []string{"127.0.0.1:8080:8080"}) ||
		!strings.Contains(strings.Join(balancer.Healthcheck.Test, " "), "127.0.0.1:8405/healthz") {
		t.Errorf("compose.yaml opens %q and asks for health by %q, which haproxy.cfg does not have", balancer.Ports,
			balancer.Healthcheck.Test)
	}
}
