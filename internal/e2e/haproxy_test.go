package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// balancerConfig is the load balancer's, as it is delivered.
const balancerConfig = "../../deploy/haproxy.cfg"

// mustFindHAProxy returns the path of HAProxy, which may not be on the PATH of people.
func mustFindHAProxy(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"haproxy", "/usr/sbin/haproxy", "/usr/local/sbin/haproxy"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("these tests need HAProxy, and there is none on this machine: install it (Debian: apt-get install haproxy; " +
		"it need not run)")
	return ""
}

// haproxy is a HAProxy that runs with the configuration that is delivered, but for the
// addresses.
type haproxy struct {
	t       *testing.T
	address string // of the interface
	health  string // of its own health
	log     log
	process *exec.Cmd
	ended   chan struct{}
}

// mustBalanceBy starts a HAProxy that may open so many files (0: as many as this process),
// in front of servers, node1 first.
func mustBalanceBy(t *testing.T, files int, servers ...string) *haproxy {
	t.Helper()
	text, err := os.ReadFile(balancerConfig)
	if err != nil {
		t.Fatal(err)
	}
	h := &haproxy{t: t, address: mustFindAddress(t), health: mustFindAddress(t), ended: make(chan struct{})}
	replace := []string{"bind :8080", "bind " + h.address, "bind :8405", "bind " + h.health}
	for i := range clusterNodes {
		from := fmt.Sprintf("\tserver node%d node%d:8080\n", i+1, i+1)
		to := ""
		if i < len(servers) {
			to = fmt.Sprintf("\tserver node%d %s\n", i+1, servers[i])
		}
		if !strings.Contains(string(text), from) {
			t.Fatalf("%s has no line %q", balancerConfig, from)
		}
		replace = append(replace, from, to)
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(replace...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	h.process = limited(files, mustFindHAProxy(t), "-db", "-f", path)
	h.process.Stdout, h.process.Stderr = &h.log, &h.log
	if err := h.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = h.process.Wait() // its log says why
		close(h.ended)
	}()
	t.Cleanup(func() {
		_ = h.process.Process.Kill()
		<-h.ended
		if t.Failed() {
			t.Logf("HAProxy logged:\n%s", h.log.tail())
		}
	})
	return h
}

// limited is a command that may open so many files, and cannot raise that.
func limited(files int, command ...string) *exec.Cmd {
	if files == 0 {
		return exec.Command(command[0], command[1:]...)
	}
	script := fmt.Sprintf(`ulimit -n %d && exec "$@"`, files)
	return exec.Command("sh", append([]string{"-c", script, "sh"}, command...)...)
}

func mustFindAddress(t *testing.T) string {
	t.Helper()
	address, err := testenv.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// healthy waits until HAProxy says how its own health is, and reports whether it has a server.
func (h *haproxy) healthy() bool {
	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := once.Get("http://" + h.health + "/healthz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close() // nothing of it is read
	return answer.StatusCode == http.StatusOK
}

// The load balancer starts where a process may open as many files as usual: 1,024 by a
// shell, 4,096 on older systems, half a million by systemd; and however many this one may.
func TestLoadBalancerStartsWithUsualLimitsOfFiles(t *testing.T) {
	t.Parallel()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	backend := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go backend.Serve(listener)
	t.Cleanup(func() { backend.Close() })
	for _, files := range []int{1024, 4096, 65536, 524288, 1048576, 0} {
		if uint64(files) > limit.Max {
			continue // which a machine that has fewer cannot give
		}
		t.Run(fmt.Sprint(files), func(t *testing.T) {
			t.Parallel()
			check := limited(files, mustFindHAProxy(t), "-c", "-f", balancerConfig)
			if out, err := check.CombinedOutput(); err != nil || strings.Contains(string(out), "WARNING") {
				t.Errorf("haproxy -c: %v\n%s", err, out)
			}
			h := mustBalanceBy(t, files, listener.Addr().String())
			eventually(t, "it has its server", func() bool {
				select {
				case <-h.ended:
					t.Fatalf("HAProxy has ended:\n%s", h.log.tail())
				default:
				}
				return h.healthy()
			})
			if strings.Contains(h.log.String(), "FD limit") {
				t.Errorf("HAProxy said:\n%s", h.log.String())
			}
		})
	}
}

// TestLoadBalancerFailsNoRequestWhileServersAreReplaced: two servers behind HAProxy stop and
// start one after the other, while people send and read. Nobody gets an error, or has to
// repeat a request. Their delay is twice what compose.yaml gives them, since other tests may
// keep this machine busy.
func TestLoadBalancerFailsNoRequestWhileServersAreReplaced(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	delay := 2 * composedDelay(t)
	c := mustServeNodes(t, 2, postgrestest.URL(t), "--trusted-proxies=127.0.0.1", "--shutdown.delay="+delay.String())
	for _, node := range c.nodes {
		node.listen = node.address() // where HAProxy finds it again
	}
	h := mustBalanceBy(t, 0, c.nodes[0].address(), c.nodes[1].address())
	eventually(t, "HAProxy has a server", h.healthy)
	people := c.nodes[0].mustPeople(append(campaigners(), "listener")...)
	transport := &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 64, DisableCompression: true}
	transport.DialContext = (&server{addr: h.address}).dial
	t.Cleanup(transport.CloseIdleConnections)
	through := &http.Client{Transport: transport}
	listener := people[len(people)-1].through(t, through)
	heard := messagesTo(t, listener)
	campaign := newCampaign(t, people[:len(people)-1], through, 0)
	campaign.impatient(through)
	campaign.wage(5*time.Minute, func() {
		for n, node := range c.nodes {
			eventually(t, "both servers take messages", func() bool {
				return t.Failed() || c.nodes[0].sends() && c.nodes[1].sends()
			})
			node.stop()
			campaign.waitForProgress(100) // by the other one
			node.mustStart()
			mustSend(t, people[2].through(t, through), client.Outgoing{Recipient: "listener", Body: fmt.Sprint(n)})
			wantNext(t, "the load balancer", heard, fmt.Sprint(n))
		}
	})
	c.end()
	if n := repeats(campaign.senders); n > 0 {
		t.Errorf("%d messages were repeated", n)
	}
	t.Logf("%d messages", campaign.total())
}

// sends reports whether the process that runs has taken messages.
func (s *server) sends() bool { return s.mustReadMetrics()["signet_messages_sent_total"] > 0 }

// composedDelay is the shutdown.delay of the servers of compose.yaml.
func composedDelay(t *testing.T) time.Duration {
	t.Helper()
	var file struct {
		Services map[string]struct{ Environment map[string]string }
	}
	mustDecode(t, "../../deploy/compose.yaml", &file)
	delay, err := time.ParseDuration(file.Services["node1"].Environment["SIGNET_SHUTDOWN_DELAY"])
	if err != nil || delay == 0 {
		t.Fatalf("compose.yaml gives servers no delay: %v", err)
	}
	return delay
}
