package apidocs

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// TestExamplesAnswerAsPrinted carries out the examples of each page, from top to
// bottom, on a server of its own with the people whom the README introduces, and
// compares every answer with the one that is printed.
func TestExamplesAnswerAsPrinted(t *testing.T) {
	t.Parallel()
	for _, name := range mustListPages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			examples := mustReadExamples(t, name)
			if len(examples) == 0 {
				return // a page about what all calls have in common
			}
			cast := apptest.Start(t, func(cfg *config.Config) {
				cfg.Egress.Webhooks = []string{"hooks.example.com"}
				cfg.Egress.Issuers = []string{"login.example.com"}
			}).People()
			play := &play{t: t, cast: cast, http: cast.NewHTTPClient()}
			play.names.Set("org", cast.Organization)
			play.names.Set("base URL", cast.URL)
			play.names.Set("port", cast.URL[strings.LastIndexByte(cast.URL, ':')+1:])
			for _, p := range []*apptest.Person{cast.Alice, cast.Bob, cast.Carol, cast.Dana, cast.Operator} {
				play.names.SetPerson(p)
			}
			for _, e := range examples {
				play.line = fmt.Sprintf("%s:%d", name, e.line)
				play.run(e)
			}
		})
	}
}

// mustListPages lists the pages about the interface.
func mustListPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("found the pages %v, %v", pages, err)
	}
	return pages
}

// example is one printed block. Only one of its parts is set, but for the first
// block of a stream, which is an answer and its first lines.
type example struct {
	line    int
	request *apptest.Request
	answer  *apptest.Answer // headers: only those that are printed
	frames  []string        // of a stream that is open already
}

var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// mustReadExamples reads the blocks of a page that are marked as http: requests
// and answers in turn; and as sse or websocket: what comes on the stream that was
// opened last.
func mustReadExamples(t *testing.T, page string) (out []example) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	open := false // a request waits for its answer
	for _, place := range block.FindAllStringSubmatchIndex(string(text), -1) {
		if page == "typescript.md" {
			continue // web/tests/client carries its examples out
		}
		kind, content := string(text[place[2]:place[3]]), string(text[place[4]:place[5]])
		e := example{line: 1 + strings.Count(string(text[:place[0]]), "\n")}
		switch kind {
		case "http":
			if strings.HasPrefix(content, "HTTP/") {
				e.answer = mustReadAnswer(t, content)
			} else {
				e.request = mustReadRequest(t, content)
			}
			if open != (e.answer != nil) {
				t.Fatalf("%s:%d: requests and answers do not take turns", page, e.line)
			}
			open = e.request != nil
		case "sse", "websocket":
			e.frames = strings.Split(strings.TrimRight(content, "\n"), "\n")
		case "json", "js", "text", "yaml": // what the server sends to others, or what they are given
			continue
		default:
			t.Fatalf("%s:%d: nothing carries out examples in %s", page, e.line, kind)
		}
		out = append(out, e)
	}
	if open {
		t.Fatalf("%s: the last request has no answer", page)
	}
	return out
}

// splitHead returns the first line, the headers and the body of a printed message.
func splitHead(t *testing.T, content string) (first string, headers [][2]string, body string) {
	t.Helper()
	head, body, _ := strings.Cut(content, "\n\n")
	lines := strings.Split(strings.TrimRight(head, "\n"), "\n")
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("%q is no header", line)
		}
		headers = append(headers, [2]string{name, value})
	}
	return lines[0], headers, strings.TrimRight(body, "\n")
}

func mustReadRequest(t *testing.T, content string) *apptest.Request {
	t.Helper()
	first, headers, body := splitHead(t, content)
	method, target, ok := strings.Cut(first, " ")
	if !ok || !strings.HasPrefix(target, "/") {
		t.Fatalf("%q is no request", first)
	}
	for _, h := range headers {
		if h[0] == "Content-Type" && strings.HasPrefix(h[1], "multipart/") {
			body = strings.ReplaceAll(body, "\n", "\r\n") + "\r\n"
		}
	}
	return &apptest.Request{Method: method, Target: target, Header: headers, Body: body}
}

func mustReadAnswer(t *testing.T, content string) *apptest.Answer {
	t.Helper()
	first, headers, body := splitHead(t, content)
	a := &apptest.Answer{Header: http.Header{}, Body: body}
	if _, err := fmt.Sscanf(first, "HTTP/1.1 %d", &a.Status); err != nil ||
		first != fmt.Sprintf("HTTP/1.1 %d %s", a.Status, http.StatusText(a.Status)) {
		t.Fatalf("%q is no status", first)
	}
	for _, h := range headers {
		a.Header[h[0]] = append(a.Header[h[0]], h[1])
	}
	return a
}
