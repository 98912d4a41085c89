package webtest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// act chooses from the menu of the message with these words.
func (b browser) act(words, choice string) {
	b.t.Helper()
	b.openMenu(words)
	b.press("[role=menu]", choice)
}

// openMenu opens the menu of the message with these words.
func (b browser) openMenu(words string) {
	b.t.Helper()
	button := `[...document.querySelectorAll(".message")].find((e) => e.textContent.includes("` + words +
		`"))?.querySelector(".acts button")`
	b.want(button) // a message that is still being sent has none
	b.do(chromedp.Evaluate[chromedp.Void](button + `.click()`))
}

// last is what the newest message is seen as.
const last = `[...document.querySelectorAll(".message")].at(-1)`

// TestAMessageIsAnsweredForwardedAndTakenBack by its menu.
func TestAMessageIsAnsweredForwardedAndTakenBack(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Carol Clarke")
	p.mustSend(t, "carol", client.Outgoing{Recipient: "alice", Body: "Good morning."})
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Is bed 12 free?"})
	alice, carol := mustBrowse(t, p.url), mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.open("Bob Brown")
	alice.act("Is bed 12 free?", "Reply")
	alice.want(`document.querySelector("textarea").value === "> Bob Brown:\n> Is bed 12 free?\n\n"`)
	alice.do(chromedp.SendKeys(`textarea`, "It is.\r"))
	alice.want(last + `.querySelector("blockquote, .quote")?.textContent.includes("Is bed 12 free?")`)

	alice.act("It is.", "Forward")
	alice.press(".targets", "CCCarol Clarke")
	carol.signIn("carol")
	carol.open("Alice Ames")
	carol.want(last + `.querySelector(".forwarded")?.textContent === "Forwarded from Alice Ames"`)
	alice.open("Carol Clarke")
	alice.want(last + `.querySelector(".status").getAttribute("aria-label") === "Read"`)

	alice.do(chromedp.SendKeys(`textarea`, "The wrong window\r"))
	carol.want(last + `.textContent.includes("The wrong window")`)
	alice.act("The wrong window", "Take back")
	alice.press("dialog", "Take back")
	for _, b := range []browser{alice, carol} {
		b.want(last + `.textContent.includes("This message was taken back.")`)
		b.want(`!document.body.textContent.includes("The wrong window")`)
	}
}

// TestAMessageLastsAsLongAsItsSenderSays: minutes that count down, and once it is read.
func TestAMessageLastsAsLongAsItsSenderSays(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	alice, bob := mustBrowse(t, p.url), mustBrowse(t, p.url)
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Good morning."})
	alice.signIn("alice")
	alice.open("Bob Brown")
	bob.signIn("bob")
	bob.open("Alice Ames")

	alice.do(chromedp.Click(`button[aria-label="Priority"]`), chromedp.Click(`button[aria-label="Lifetime"]`))
	alice.press("[role=menu]", "5 min")
	alice.do(chromedp.SendKeys(`textarea`, "For five minutes\r"))
	for _, b := range []browser{alice, bob} {
		b.want(last + `.textContent.includes("For five minutes") && ` + last + `.querySelector(".priority")`)
		b.want(`["5 min", "4 min"].includes(` + last + `.querySelector(".left")?.textContent)`)
	}
	alice.want(`!document.querySelector(".composer .chosen, .composer [aria-pressed=true]")`) // that was for this one

	alice.do(chromedp.Click(`.composer button[aria-label="Deleted after reading"]`),
		chromedp.SendKeys(`textarea`, "The code is 4711.\r"))
	bob.want(last + `.querySelector(".seal")`)
	bob.want(`!document.body.textContent.includes("4711")`)
	alice.want(last + `.querySelector(".status")?.getAttribute("aria-label") === "Delivered"`)
	bob.picture("seal")
	bob.press(".seal", "Show")
	bob.want(last + `.querySelector(".body")?.textContent === "The code is 4711."`)
	for _, b := range []browser{alice, bob} {
		b.want(`/^\d+ sec$/.test(` + last + `.querySelector(".left")?.textContent)`)
	}

	// On a device whose clock has gone on for an hour, both are over.
	bob.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const now = Date.now;
		Date.now = () => now() + 3_600_000;
	})()`))
	bob.want(bodies + ` === "Good morning."`)
}

// mustDraw writes a picture of 40 by 30 pixels, and returns where it is.
func mustDraw(t *testing.T, dir, name string) (path string) {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, name)
	if err := os.WriteFile(path, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFilesAreAttached: by the button and dropped, a picture in place, one that is too large refused before it is sent.
func TestFilesAreAttached(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Good morning."})
	dir := t.TempDir()
	mustDraw(t, dir, "scan.png")
	if err := os.WriteFile(filepath.Join(dir, "film.mov"), make([]byte, 26<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	alice, bob := mustBrowse(t, p.url), mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.open("Bob Brown")
	bob.signIn("bob")
	bob.open("Alice Ames")
	pick := func(name string) {
		alice.do(chromedp.SetUploadFiles(`.composer input[type=file]`, []string{filepath.Join(dir, name)}))
	}
	pick("film.mov")
	alice.want(`document.querySelector(".composer .problem")?.textContent ===
		"film.mov has 27.3 MB. A file may have up to 26.2 MB."`)
	pick("scan.png")
	alice.want(`document.querySelector(".composer .file bdi")?.textContent === "scan.png"`)
	alice.do(chromedp.SendKeys(`textarea`, "The scan.\r"))
	bob.want(last + `.querySelector(".picture img")?.naturalWidth === 40`)
	bob.do(chromedp.Evaluate[chromedp.Void](last + `.querySelector(".picture").click()`))
	bob.want(`document.querySelector("dialog img.large")?.naturalWidth === 40`)
	bob.press("dialog", "Download")

	alice.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const data = new DataTransfer();
		data.items.add(new File(["%PDF-1.7"], "labs.pdf", {type: "application/pdf"}));
		const on = (type) => document.querySelector(".composer").dispatchEvent(
			new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
		on("dragover");
		on("drop");
	})()`))
	alice.want(`document.querySelector(".composer .file bdi")?.textContent === "labs.pdf"`)
	alice.do(chromedp.Click(`button[aria-label="Send"]`))
	bob.want(last + `.querySelector("a.file")?.download === "labs.pdf"`)
	got := ask[string](bob, `fetch(`+last+`.querySelector("a.file").href).then((r) => r.text())`, chromedp.EvalAwaitPromise)
	if got != "%PDF-1.7" {
		t.Errorf("the file that was sent holds %q", got)
	}
}
