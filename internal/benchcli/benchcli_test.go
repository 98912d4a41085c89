package benchcli

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/load"
	"signet/internal/testenv"
)

// quickly are flags that make a run a short one.
var quickly = []string{"--duration=100ms", "--warmup=0s", "--connections=2"}

func mustBench(t *testing.T, dir string, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := run(t, nil, slices.Concat(args, quickly, []string{"--data", dir})...)
	if code != exitDone || stderr != "" {
		t.Fatalf("%q: exit code %d, %q", args, code, stderr)
	}
	return stdout
}

func TestPrintsATable(t *testing.T) {
	dir := mustServe(t)
	lines := strings.Split(mustBench(t, dir, "group", "--members=3"), "\n")
	head, row := strings.Fields(lines[0]), strings.Fields(lines[1])
	if want := []string{"scenario", "members", "connections", "operations", "ops/s", "copies/s", "errors", "p50", "ms",
		"p90", "p99", "p99.9", "max"}; !slices.Equal(head[:len(want)], want) {
		t.Errorf("the table's head is %q, want it to begin with %q", head, want)
	}
	if want := []string{"group", "3", "2"}; !slices.Equal(row[:3], want) || row[3] == "0" || row[6] != "0" {
		t.Errorf("the row is %q, want it to begin with %q, then some operations, and no error", row, want)
	}
	if strings.Contains(lines[0], "database") || strings.Contains(lines[0], "rate") {
		t.Errorf("the table %q has columns of what was not measured", lines[0])
	}
}

// The fields of a result are what scripts read: none may go away.
func TestJSONHasTheFieldsThatScriptsRead(t *testing.T) {
	dir := mustServe(t)
	var got map[string]any
	if err := json.Unmarshal([]byte(mustBench(t, dir, "send", "--json", "--rate=100", "--request-id")), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"connections", "errors", "latency_ms", "operations", "operations_per_second", "payload_bytes", "rate",
		"request_id", "scenario", "seconds"}
	if canReadUsage() {
		want = append(want, "floor", "generator", "server")
		slices.Sort(want)
	}
	// On a busy machine some of what was due has not begun by the end.
	unstarted, _ := got["unstarted"].(float64)
	delete(got, "unstarted")
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, want) {
		t.Errorf("the fields are %q, want %q", keys, want)
	}
	for what, fields := range map[string][]string{
		"latency_ms": {"max", "mean", "p50", "p90", "p99", "p99_9"},
		"server":     {"cores", "cpu_us_per_operation", "memory_bytes"},
		"floor":      {"cpu_ratio", "cpu_us_per_operation", "latency_ms", "operations_per_second", "throughput_ratio"},
	} {
		inner, _ := got[what].(map[string]any)
		if keys := slices.Sorted(maps.Keys(inner)); got[what] != nil && !slices.Equal(keys, fields) {
			t.Errorf("the fields of %s are %q, want %q", what, keys, fields)
		}
	}
	if done, _ := got["operations"].(float64); done == 0 || done+unstarted != 10 || got["rate"] != 100.0 ||
		got["scenario"] != "send" {
		t.Errorf("100 a second for 100 ms came to %v operations of %v, and %v that did not begin", got["operations"],
			got["scenario"], unstarted)
	}
}

func TestSoakHasSamplesOnTheWay(t *testing.T) {
	dir := mustServe(t)
	var got load.Result
	stdout := mustBench(t, dir, "soak", "--json", "--members=10", "--sample=20ms")
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Scenario != load.Soak || len(got.Samples) == 0 || got.Samples[0].Seconds == 0 {
		t.Errorf("the result is %+v, want samples in it", got)
	}
}

func TestRunMeasuresAServerOfItsOwn(t *testing.T) {
	testenv.Long(t)
	dir := t.TempDir()
	code, stdout, stderr := run(t, nil, "run", "unread", "--quick", "--json", "--dir", dir)
	if code != exitDone {
		t.Fatalf("exit code %d, %q", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if want := len(load.Set(time.Second, 0, load.Unread)); len(lines) != want {
		t.Errorf("%d lines, want one for each of the scenario's %d plans", len(lines), want)
	}
	for _, line := range lines {
		var got load.Result
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Operations == 0 || got.Failed() > 0 {
			t.Errorf("got %s, %v", line, err)
		}
		if canReadUsage() && (got.Server == nil || got.Server.Memory == 0 || got.Floor == nil ||
			got.Floor.OperationsPerSecond == 0) {
			t.Errorf("the server's use or the floor is missing: %s", line)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left of it, %v", len(left), err)
	}
}

func TestRunSaysThatItFindsNoServer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, _, stderr := run(t, nil, "run", "--dir", t.TempDir())
	if code != exitWrong || !strings.Contains(stderr, "--program") {
		t.Errorf("exit code %d, %q; want 2 and how to name one", code, stderr)
	}
}

func TestFloorAloneNeedsNoServer(t *testing.T) {
	code, stdout, stderr := run(t, nil, append([]string{"floor", "--json"}, quickly...)...)
	var got load.Result
	if err := json.Unmarshal([]byte(stdout), &got); code != exitDone || err != nil || got.Operations == 0 ||
		got.Scenario != load.Floor {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

// A run in which something failed has failed, and says what.
func TestFailsWhenOperationsDo(t *testing.T) {
	testenv.Long(t)
	dir := mustServe(t, "--limits.messages-per-day=3")
	operator := mustReadOperator(t, dir)
	admin := mustMakeAdministrator(t, operator.Base_URL, operator.API_Key, operator.API_Secret)
	env := []string{"SIGNET_URL=" + operator.Base_URL, "SIGNET_API_KEY=" + admin.APIKey,
		"SIGNET_API_SECRET=" + admin.APISecret}
	// More than the three messages a day that a key may send, however slow the machine is.
	code, stdout, stderr := run(t, env, "send", "--connections=1", "--duration=2s", "--warmup=0s", "--rate=100",
		"--no-floor")
	if code != exitFailed || !strings.Contains(stderr, "operations failed") || !strings.Contains(stdout, "daily_limit") ||
		!strings.Contains(stdout, "An operator's key") {
		t.Errorf("exit code %d, output %q and %q; want 1, which calls failed and what helps", code, stdout, stderr)
	}
}

// mustMakeAdministrator makes an account with an administrative key, that is no
// operator.
func mustMakeAdministrator(t *testing.T, url, key, secret string) *client.IssuedKey {
	t.Helper()
	operator, err := client.New(url, key, secret)
	if err != nil {
		t.Fatal(err)
	}
	defer operator.Close()
	org, err := operator.CreateOrganization(t.Context(), "General Hospital", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	dana, err := operator.CreateUser(t.Context(), org, client.NewUser{Username: "dana"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.GrantRole(t.Context(), dana.Token, org, client.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	issued, err := operator.CreateKey(t.Context(), dana.Token, client.NewKey{Kind: client.AdministrativeKey})
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

func TestInterruptedCleansUpAndFails(t *testing.T) {
	dir := mustServe(t)
	operator := mustReadOperator(t, dir)
	c, err := client.New(operator.Base_URL, operator.API_Key, operator.API_Secret)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr bytes.Buffer
	code := make(chan int)
	go func() {
		code <- Run(ctx, []string{"unread", "--duration=1h", "--warmup=0s", "--no-floor", "--data", dir}, nil,
			&stdout, &stderr)
	}()
	// Whatever it is at once its organization is there.
	for organizations := 0; organizations == 0; {
		list, err := c.UserOrganizations(t.Context(), "me")
		if err != nil {
			t.Fatal(err)
		}
		organizations = len(list)
	}
	interrupt()
	if got := <-code; got != exitFailed || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit code %d, %q; want 1 and that it was interrupted", got, &stderr)
	}
	if list, err := c.UserOrganizations(t.Context(), "me"); err != nil || len(list) > 0 {
		t.Errorf("%d organizations are left, %v", len(list), err)
	}
	if keys, err := c.Keys(t.Context(), "me"); err != nil || len(keys) != 1 {
		t.Errorf("the operator has %d keys, %v; want its own", len(keys), err)
	}
}

func TestRefusesProcessesThatItCannotRead(t *testing.T) {
	dir := mustServe(t)
	code, _, stderr := run(t, nil, "send", "--pid=2147483647", "--data", dir)
	if code != exitWrong || !strings.Contains(stderr, "2147483647") {
		t.Errorf("exit code %d, %q; want 2 and the process named", code, stderr)
	}
}

// canReadUsage tells whether what processes use can be read here.
func canReadUsage() bool { return load.Running(os.Getpid()) }
