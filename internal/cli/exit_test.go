package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"signet/client"
	"signet/internal/handover"
	"signet/internal/home"
	"signet/internal/model"
)

func TestExitCodeOfAnError(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{errors.New("x"), exitFailed},
		{wrongConfiguration{errors.New("x")}, exitWrong},
		{home.Misconfigured{Err: errors.New("x")}, exitWrong},
		{fmt.Errorf("send: %w", client.ErrArgument), exitWrong},
		{&client.Error{Status: 400}, exitRefused},
		{fmt.Errorf("rows: %w", &client.Error{Status: 403}), exitRefused},
		{&client.Error{Status: 413}, exitRefused},
		{&client.Error{Status: 401}, exitCredentials},
		{&client.Error{Status: 404}, exitNotFound},
		{&client.Error{Status: 429}, exitLimited},
		{&client.Error{Status: 500}, exitFailed},
		{&client.Error{Status: 502}, exitUnreachable},
		{&client.Error{Status: 503}, exitUnreachable},
		{fmt.Errorf("GET /x: %w", client.ErrUnreachable), exitUnreachable},
		{client.ErrSilent, exitUnreachable},
		{client.ErrProtocol, exitUnreachable},
		{fmt.Errorf("/data: %w", handover.ErrNobody), exitUnreachable},
		{errors.Join(client.ErrUnreachable, context.Canceled), exitFailed},
		{model.Missing(), exitNotFound},
		{model.UnderHold(), exitRefused},
		{errors.Join(errors.New("x"), model.Missing()), exitNotFound},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.err, got, tt.want)
		}
	}
}

// TestExitCodesAreDocumented compares the table of docs/operate/tasks.md with the one of the program.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate/tasks.md")
	if err != nil {
		t.Fatal(err)
	}
	for code, meaning := range exitMeanings {
		if line := fmt.Sprintf("\n| %d | %s |\n", code, meaning); !strings.Contains(string(page), line) {
			t.Errorf("docs/operate/tasks.md has no line%s", line)
		}
	}
}

// Every command has --json, and says what went wrong as one object: what its own flags lack, what a server
// refuses, and that none answers.
func TestErrorsAreJSON(t *testing.T) {
	s := newStub(t)
	away := []string{"SIGNET_URL=http://127.0.0.1:1", "SIGNET_API_KEY=k", "SIGNET_API_SECRET=s"}
	for _, tt := range []struct {
		args string
		env  []string
		want failure // its message is a part of the whole
	}{
		{"user lookup nobody --json", s.env(), failure{Exit: exitNotFound, Message: "The associated lookup was not found.",
			Status: 404, Code: "not_found"}},
		{"user show --json", away, failure{Exit: exitUnreachable, Message: "connection refused"}},
		{"--json user create --username x", s.env(), failure{Exit: exitWrong, Message: "missing flags: --org"}},
		{"nonsense --json", nil, failure{Exit: exitWrong, Message: "unexpected argument nonsense"}},
		{"audit verify --json --data " + t.TempDir(), nil, failure{Exit: exitFailed,
			Message: "is no data directory of a server"}},
		{"send bob --json=true --ttl soon", s.env(), failure{Exit: exitWrong, Message: "or never, not"}},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := Run(t.Context(), strings.Fields(tt.args), tt.env, &stdout, &stderr)
			var got struct{ Error failure }
			first, _, _ := strings.Cut(stderr.String(), "\n")
			if err := json.Unmarshal([]byte(first), &got); err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			for line := range strings.Lines(stderr.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("a line is not JSON: %s", line)
				}
			}
			message := got.Error.Message
			if strings.Contains(message, strings.TrimSpace(tt.want.Message)) {
				got.Error.Message = tt.want.Message
			}
			got.Error.RequestID, got.Error.Field = "", ""
			if got.Error != tt.want || code != tt.want.Exit || stdout.Len() > 0 {
				t.Errorf("got exit code %d and %+v with %q, want %+v", code, got.Error, message, tt.want)
			}
		})
	}
}

// What commands print without a form of its own is JSON too.
func TestMessagesAreJSON(t *testing.T) {
	var stdout bytes.Buffer
	con := &console{stdout: &stdout, asJSON: true}
	con.printf("one <&>\ntwo\n\n")
	if err := con.lines(cells("a", "b"), "c"); err != nil {
		t.Fatal(err)
	}
	const want = `{"message":"one <&>"}` + "\n" + `{"message":"two"}` + "\n" + `{"message":"a  b"}` + "\n" +
		`{"message":"c"}` + "\n"
	if got := stdout.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Each command of the program says in its help that it has --json.
func TestEveryCommandTakesJSON(t *testing.T) {
	parser, err := kong.New(newCommands(nil), kong.Vars{"version": ""},
		kong.ExplicitGroups([]kong.Group{settingsGroup, clientGroup}))
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(true)
	if len(leaves) < 50 {
		t.Fatalf("found %d commands", len(leaves))
	}
	for _, leaf := range leaves {
		found := 0
		for _, group := range leaf.AllFlags(true) {
			for _, flag := range group {
				if flag.Name == "json" {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%s has %d flags --json", leaf.FullPath(), found)
		}
	}
}
