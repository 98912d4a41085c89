package webtest

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"signet/client"
)

// dot is the smallest picture there is.
const dot = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// TestAGroupIsManaged by who made it: named, pictured, joined and left, as all of its people see at once.
func TestAGroupIsManaged(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"hubert=Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine")
	group, err := p.clients["alice"].CreateGroup(t.Context(),
		client.NewGroup{Name: "Ward 3", Members: []string{p.tokens["bob"]}})
	if err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "alice", client.Outgoing{Recipient: group.Token, Body: "Before the switch."})
	alice, bob := mustBrowse(t, p.url), mustBrowse(t, p.url)
	for b, name := range map[browser]string{alice: "alice", bob: "bob"} {
		b.resize(1280, 800)
		b.signIn(name)
		b.do(chromedp.Navigate(p.url + "/c/" + group.Token + "/details"))
		b.want(`document.querySelectorAll(".members li").length === 2`)
	}

	// A mere member is not offered what it may not do.
	bob.press(".details", "Edit group")
	bob.want(`document.querySelector(".dialog [name=name]") && !document.querySelector(".dialog [name=history]")`)
	bob.press(".dialog footer", "Cancel")

	picture := filepath.Join(t.TempDir(), "ward.gif")
	pixels, err := base64.StdEncoding.DecodeString(dot)
	if err == nil {
		err = os.WriteFile(picture, pixels, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	alice.press(".details", "Edit group")
	alice.fill(".dialog", "name", "Ward 3, nights")
	alice.do(chromedp.SetUploadFiles(`.dialog input[type=file]`, []string{picture}),
		chromedp.WaitVisible(`.dialog img.avatar`), chromedp.Click(`.dialog [name=history]`))
	alice.picture("group-edit")
	alice.press(".dialog footer", "Save")
	for _, b := range []browser{alice, bob} {
		b.want(`document.querySelector(".conversation h2").textContent === "Ward 3, nights"`)
		b.want(`document.querySelector(".conversations .name").textContent === "Ward 3, nights"`)
		b.want(`document.querySelector(".details img.avatar")?.naturalWidth === 1`)
	}
	alice.press(".details", "Edit group")
	alice.press(".dialog", "Remove the picture")
	alice.press(".dialog footer", "Save")
	bob.want(`!document.querySelector("img.avatar")`)

	// Who is added sees what was written since it is shown.
	p.mustSend(t, "bob", client.Outgoing{Recipient: group.Token, Body: "Bed 12 is free."})
	alice.press(".details", "Add people")
	alice.do(chromedp.SendKeys(`.dialog input[type=search]`, "wolfe"), chromedp.Click(`.dialog .found button`))
	alice.picture("group-add")
	hubert := mustBrowse(t, p.url)
	hubert.resize(1280, 800)
	hubert.signIn("hubert")
	hubert.want(`document.querySelector("nav .empty")`)
	alice.press(".dialog footer", "Add")
	bob.want(`document.querySelectorAll(".members li").length === 3`)
	hubert.do(chromedp.Click(`.conversations button`))
	hubert.want(`[...document.querySelectorAll(".message .body")].map((e) => e.textContent).join() === "Bed 12 is free."`)
	hubert.do(chromedp.SendKeys(`textarea`, "Thanks!\r"))
	alice.want(`[...document.querySelectorAll(".message .body")].at(-1).textContent === "Thanks!"`)
	for _, width := range []int64{1280, 800, 360} {
		alice.inBothThemes("group-details", width)
	}

	// Who is removed keeps what it got, and is told that it writes no more.
	alice.do(chromedp.Click(`.members button[aria-label^="Remove Wolfe"]`))
	alice.picture("group-remove")
	alice.do(chromedp.Click(`.dialog footer .primary`))
	alice.want(`document.querySelectorAll(".members li").length === 2`)
	bob.want(`document.querySelectorAll(".members li").length === 2`)
	hubert.want(`document.querySelector(".outside")?.textContent === "You are no longer in this group."`)
	hubert.want(`!document.querySelector(".composer") && document.querySelectorAll(".message").length === 2`)
	hubert.want(`document.querySelector(".conversations [aria-label='You are no longer in this group.']")`)
	for _, width := range []int64{1280, 800, 360} {
		hubert.inBothThemes("group-left", width)
	}
	hubert.do(chromedp.Reload())
	hubert.want(`document.querySelector(".outside") && document.querySelectorAll(".message").length === 2`)
	hubert.want(`!document.querySelector(".composer, .problem, .toasts p")`)
}

// inBothThemes takes pictures of what is shown at a width.
func (b browser) inBothThemes(name string, width int64) {
	b.t.Helper()
	b.resize(width, 800)
	for _, theme := range []string{"light", "dark"} {
		b.do(chromedp.Evaluate[chromedp.Void](`document.documentElement.dataset.theme = '` + theme + `'`))
		b.want(`document.getAnimations().every((one) => one.playState !== "running")`)
		b.picture(fmt.Sprintf("%s-%s-%d", name, theme, width))
	}
}

// TestOneIsInSeveralOrganizations, and sees all of them or one, and where everybody is.
func TestOneIsInSeveralOrganizations(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	operator := mustConnect(t, p.url, p.operator)
	clinic, err := operator.CreateOrganization(t.Context(), "Clinic by the Lake", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.AddToOrganization(t.Context(), "alice", clinic, client.Membership{}); err != nil {
		t.Fatal(err)
	}
	dana, err := operator.CreateUser(t.Context(), clinic,
		client.NewUser{DisplayName: "Dana Brown", Username: "dana", Password: password, IssueKey: true})
	if err != nil {
		t.Fatal(err)
	}
	p.clients["dana"] = mustConnect(t, p.url, credentials{dana.APIKey, dana.APISecret})
	for _, name := range []string{"bob", "dana"} {
		p.mustSend(t, name, client.Outgoing{Recipient: "alice", Body: "Good morning."})
	}
	alice, bob := mustBrowse(t, p.url), mustBrowse(t, p.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	bob.signIn("bob")
	bob.want(`document.querySelectorAll(".conversations .name").length === 1 && !document.querySelector(".switch")`)

	listed := func(names string) {
		t.Helper()
		alice.want(`[...document.querySelectorAll(".conversations .name")].map((e) => e.textContent).join() === "` + names + `"`)
	}
	listed("Dana Brown,Bob Brown")
	alice.want(`[...document.querySelectorAll(".switch option")].map((e) => e.label).join() ===
		"All organizations,Clinic by the Lake,General Hospital"`)
	alice.do(chromedp.Click(`.conversations li:nth-child(2) button`))
	alice.want(`document.querySelector(".who p").textContent.includes("Clinic by the Lake")`)
	alice.choose(".switch select", "General Hospital")
	listed("Bob Brown")
	alice.want(`document.querySelector(".nothing")`)
	alice.do(chromedp.SendKeys(`nav input[type=search]`, "brown"))
	alice.want(`document.querySelectorAll(".found li").length === 1`)
	alice.choose(".switch select", "All organizations")
	alice.want(`[...document.querySelectorAll(".found small:last-child")].map((e) => e.textContent).sort().join() ===
		"Clinic by the Lake,General Hospital"`)
	for _, width := range []int64{1280, 800, 360} {
		alice.inBothThemes("organizations", width)
	}
	alice.do(chromedp.Focus(`nav input[type=search]`), chromedp.KeyEvent(kb.Escape))

	alice.do(chromedp.Click(`button[aria-label="New group"]`))
	alice.choose(".dialog select", "General Hospital")
	alice.fill(".dialog", "name", "Everybody")
	alice.do(chromedp.SendKeys(`.dialog input[type=search]`, "brown"), chromedp.WaitVisible(`.dialog .found button`))
	alice.want(`document.querySelector(".dialog .found").textContent.includes("Bob Brown") &&
		!document.querySelector(".dialog .found").textContent.includes("Dana")`)
	alice.do(chromedp.Click(`.dialog .found button`))
	alice.inBothThemes("organizations-new-group", 360)
	alice.press(".dialog", "Create group")
	alice.want(`document.querySelector(".who p")?.textContent === "2 people · General Hospital"`)
	bob.want(`document.querySelector(".conversations").textContent.includes("Everybody")`)
}

// choose takes what has these words of a list.
func (b browser) choose(selector, words string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(selector), chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const list = document.querySelector(%q);
		list.value = [...list.options].find((option) => option.label === %q).value;
		list.dispatchEvent(new Event("change", {bubbles: true}));
	})()`, selector, words)))
}

// TestFilesOfAConversation are listed in its details, as far back as one looks.
func TestFilesOfAConversation(t *testing.T) {
	s := mustServe(t, "--limits.messages-per-day=0")
	p := mustFill(t, s, client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	alice := mustBrowse(t, p.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	conversation := p.url + "/c/" + p.tokens["bob"] + "/details"
	alice.do(chromedp.Navigate(conversation))
	alice.want(`document.querySelector(".files p")?.textContent === "No files."`)
	alice.do(chromedp.Navigate(p.url)) // what is open is read, and its messages stay loaded
	send := func(from, to, name string, sealed bool) {
		t.Helper()
		p.mustSend(t, from, client.Outgoing{Recipient: to, DOR: &sealed,
			Attachment: &client.Upload{Name: name, Content: strings.NewReader("potassium 6.1")}})
	}
	send("alice", p.tokens["bob"], "old.pdf", false)
	for i := range 320 { // more than are loaded by themselves
		p.mustSend(t, "alice", client.Outgoing{Recipient: p.tokens["bob"], Body: fmt.Sprint("Bed ", i)})
	}
	send("bob", "alice", "labs.pdf", false)
	send("bob", "alice", strings.Repeat("a-very-long-name-", 8)+".csv", false)
	send("bob", "alice", "sealed.pdf", true)

	alice.do(chromedp.Navigate(conversation))
	alice.want(`document.querySelectorAll(".files li").length === 2`)
	alice.want(`document.querySelector(".files li:last-child").textContent.match(/^labs.pdf13.*B.*Bob Brown/)`)
	for _, width := range []int64{1280, 800, 360} {
		alice.inBothThemes("files", width)
	}
	alice.want(`document.querySelector(".files a").pathname.endsWith("/attachment/1") && document.querySelector(".files a").download`)
	alice.press(".files", "Look for older ones")
	alice.want(`document.querySelectorAll(".files li").length === 3`)
	alice.want(`document.querySelector(".files li:last-child bdi").textContent === "old.pdf" && !document.querySelector(".files button")`)
}

// TestAMessageIsInspected by keyboard alone: beside its conversation where there is room, else over it.
func TestAMessageIsInspected(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"hubert=Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine")
	group, err := p.clients["alice"].CreateGroup(t.Context(),
		client.NewGroup{Name: "Ward 3", Members: []string{p.tokens["bob"], p.tokens["hubert"]}})
	if err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "alice", client.Outgoing{Recipient: group.Token, Body: "Good morning."})
	p.mustSend(t, "bob", client.Outgoing{Recipient: group.Token, Body: "Good morning, Alice."})
	alice, bob := mustBrowse(t, p.url), mustBrowse(t, p.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	bob.signIn("bob")
	alice.do(chromedp.Navigate(p.url+"/c/"+group.Token), chromedp.WaitVisible(`.message`), chromedp.Focus(`textarea`))

	focused := `document.activeElement.querySelector?.(":scope .body")?.textContent`
	alice.do(chromedp.KeyEvent(kb.ArrowUp))
	alice.want(focused + ` === "Good morning, Alice."`)
	alice.do(chromedp.KeyEvent(kb.ArrowUp))
	alice.want(focused + ` === "Good morning."`)
	alice.do(chromedp.KeyEvent("i"))
	alice.want(`document.activeElement.textContent === "Details of the message" && document.querySelectorAll(".progress-of li").length === 2`)
	alice.want(`!document.querySelector("dialog") && location.pathname.endsWith("/details")`)
	bob.do(chromedp.Click(`.conversations button`))
	alice.want(`document.querySelector(".progress-of section:first-child").textContent.includes("Bob Brown")`)
	alice.want(`document.querySelector(".progress-of .status-read")`)
	alice.inBothThemes("message-info", 1280)
	alice.do(chromedp.KeyEvent(kb.Escape))
	alice.want(`!document.querySelector(".inspected") && document.querySelector(".details") && ` + focused + ` === "Good morning."`)
	alice.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	alice.want(`document.activeElement.matches("textarea")`)

	alice.do(chromedp.KeyEvent(kb.Escape)) // closes the details
	alice.want(`!document.querySelector(".details")`)
	for _, width := range []int64{800, 360} {
		alice.resize(width, 800)
		alice.do(chromedp.WaitVisible(`textarea`), chromedp.Focus(`textarea`), chromedp.KeyEvent(kb.ArrowUp),
			chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent("i"))
		alice.want(`document.querySelectorAll("dialog .progress-of li").length === 2`)
		alice.inBothThemes("message-info", width)
		alice.do(chromedp.KeyEvent(kb.Escape))
		alice.want(`!document.querySelector("dialog") && ` + focused + ` === "Good morning."`)
	}
}
