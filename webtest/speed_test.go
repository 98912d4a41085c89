package webtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"signet/client"
)

// mustServeMuch starts a server without limits to what a key may send, with Alice and Bob.
func mustServeMuch(b *testing.B) place {
	b.Helper()
	s := mustServe(b, "--limits.messages_per_day", "0", "--limits.requests_per_second", "0")
	return mustFill(b, s, client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
}

// send sends messages of one account, 16 at a time.
func (p place) send(b *testing.B, from string, messages []client.Outgoing) {
	b.Helper()
	var running sync.WaitGroup
	for part := range slices.Chunk(messages, (len(messages)+15)/16) {
		running.Go(func() {
			for _, message := range part {
				if _, err := p.clients[from].Send(b.Context(), message); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// percentile returns the value that a share of the sorted values does not exceed.
func percentile(sorted []float64, share float64) float64 {
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// watchFirstView has pages note when they first show conversations, in milliseconds since they were asked for, and
// loads them without the browser's cache.
func watchFirstView(ctx context.Context, target *chromedp.Target) error {
	_, err := cdp.Call(ctx, target, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	if err != nil {
		return err
	}
	_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `requestAnimationFrame(function look(now) {
			if (document.querySelectorAll(".conversations li button").length > 5) window.firstView = now;
			else requestAnimationFrame(look);
		})`})
	return err
}

// BenchmarkPagesFirstView loads the messenger without a cache, until the list of conversations is seen.
func BenchmarkPagesFirstView(b *testing.B) {
	for _, conversations := range []int{20, 10_000} {
		b.Run(fmt.Sprintf("conversations=%d", conversations), func(b *testing.B) {
			p := mustServeMuch(b)
			var all []client.Outgoing
			for _, token := range p.mustAdmit(b, conversations) {
				all = append(all, client.Outgoing{Recipient: token, Body: "Good morning."})
			}
			p.send(b, "alice", all)
			var took []float64
			for b.Loop() {
				alice := mustBrowse(b, p.url) // each a browser that was never here
				alice.signIn("alice")
				alice.want(`document.querySelectorAll(".conversations li button").length > 5`)
				alice.do(chromedp.Evaluate[chromedp.Void](`(async () => {
					for (const name of await caches.keys()) await caches.delete(name);
					for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
				})()`, chromedp.EvalAwaitPromise))
				alice.do(chromedp.Func(watchFirstView), chromedp.Navigate("about:blank"), chromedp.Navigate(p.url))
				alice.want(`window.firstView`)
				took = append(took, ask[float64](alice, `window.firstView`))
			}
			slices.Sort(took)
			b.ReportMetric(percentile(took, 0.5), "ms/median")
			b.ReportMetric(took[len(took)-1], "ms/worst")
		})
	}
}

// BenchmarkPagesScroll goes back through 50,000 messages of a conversation, 6,000 pixels a second, for half a minute.
func BenchmarkPagesScroll(b *testing.B) {
	p := mustServeMuch(b)
	var all []client.Outgoing
	for i := range 50_000 {
		all = append(all, client.Outgoing{Recipient: p.tokens["alice"],
			Body: fmt.Sprintf("%d %s", i, strings.Repeat("The results of bed 12 are in. ", 1+i%5))})
	}
	p.send(b, "bob", all)
	alice := mustBrowse(b, p.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	p.mustRead(b, "alice", "bob")
	alice.do(chromedp.Reload())
	alice.open("Bob Brown")
	alice.want(atEnd)
	for b.Loop() {
		frames := ask[[]float64](alice, `new Promise((done) => {
			const box = document.querySelector(".scroll"), frames = [];
			let last = performance.now();
			const end = last + 30_000;
			const step = (now) => {
				frames.push(now - last);
				last = now;
				box.scrollTop -= 100;
				if (now < end) requestAnimationFrame(step);
				else done(frames);
			};
			requestAnimationFrame(step);
		})`, chromedp.EvalAwaitPromise)
		slices.Sort(frames)
		b.ReportMetric(percentile(frames, 0.5), "ms/median-frame")
		b.ReportMetric(percentile(frames, 0.99), "ms/p99-frame")
		b.ReportMetric(frames[len(frames)-1], "ms/longest-frame")
		loaded := ask[float64](alice, `document.querySelectorAll(".message").length`)
		b.ReportMetric(loaded, "messages/page")
	}
}

// BenchmarkPagesSeen sends from one browser four times a second, and takes how long each message is on its way until
// another browser has it on its page.
func BenchmarkPagesSeen(b *testing.B) {
	const rounds, sends = 4, 100
	p := mustServeMuch(b)
	p.mustSend(b, "bob", client.Outgoing{Recipient: "alice", Body: "Good morning."})
	alice, bob := mustBrowse(b, p.url), mustBrowse(b, p.url)
	alice.signIn("alice")
	alice.open("Bob Brown")
	bob.signIn("bob")
	bob.open("Alice Ames")
	bob.do(chromedp.Evaluate[chromedp.Void](`(() => {
		let newest = 0;
		new MutationObserver(() => {
			const sent = parseFloat([...document.querySelectorAll(".message .body")].at(-1).textContent);
			if (!(sent > newest)) return;
			newest = sent;
			window.seen.push(performance.timeOrigin + performance.now() - sent);
		}).observe(document.querySelector(".scroll"), {childList: true, subtree: true});
	})()`))
	for b.Loop() {
		bob.do(chromedp.Evaluate[chromedp.Void](`void (window.seen = [])`))
		for range rounds {
			alice.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(async () => {
				const field = document.querySelector("textarea");
				for (let i = 0; i < %d; i++) {
					field.value = String(performance.timeOrigin + performance.now());
					field.dispatchEvent(new Event("input", {bubbles: true}));
					field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
					await new Promise((done) => setTimeout(done, 250));
				}
			})()`, sends), chromedp.EvalAwaitPromise))
		}
		bob.want(fmt.Sprintf(`window.seen.length === %d`, rounds*sends))
		took := ask[[]float64](bob, `window.seen`)
		slices.Sort(took)
		b.ReportMetric(percentile(took, 0.5), "ms/median")
		b.ReportMetric(percentile(took, 0.99), "ms/p99")
		b.ReportMetric(took[len(took)-1], "ms/longest")
	}
}
