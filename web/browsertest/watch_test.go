package browsertest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// watched is a test that keeps what it is told, and ends when it is told to.
type watched struct {
	testing.TB
	mu       sync.Mutex // guards what follows
	said     strings.Builder
	cleanups []func()
}

func (w *watched) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }

func (w *watched) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, arg := range args {
		w.said.WriteString(arg.(string) + "\n")
	}
}

// TestWhatPagesMustNotDoIsTold: each fault of a page that has them all is named.
func TestWhatPagesMustNotDoIsTold(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "script-src 'self' 'sha256-no'; require-trusted-types-for 'script'")
			_, _ = w.Write([]byte(`<script src="/page.js"></script><script>inline()</script>`))
		case "/page.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(`
				const calls = ["/v2/nothing", "/v2/events?limits=5", "/page.json", "http://signet.test/v2/user", "/v2/user"];
				const all = calls.map((address) => fetch(address).catch(() => undefined));
				all.push(fetch("/v2/user", { method: "PATCH" }));
				console.error("all is", "lost");
				Promise.all(all).then(() => {
					document.title = "over";
					throw new Error("nobody catches this");
				});`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer page.Close()
	w := &watched{TB: t}
	ctx := Browse(w, page.URL)
	over := chromedp.PollFunction[bool](`() => document.title === "over"`, chromedp.WithPollingTimeout(Patience))
	if _, err := chromedp.Run(ctx, over); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[int]("1")); err != nil { // what was thrown is heard by then
		t.Fatal(err)
	}
	for i := len(w.cleanups) - 1; i >= 0; i-- {
		w.cleanups[i]()
	}
	said := w.said.String()
	for _, want := range []string{
		"/v2/nothing is a call whose path the OpenAPI document does not have",
		"limits=5 is a call whose parameter limits of the query the OpenAPI document does not have",
		"PATCH " + page.URL + "/v2/user is a call whose method",
		"/page.json was answered with 404",
		"a request to another host: http://signet.test/v2/user",
		`"all is" "lost"`,
		"nobody catches this",
		"Content Security Policy",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(said, "user was answered") || strings.Contains(said, "GET "+page.URL+"/v2/user") {
		t.Error("it speaks of a known call that was refused")
	}
	if t.Failed() {
		t.Logf("it says\n%s", said)
	}
}
