package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// mustGet asks for a page among files that stand for the built ones.
func mustGet(t *testing.T, method, address string) (*http.Response, string) {
	t.Helper()
	return mustAsk(t, fstest.MapFS{
		"index.html":              {Data: []byte("<!doctype html>")},
		"assets/messenger-ABC.js": {Data: []byte("main()")},
		"sw.js":                   {Data: []byte("worker()")},
		"manifest.webmanifest":    {Data: []byte("{}")},
		".gitkeep":                {},
	}, method, address, nil)
}

// mustAsk makes a request to a server that has these files.
func mustAsk(t *testing.T, files fstest.MapFS, method, address string, header http.Header) (*http.Response, string) {
	t.Helper()
	before := dist
	t.Cleanup(func() { dist = before })
	dist = files
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	recorded := httptest.NewRecorder()
	request := httptest.NewRequest(method, address, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	Pages(next).ServeHTTP(recorded, request)
	answer := recorded.Result()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(content)
}

func TestEverythingButThePagesIsTheInterfaces(t *testing.T) {
	for _, test := range []struct {
		method, address string
		status          int
		content         string
	}{
		{"GET", "/", 200, "<!doctype html>"},
		{"HEAD", "/", 200, ""},
		{"GET", "/?a=b", 200, "<!doctype html>"},
		{"GET", "/c/018f", 200, "<!doctype html>"},
		{"GET", "/assets/messenger-ABC.js", 200, "main()"},
		{"GET", "/sw.js", 200, "worker()"},
		{"GET", "/manifest.webmanifest", 200, "{}"},
		{"GET", "/cc", 418, ""},
		{"GET", "/console", 418, ""}, // it is not among the files
		{"POST", "/", 418, ""},
		{"GET", "/v2/user", 418, ""},
		{"GET", "/index.html", 418, ""},
		{"GET", "/assets/", 418, ""},
		{"GET", "/assets/other.js", 418, ""},
		{"GET", "/assets/../.gitkeep", 418, ""},
		{"GET", "/assets/%2e%2e/index.html", 418, ""},
	} {
		answer, content := mustGet(t, test.method, test.address)
		if answer.StatusCode != test.status || content != test.content {
			t.Errorf("%s %s: %d %q, want %d %q", test.method, test.address, answer.StatusCode, content, test.status,
				test.content)
		}
	}
}

func TestPagesLoadNothingOfOthers(t *testing.T) {
	page, _ := mustGet(t, "GET", "/")
	for name, want := range map[string]string{
		"Content-Type":                 "text/html; charset=utf-8",
		"Cache-Control":                "no-cache",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
	} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	source := regexp.MustCompile(`^'(none|self|script)'$|^blob:$|^signet-sw$`)
	directives := strings.Split(page.Header.Get("Content-Security-Policy"), "; ")
	for _, directive := range directives {
		for _, word := range strings.Fields(directive)[1:] {
			if !source.MatchString(word) {
				t.Errorf("the policy admits %s: %s", word, directive)
			}
		}
	}
	if len(directives) != 14 || directives[0] != "default-src 'none'" {
		t.Errorf("the policy is %q", directives)
	}
	script, _ := mustGet(t, "GET", "/assets/messenger-ABC.js")
	if got := script.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("a file whose name changes with its content has Cache-Control %q", got)
	}
	if got := script.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/javascript") {
		t.Errorf("a script has the type %q", got)
	}
	// A worker of yesterday would serve the pages of yesterday.
	worker, _ := mustGet(t, "GET", "/sw.js")
	if got := worker.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the service worker has Cache-Control %q", got)
	}
	manifest, _ := mustGet(t, "GET", "/manifest.webmanifest")
	if got := manifest.Header.Get("Content-Type"); got != "application/manifest+json" {
		t.Errorf("the manifest has the type %q", got)
	}
}
