package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// browserAt opens the page that a command says on its standard error, once the command has said it, as the server's
// answer would send a browser on: to the command, with a code and the state.
type browserAt struct {
	bytes.Buffer
	open func(page *url.URL)
}

func (b *browserAt) Write(text []byte) (int, error) {
	n, err := b.Buffer.Write(text)
	if at := strings.Index(b.String(), "http"); at >= 0 && b.open != nil {
		if line, _, whole := strings.Cut(b.String()[at:], "\n"); whole {
			page, _ := url.Parse(line)
			open := b.open
			b.open = nil
			go open(page)
		}
	}
	return n, err
}

func TestLoginTakesTheCodeOfTheBrowserThatItSent(t *testing.T) {
	testenv.Clear()
	s := newStub(t)
	s.answers["GET /v2/session/providers"] = data(`[{"id":"o1","name":"N"}]`)
	s.answers["POST /v2/session/oidc/o1/key"] = data(`{"user":` + testUser +
		`,"auth":{"key":"k1","secret":"s'1","resource":"signet"}}`)
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		opened := make(chan string, 1)
		stderr := &browserAt{open: func(page *url.URL) {
			query := page.Query()
			back := "http://127.0.0.1:" + query.Get("port") + "/?code=the+code&state="
			_, wrong := visit(back + "another")
			_, right := visit(back + query.Get("state"))
			opened <- wrong + right
		}}
		args := []string{"login", "ann@example.com", "--server", s.url}
		want := "export SIGNET_URL='" + s.url + "'\nexport SIGNET_API_KEY='k1'\nexport SIGNET_API_SECRET='s'\\''1'\n"
		if asJSON {
			args, want = append(args, "--json"), `{"base_url":"`+s.url+`","api_key":"k1","api_secret":"s'1"}`+"\n"
		}
		if code := Run(context.Background(), args, nil, &out, stderr); code != 0 || out.String() != want {
			t.Errorf("got %d %q, want %q; said %q", code, out.String(), want, stderr.String())
		}
		if said := <-opened; !strings.Contains(said, "not the sign-in") || !strings.Contains(said, "You are signed in") {
			t.Errorf("the browser saw %q", said)
		}
	}
	got := strings.Join(s.requests(), "\n")
	if !strings.Contains(got, "GET /v2/session/providers?login=ann%40example.com") ||
		!strings.Contains(got, `POST /v2/session/oidc/o1/key {"code":"the code","code_verifier":"`) {
		t.Errorf("the server got %s", got)
	}
}

// visit reads a page.
func visit(page string) (status int, text string) {
	answer, err := http.Get(page)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	content, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content)
}

func TestLoginSaysWhereNobodySignsInWithAProvider(t *testing.T) {
	s := newStub(t)
	s.answers["GET /v2/session/providers"] = data(`[]`)
	for args, want := range map[string]string{
		"login ann@example.com --server " + s.url: "nobody signs in at",
		"login --server " + s.url:                 "name an e-mail address, or a provider",
		"login ann@example.com":                   "name the server with --server",
	} {
		var out, stderr bytes.Buffer
		if code := Run(t.Context(), strings.Fields(args), []string{"SIGNET_DATA=" + t.TempDir()}, &out, &stderr); code == 0 ||
			!strings.Contains(stderr.String(), want) {
			t.Errorf("%s: got %d %q, want %q", args, code, stderr.String(), want)
		}
	}
}
