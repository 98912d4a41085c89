package browsertest

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

	"signet/openapi/openapitest"
)

// watcher hears what a page does, and keeps what it must not do.
type watcher struct {
	t    testing.TB
	host string // that the page is from, with the port

	mu       sync.Mutex // guards problems
	problems []string
}

// watch makes the watcher of a browser, which tells when the test ends.
func watch(t testing.TB, address string) *watcher {
	t.Helper()
	of, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{t: t, host: of.Host}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, problem := range slices.Compact(w.problems) {
			t.Errorf("the page at %s: %s", address, problem)
		}
	})
	return w
}

func (w *watcher) tell(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// heard takes an event of the DevTools protocol.
func (w *watcher) heard(event any) {
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		w.sent(event.Request.Method, event.Request.URL)
	case *network.EventResponseReceived:
		w.answered(event.Response.URL, event.Response.Status)
	case *runtime.EventExceptionThrown:
		w.tell("an exception that nothing caught: %s", thrown(event.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeAssert {
			w.tell("it wrote an error to the console: %s", said(event.Args))
		}
	case *log.EventEntryAdded:
		// The browser notes a call that was refused, or found no server, as an error of the
		// network. Pages handle these; what they asked for is held to the document.
		if event.Entry.Level == log.EntryLevelError && event.Entry.Source != log.EntrySourceNetwork {
			w.tell("the browser noted an error: %s: %s", event.Entry.Source, event.Entry.Text)
		}
	}
}

// sent looks at a request of the page. What the document lacks can only be a file of the
// pages, which answered asks about.
func (w *watcher) sent(method, address string) {
	to, err := url.Parse(address)
	switch {
	case err != nil:
		w.tell("a request to %q: %v", address, err)
	case to.Scheme == "blob" || to.Scheme == "data":
	case to.Host != w.host:
		w.tell("a request to another host: %s", address)
	default:
		lacks := openapitest.Unknown(w.t, method, to)
		if lacks != "" && (lacks != "path" || method != http.MethodGet || called(to)) {
			w.tell("%s %s is a call whose %s the OpenAPI document does not have", method, address, lacks)
		}
	}
}

// answered looks at the answer to a request.
func (w *watcher) answered(address string, status int64) {
	to, err := url.Parse(address)
	if err != nil || to.Host != w.host || to.Path == "/favicon.ico" {
		return // told when it was sent; the browser asks for an icon by itself
	}
	if status == http.StatusInternalServerError || status >= http.StatusBadRequest && !called(to) {
		w.tell("%s was answered with %d", address, status)
	}
}

// called reports whether an address is one of the interface's.
func called(to *url.URL) bool {
	return strings.HasPrefix(to.Path, "/v2/") || strings.HasPrefix(to.Path, "/v5/")
}

// thrown describes an exception, with where it is from.
func thrown(details *runtime.ExceptionDetails) string {
	if details.Exception == nil {
		return details.Text
	}
	return details.Text + " " + cmp.Or(details.Exception.Description, string(details.Exception.Value))
}

// said joins what was written to the console.
func said(args []*runtime.RemoteObject) string {
	var b strings.Builder
	for _, arg := range args {
		fmt.Fprintf(&b, "%s%s ", arg.Value, arg.Description)
	}
	return b.String()
}
