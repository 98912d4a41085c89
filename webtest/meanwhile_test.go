package webtest

import (
	"strings"
	"testing"

	"signet/client"

	"github.com/chromedp/chromedp"
)

// holdBack has answers to calls of a path wait, until the page's let() is called. It counts them in the page's held.
const holdBack = `window.held = 0;
	const gate = new Promise((go) => (window.let = go)), ask = window.fetch;
	window.fetch = async (request, ...rest) => {
		const answer = await ask(request, ...rest);
		if (!new URL(request.url ?? request, location).pathname.endsWith("PATH")) return answer;
		window.held++;
		await gate;
		return answer;
	}`

// TestWhatEventsTellWhileAConversationLoadsIsShown, although the answer was made before.
func TestWhatEventsTellWhileAConversationLoadsIsShown(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	wrong := p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "The wrong window."})
	p.mustSend(t, "alice", client.Outgoing{Recipient: "bob", Body: "Is bed 12 free?"})
	alice := mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.want(`document.querySelector(".conversations button")`)
	alice.do(chromedp.Evaluate[chromedp.Void](strings.Replace(holdBack, "PATH", "/message", 1)),
		chromedp.Evaluate[chromedp.Void](`document.querySelector(".conversations button").click()`))
	alice.want(`window.held === 1`)

	p.mustRead(t, "bob", "alice")
	if err := p.clients["bob"].Recall(t.Context(), wrong); err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "It is."})
	alice.want(`document.querySelector(".conversations button").textContent.includes("It is.")`)
	alice.do(chromedp.Evaluate[chromedp.Void](`window.let()`))
	const shown = `[...document.querySelectorAll(".message")]`
	alice.want(shown + `.length === 3`)
	alice.want(shown + `[0].textContent.includes("This message was taken back.")`)
	alice.want(shown + `[1].querySelector(".status").getAttribute("aria-label") === "Read"`)
	alice.want(shown + `[2].textContent.includes("It is.")`)
}

// TestWhatEventsTellWhileStatusesAreAskedForIsShown: how far a message to a group got.
func TestWhatEventsTellWhileStatusesAreAskedForIsShown(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	group, err := p.clients["alice"].CreateGroup(t.Context(),
		client.NewGroup{Name: "Ward 3", Members: []string{p.tokens["bob"]}})
	if err != nil {
		t.Fatal(err)
	}
	id := p.mustSend(t, "alice", client.Outgoing{Recipient: group.Token, Body: "Is bed 12 free?"})
	alice := mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.want(`document.querySelector(".conversations button")`)
	alice.do(chromedp.Evaluate[chromedp.Void](strings.Replace(holdBack, "PATH", "/get_bulk_message_status", 1)))
	alice.open("Ward 3")
	alice.want(`window.held === 1`)
	if err := p.clients["bob"].MarkRead(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "bob", client.Outgoing{Recipient: group.Token, Body: "It is."})
	alice.want(`document.querySelector(".conversation").textContent.includes("It is.")`)
	alice.do(chromedp.Evaluate[chromedp.Void](`window.let()`))
	alice.want(`document.querySelector(".message .status").getAttribute("aria-label") === "Read"`)
}

// TestWhatAnOrganizationAllowsIsAskedForAgain, where there was no answer when the page was loaded.
func TestWhatAnOrganizationAllowsIsAskedForAgain(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{Forward: new(false)}, "alice=Alice Ames", "bob=Bob Brown")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Is bed 12 free?"})
	alice := mustBrowse(t, p.url)
	alice.do(chromedp.Evaluate[chromedp.Void](`window.refused = 0;
		const ask = window.fetch;
		window.fetch = async (request, ...rest) => {
			const { pathname } = new URL(request.url ?? request, location);
			if (!pathname.endsWith("/organization") || window.refused > 0) return ask(request, ...rest);
			window.refused++;
			throw new TypeError("no network");
		}`))
	alice.signIn("alice")
	alice.open("Bob Brown")
	alice.want(`window.refused === 1`)
	const choices = `[...document.querySelectorAll(".message [role=menuitem]")].map((e) => e.textContent)`
	alice.openMenu("Is bed 12 free?")
	alice.want(choices + `.includes("Forward")`)
	alice.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event("visibilitychange"))`))
	alice.want(choices + `.includes("Reply") && !` + choices + `.includes("Forward")`)
}
