package browsertest

import (
	"context"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browse opens an address in a browser of its own, which ends with the test. What the
// page does against its promises fails the test when it ends.
func Browse(t testing.TB, address string, options ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("the tests need Chromium (Debian: apt-get install chromium): %v", err)
	}
	w := watch(t, address)
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1280, 800))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(all, options...)...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator, chromedp.WithListener(w.heard))
	t.Cleanup(end)
	// The browser lasts as long as the context of the first call.
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	return ctx
}
