package webtest

import (
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// TestTheInterfaceIsReadAndTried: without signing in one reads and searches; with a session
// one makes calls, and is asked before one that changes something.
func TestTheInterfaceIsReadAndTried(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	b := mustBrowse(t, p.url+"/docs")
	b.want(`document.querySelectorAll('.calls li').length > 80`)
	b.do(chromedp.SendKeys(`input[type=search]`, "recall message"))
	b.want(`document.querySelectorAll('.calls li').length > 0 && document.querySelectorAll('.calls li').length < 5`)
	b.do(chromedp.SendKeys(`input[type=search]`, " zebra"))
	b.want(`document.querySelector('.calls .empty') !== null`)
	b.do(chromedp.Navigate(p.url + "/docs/sendMessage"))
	b.want(`[...document.querySelectorAll('.rows dt')].some((e) => e.textContent.startsWith('recipient'))`)
	b.want(`[...document.querySelectorAll('.errors dt')].map((e) => e.textContent).includes('429')`)
	b.want(`document.querySelector('.try') === null`)

	b.do(chromedp.Navigate(p.url))
	b.signIn("alice")
	b.do(chromedp.Navigate(p.url+"/docs/sendMessage"), chromedp.WaitVisible(`.try textarea`),
		chromedp.Evaluate[chromedp.Void](`document.querySelector('.try textarea').select()`),
		chromedp.SendKeys(`.try textarea`, `{"recipient": "bob", "body": "By hand."}`),
		chromedp.Click(`.try button[type=submit]`), chromedp.WaitVisible(`dialog[open]`))
	if unread, err := p.clients["bob"].Unread(t.Context(), "me"); err != nil || unread.Count != 0 {
		t.Errorf("before it was confirmed bob has %+v, %v", unread, err)
	}
	b.want(`document.querySelector('pre[aria-label=curl]').textContent.includes('By hand.')`)
	b.do(chromedp.Click(`dialog .primary`))
	b.want(`document.querySelector('[aria-live] pre')?.textContent.startsWith('204') === true`)
	if unread, err := p.clients["bob"].Unread(t.Context(), "me"); err != nil || unread.Count != 1 {
		t.Errorf("bob has %+v, %v", unread, err)
	}
}
