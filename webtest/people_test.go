package webtest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"signet/client"
)

// TestPeopleAreFoundAndPutIntoGroups: a first conversation with somebody, by keyboard alone, and a group.
func TestPeopleAreFoundAndPutIntoGroups(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Cárol Clarke")
	alice, bob := mustBrowse(t, p.url), mustBrowse(t, p.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	bob.resize(1280, 800)
	bob.signIn("bob")

	alice.want(`document.querySelector("nav .empty")`)
	alice.do(chromedp.KeyEvent("/"))
	alice.want(`document.activeElement.type === "search"`)
	alice.do(chromedp.KeyEvent("zz"))
	alice.want(`document.querySelector("nav .empty")?.textContent === "Nothing found."`)
	alice.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("bro"))
	alice.want(`document.querySelector(".found button bdi")?.textContent === "Bob Brown"`)
	alice.picture("search")
	alice.do(chromedp.KeyEvent(kb.Enter))
	alice.want(`document.querySelector(".conversation h2")?.textContent === "Bob Brown"`)
	alice.do(chromedp.SendKeys(`textarea`, "Is bed 12 free?\r"))
	bob.want(`document.querySelector(".conversations .badge")?.textContent === "1"`)

	alice.do(chromedp.Click(`button[aria-label="New group"]`))
	alice.fill(".dialog", "name", "Ward 3")
	for words, name := range map[string]string{"bob": "Bob Brown", "carol": "Cárol Clarke"} {
		alice.do(chromedp.SendKeys(`.dialog input[type=search]`, words), chromedp.WaitVisible(`.dialog .found button`))
		alice.want(`document.querySelector(".dialog .found bdi")?.textContent === "` + name + `"`)
		alice.do(chromedp.Click(`.dialog .found button`))
	}
	alice.want(`document.querySelectorAll(".chosen li").length === 2`)
	alice.picture("new-group")
	alice.press(".dialog", "Create group")
	alice.want(`document.querySelector(".conversation h2")?.textContent === "Ward 3"`)
	alice.do(chromedp.SendKeys(`textarea`, "Good morning.\r"))
	bob.want(`document.querySelector(".conversations")?.textContent.includes("Ward 3")`)
}
