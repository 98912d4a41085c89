package clienttest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"signet/web/browsertest"
)

// TestClientInABrowser signs a page of the server's own in, whose cookie then stands for
// credentials in calls, uploads and streams, and out again.
func TestClientInABrowser(t *testing.T) {
	t.Parallel()
	s := mustServe(t)
	mustPeople(t, s)
	browser := browsertest.Browse(t, s.url+"/healthz")
	story := mustRead(t, "../build/clienttest/page.bundle.js") +
		`; page.story("bob@example.com", "correct horse battery")`
	got, err := chromedp.Run(browser, chromedp.Evaluate[[]string](story, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`signed in as Bob, cookies that scripts see: ""`,
		"sent, with progress",
		"heard of labs.png",
		"got the same image/png",
		"refused: 400 ttl",
		"AbortError",
		"refused: 401 undefined",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the page tells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
