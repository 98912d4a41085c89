package webtest

import (
	"context"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"signet/client"
)

// tab opens another tab of the browser, which ends with the test.
func (b browser) tab(address string) browser {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	b.t.Cleanup(end)
	other := browser{b.t, ctx}
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatal(err)
	}
	return other
}

// TestTabsHaveOneSession: it begins in all tabs and ends in all, also from elsewhere, and says so there.
func TestTabsHaveOneSession(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	one := mustBrowse(t, p.url)
	other := one.tab(p.url)
	other.do(chromedp.WaitVisible(`input[name=username]`))
	one.signIn("alice")
	other.want(`document.querySelector("nav h1")?.textContent === "Alice Ames"`)
	other.do(chromedp.Click(`button[aria-label="Sign out"]`))
	other.do(chromedp.WaitVisible(`input[name=username]`))
	other.want(`!document.querySelector(".notice")`)
	one.do(chromedp.WaitVisible(`input[name=username]`))

	// A key, in place of a password; a wrong one is said to be.
	made, err := p.clients["bob"].CreateKey(t.Context(), "me", client.NewKey{})
	if err != nil {
		t.Fatal(err)
	}
	one.press(".sign-in", "Sign in with a key")
	one.fill(".sign-in", "key", made.APIKey)
	one.fill(".sign-in", "secret", "wrong")
	one.do(chromedp.Click(`button[type=submit]`))
	one.want(`document.querySelector("[role=alert]").textContent === "The key or the secret is wrong."`)
	one.fill(".sign-in", "secret", made.APISecret)
	one.do(chromedp.Click(`button[type=submit]`))
	one.want(`document.querySelector("nav h1")?.textContent === "Bob Brown"`)
	other.want(`document.querySelector("nav h1")?.textContent === "Bob Brown"`)

	keys, err := p.clients["bob"].Keys(t.Context(), "me")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if key.Device != "" {
			if err := p.clients["bob"].RevokeKey(t.Context(), "me", key.APIKey); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, b := range []browser{one, other} {
		b.want(`document.querySelector(".notice")?.textContent === "Your session has ended. Please sign in again."`)
	}
}

// kept are the addresses that the service worker has kept, in one line.
const kept = `(async () => {
	await navigator.serviceWorker.ready;
	const all = [];
	for (const name of await caches.keys())
		for (const {url} of await (await caches.open(name)).keys()) all.push(new URL(url).pathname);
	return all.join(" ");
})()`

// TestTheMessengerStartsWithoutAServer: what the browser keeps of it is the application, and nothing of content.
func TestTheMessengerStartsWithoutAServer(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Potassium 6.1"})
	alice := mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.do(chromedp.Click(`nav li button`), chromedp.WaitVisible(`.message .body`))
	addresses := ask[string](alice, kept, chromedp.EvalAwaitPromise)
	for address := range strings.FieldsSeq(addresses) {
		if address != "/" && address != "/manifest.webmanifest" && !strings.HasPrefix(address, "/assets/") {
			t.Errorf("the service worker keeps %s", address)
		}
	}
	if !strings.Contains(addresses, "/assets/messenger-") {
		t.Errorf("the service worker keeps only %q", addresses)
	}
	stored := ask[string](alice, `JSON.stringify([{...localStorage}, {...sessionStorage}])`)
	if strings.Contains(stored, "Potassium") || strings.Contains(stored, "Ames") {
		t.Errorf("the browser stores %s", stored)
	}

	// Loaded anew once more, the page is the service worker's.
	alice.do(chromedp.Reload())
	alice.want(`navigator.serviceWorker.controller && document.querySelector('.message .body')`)
	p.Stop()
	alice.want(`document.querySelector(".banner")`)
	alice.want(`document.querySelector(".message .body").textContent === "Potassium 6.1"`)
	alice.do(chromedp.Reload())
	alice.want(`document.querySelector(".banner")?.textContent === "There is no connection to the server."`)
}

// TestMessagesAreTold: by a notification while nobody looks, as much as the person chose, until they are read.
func TestMessagesAreTold(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	alice := mustBrowse(t, p.url)
	alice.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		allowed := cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: "notifications"}, Setting: cdpbrowser.PermissionSettingGranted,
			Origin: p.url,
		}
		_, err := cdp.Call(ctx, target, cdpbrowser.SetPermission, allowed)
		return err
	}))
	alice.signIn("alice")
	told := func(want string) {
		t.Helper()
		alice.want(`(async () => (await (await navigator.serviceWorker.ready).getNotifications())
			.map(({title, body}) => title + ": " + body).join() === ` + want + `)()`)
	}
	choose := func(to string) {
		t.Helper()
		alice.do(chromedp.Click(`button[aria-label="Settings"]`))
		alice.do(chromedp.Evaluate[chromedp.Void](`(() => {
			const e = [...document.querySelectorAll(".dialog .field")].find((f) => f.textContent.startsWith("Notifications"))
				.querySelector("select");
			e.value = "` + to + `";
			e.dispatchEvent(new Event("change", {bubbles: true}));
		})()`))
		alice.want(`localStorage.getItem("signet-notices") === "` + to + `"`)
		alice.do(chromedp.KeyEvent(kb.Escape))
		alice.want(`!document.querySelector("dialog")`)
	}
	choose("sign")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Is bed 12 free?"})
	told(`"Signet: New message"`)
	alice.want(`document.querySelector("link[rel=icon]").href.includes("unread")`)
	choose("content")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Hello?"})
	told(`"Bob Brown: Hello?"`)
	alice.do(chromedp.Click(`nav li button`), chromedp.WaitVisible(`.message .body`))
	told(`""`)
	alice.want(`!document.querySelector("link[rel=icon]").href.includes("unread")`)
}

// TestAMessageIsHeard: a screen reader says what comes into the open conversation, and that something comes elsewhere.
func TestAMessageIsHeard(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Carol Clarke", "dan=Dan Drake")
	p.mustSend(t, "alice", client.Outgoing{Recipient: "dan", Body: "Good morning."})
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Good morning, Alice."})
	alice := mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.do(chromedp.Click(`nav li button`), chromedp.WaitVisible(`.message .body`))
	heard := func(want string) {
		t.Helper()
		alice.want(`document.querySelector("[aria-live=polite]").textContent === "` + want + `"`)
	}
	heard("")
	for _, words := range []string{"Is bed 12 free?", "Hello?"} {
		p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: words})
		heard("Bob Brown: " + words)
	}
	wrong := p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "The wrong window"})
	heard("Bob Brown: The wrong window")
	if err := p.clients["bob"].Recall(t.Context(), wrong); err != nil {
		t.Fatal(err)
	}
	heard("") // what is gone is gone
	p.mustSend(t, "dan", client.Outgoing{Recipient: "alice", Body: "The lab calls."})
	heard("New message: Dan Drake")
	p.mustSend(t, "carol", client.Outgoing{Recipient: "alice", Body: "So does the ward."})
	heard("New message") // whose conversation the page does not know yet
}

// TestTheKeyboardGoesEverywhere: between conversations, to what is unread, back, and to the overview of the keys.
func TestTheKeyboardGoesEverywhere(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Carol Clarke", "dan=Dan Drake")
	for _, name := range []string{"bob", "carol", "dan"} {
		p.mustSend(t, name, client.Outgoing{Recipient: "alice", Body: "Good morning."})
	}
	alice := mustBrowse(t, p.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	alice.want(`document.querySelectorAll("nav li button").length === 3`)
	alt, shift := chromedp.KeyModifiers(chromedp.ModifierAlt), chromedp.ModifierShift
	open := func(name string) {
		t.Helper()
		alice.want(`document.querySelector(".conversation h2")?.textContent === "` + name + `"`)
	}
	alice.do(chromedp.KeyEvent(kb.ArrowDown, alt))
	open("Dan Drake")
	alice.want(`document.querySelectorAll("nav .badge").length === 2`)
	alice.do(chromedp.KeyEvent(kb.ArrowDown, alt))
	open("Carol Clarke")
	alice.want(`document.querySelectorAll("nav .badge").length === 1`)
	alice.do(chromedp.KeyEvent(kb.ArrowUp, alt))
	open("Dan Drake")
	alice.do(chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierAlt, shift)))
	open("Bob Brown")
	alice.do(chromedp.KeyEvent(kb.Escape))
	alice.want(`location.pathname === "/" && !document.querySelector(".conversation")`)
	alice.do(chromedp.KeyEvent("?"))
	alice.want(`document.querySelectorAll(".keys div").length === 10`)
	alice.picture("help")
	alice.do(chromedp.KeyEvent(kb.Escape))
	alice.want(`!document.querySelector("dialog")`)
}
