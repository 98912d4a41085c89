package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// asFloor makes the test binary serve the floor instead of running tests.
const asFloor = "SIGNET_BENCH_FLOOR"

var program string

func TestMain(m *testing.M) {
	if os.Getenv(asFloor) != "" {
		serveFloor()
		return
	}
	dir, err := os.MkdirTemp("", "signet-bench-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(dir, "signet")
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// mustBuild builds the program once, when a benchmark first needs it.
var mustBuild = sync.OnceValue(func() error {
	build := exec.Command("go", "build", "-trimpath", "-o", program, "signet/cmd/signet")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
})

// serveFloor answers a POST after checking Basic authentication and decoding its
// JSON, and does nothing else.
func serveFloor() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("base URL http://%s\n", l.Addr())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, secret, _ := r.BasicAuth()
		var in struct{ Recipient, Body string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || key == "" || secret == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"status": "success"})
	}))
}

// server is a process under load.
type server struct {
	b      *testing.B
	pid    int
	url    string
	client *http.Client
}

// start runs a command that prints its base URL.
func start(b *testing.B, command *exec.Cmd) *server {
	b.Helper()
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	s := &server{b: b, pid: command.Process.Pid}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
	b.Cleanup(s.client.CloseIdleConnections)
	lines := bufio.NewScanner(out)
	for s.url == "" && lines.Scan() {
		_, s.url, _ = strings.Cut(lines.Text(), "base URL ")
	}
	if s.url == "" {
		b.Fatal("the server does not listen")
	}
	return s
}

func startFloor(b *testing.B) *server {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), asFloor+"=1")
	return start(b, command)
}

// credentials are a key and its secret.
type credentials struct {
	Key    string `json:"api_key"`
	Secret string `json:"api_secret"`
	Token  string `json:"token"`
}

// startSignet runs a server with limits off, and makes an organization of n people.
func startSignet(b *testing.B, n int) (*server, []credentials) {
	b.Helper()
	if err := mustBuild(); err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	s := start(b, exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", dir, "--log.level", "warn",
		"--limits.messages-per-day", "0", "--limits.requests-per-second", "0"))
	text, err := os.ReadFile(filepath.Join(dir, "operator.json"))
	var operator credentials
	if err == nil {
		err = json.Unmarshal(text, &operator)
	}
	if err != nil {
		b.Fatal(err)
	}
	made := s.call(operator, http.MethodPost, "/v2/organization", `{"name":"General Hospital"}`)
	organization := made.header.Get("TT-X-Organization-Key")
	people := make([]credentials, n)
	for i := range people {
		answer := s.call(operator, http.MethodPost, "/v2/user?TT-X-Organization-Key="+organization, fmt.Sprintf(`{"username":"user%d","issue_key":true}`, i))
		var envelope struct{ Reply credentials }
		if err := json.Unmarshal(answer.body, &envelope); err != nil {
			b.Fatal(err)
		}
		people[i] = envelope.Reply
	}
	return s, people
}

type answer struct {
	header http.Header
	body   []byte
}

// call makes one request that must succeed.
func (s *server) call(who credentials, method, path, body string) answer {
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, s.url+path, content)
	if err != nil {
		s.b.Fatal(err)
	}
	request.SetBasicAuth(who.Key, who.Secret)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		s.b.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		s.b.Fatalf("%s %s: %s %v %s", method, path, response.Status, err, got)
	}
	return answer{response.Header, got}
}

// cpu is what the process has used, in user and system mode.
func (s *server) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		s.b.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			s.b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// load runs one operation b.N times on several connections and reports what it
// cost the server.
func (s *server) load(b *testing.B, connections int, operation func(worker int)) {
	var left atomic.Int64
	left.Store(int64(b.N))
	before := s.cpu()
	b.ResetTimer()
	var workers sync.WaitGroup
	for worker := range connections {
		workers.Go(func() {
			for left.Add(-1) >= 0 {
				operation(worker)
			}
		})
	}
	workers.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	b.ReportMetric(float64((s.cpu()-before).Microseconds())/float64(b.N), "server-µs/op")
	b.ReportMetric(0, "ns/op")
}

func body(recipient string) string {
	return `{"recipient":"` + recipient + `","body":"` + strings.Repeat("x", 200) + `"}`
}

func eachLoad(b *testing.B, run func(b *testing.B, connections int)) {
	for _, connections := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) { run(b, connections) })
	}
}

// BenchmarkFloor is the HTTP stack with nothing behind it.
func BenchmarkFloor(b *testing.B) {
	s := startFloor(b)
	eachLoad(b, func(b *testing.B, connections int) {
		who, text := credentials{Key: "key", Secret: "secret"}, body("somebody")
		s.load(b, connections, func(int) { s.call(who, http.MethodPost, "/", text) })
	})
}

// BenchmarkSend sends 200 bytes from one person to another, durably.
func BenchmarkSend(b *testing.B) {
	s, people := startSignet(b, 128)
	eachLoad(b, func(b *testing.B, connections int) {
		s.load(b, connections, func(worker int) {
			s.call(people[worker], http.MethodPost, "/v2/message", body(people[64+worker].Token))
		})
	})
}

// BenchmarkPoll50 reads 50 queued messages.
func BenchmarkPoll50(b *testing.B) {
	s, people := startSignet(b, 65)
	for i := range 64 * 50 {
		s.call(people[64], http.MethodPost, "/v2/message", body(people[i%64].Token))
	}
	eachLoad(b, func(b *testing.B, connections int) {
		s.load(b, connections, func(worker int) { s.call(people[worker], http.MethodGet, "/v2/events?limit=50", "") })
	})
}

// BenchmarkPollAndAcknowledge reads one message and acknowledges it. What is
// measured has three calls: the send as well.
func BenchmarkPollAndAcknowledge(b *testing.B) {
	s, people := startSignet(b, 128)
	eachLoad(b, func(b *testing.B, connections int) {
		s.load(b, connections, func(worker int) {
			s.call(people[worker], http.MethodPost, "/v2/message", body(people[64+worker].Token))
			got := s.call(people[64+worker], http.MethodGet, "/v2/events?limit=1", "")
			_, rest, _ := strings.Cut(string(got.body), `"event_id":"`)
			id, _, _ := strings.Cut(rest, `"`)
			s.call(people[64+worker], http.MethodPost, "/v2/events/ack", `{"events":["`+id+`"]}`)
		})
	})
}

// BenchmarkUnread reads the unread count.
func BenchmarkUnread(b *testing.B) {
	s, people := startSignet(b, 65)
	for i := range 64 {
		s.call(people[64], http.MethodPost, "/v2/message", body(people[i].Token))
	}
	eachLoad(b, func(b *testing.B, connections int) {
		s.load(b, connections, func(worker int) { s.call(people[worker], http.MethodGet, "/v2/user/me/message/unread_count", "") })
	})
}

// BenchmarkGroup sends to a group whose members are away.
func BenchmarkGroup(b *testing.B) {
	for _, members := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			s, people := startSignet(b, members)
			tokens := make([]string, len(people))
			for i := range people {
				tokens[i] = people[i].Token
			}
			made := s.call(people[0], http.MethodPost, "/v2/group", `{"members":"`+strings.Join(tokens, ",")+`"}`)
			group := made.header.Get("TT-X-Group-Token")
			b.ResetTimer()
			before := s.cpu()
			s.load(b, 16, func(worker int) {
				s.call(people[worker%len(people)], http.MethodPost, "/v2/message", body(group))
			})
			b.ReportMetric(float64((s.cpu()-before).Microseconds())/float64(b.N)/float64(members), "server-µs/member")
		})
	}
}
