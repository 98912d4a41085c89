package clienttest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"signet/client"
)

// unlimited lets one key send and call as often as it can.
var unlimited = []string{"--limits.messages-per-day=0", "--limits.requests-per-second=0"}

// node runs the tests of one file, in Node.js.
func node(t *testing.T, file string, env ...string) {
	t.Helper()
	compiled := filepath.Join("..", "build", "clienttest", strings.TrimSuffix(file, ".ts")+".js")
	command := exec.CommandContext(t.Context(), "node", "--test", "--test-timeout=300000", "--test-reporter=spec",
		compiled)
	command.Env = append(os.Environ(), env...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", file, err)
	}
	t.Logf("%s", output)
}

func (s server) env(t *testing.T) []string {
	t.Helper()
	return []string{"CLIENT_TEST_URL=" + s.url, "CLIENT_TEST_OPERATOR=" + mustMarshal(t, s.operator)}
}

// TestClient runs all tests in TypeScript that need no more than a server.
func TestClient(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.test.ts")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %v, %v", files, err)
	}
	s := mustServe(t, unlimited...)
	for _, file := range slices.DeleteFunc(files, func(file string) bool { return file == "cuts.test.ts" }) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			node(t, file, s.env(t)...)
		})
	}
}

// TestTortureStream sends more messages to an account than a line carries in one go:
// its stream is to get each of them once, and the messages of each sender in their order.
func TestTortureStream(t *testing.T) {
	t.Parallel()
	const senders = 16
	events := 10_000 / senders
	if os.Getenv("SIGNET_TEST_TORTURE") != "" {
		events = 100_000 / senders
	}
	s := mustServe(t, unlimited...)
	operator := mustConnect(t, s.url, s.operator)
	organization, err := operator.CreateOrganization(t.Context(), "General Hospital", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := operator.CreateUser(t.Context(), organization, client.NewUser{Username: "reader", IssueKey: true})
	if err != nil {
		t.Fatal(err)
	}
	var sending sync.WaitGroup
	defer sending.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range senders {
		name := "sender" + strconv.Itoa(i)
		made, err := operator.CreateUser(t.Context(), organization, client.NewUser{Username: name, IssueKey: true})
		if err != nil {
			t.Fatal(err)
		}
		sender := mustConnect(t, s.url, credentials{made.APIKey, made.APISecret})
		sending.Go(func() {
			for n := range events {
				m := client.Outgoing{Recipient: reader.Token, Body: fmt.Sprintf("%d:%d", i, n)}
				if _, err := sender.Send(ctx, m); err != nil {
					t.Errorf("%s: %v", m.Body, err)
					return
				}
			}
		})
	}
	to, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	line := mustCut(t, to.Host, 64<<10, 512<<10)
	node(t, "cuts.test.ts", "CLIENT_TEST_URL=http://"+line, "CLIENT_TEST_OPERATOR="+mustMarshal(t, s.operator),
		"CLIENT_TEST_READER="+mustMarshal(t, credentials{reader.APIKey, reader.APISecret}),
		"CLIENT_TEST_EVENTS="+strconv.Itoa(events*senders))
}
