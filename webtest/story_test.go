package webtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"

	"signet/client"
	"signet/web/browsertest"
)

// password is everybody's.
const password = "correct horse battery"

// browser is what one person has in front of them.
type browser struct {
	t   testing.TB
	ctx context.Context
}

// mustBrowse opens the messenger in a browser of its own, which ends with the test.
func mustBrowse(t testing.TB, address string) browser {
	t.Helper()
	return browser{t, browsertest.Browse(t, address)}
}

// do carries out actions, which wait for what they need.
func (b browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, action := range actions {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		err := chromedp.Do(ctx, action)
		cancel()
		if err != nil {
			b.t.Fatalf("%v\nthe page shows\n%s", err, b.text())
		}
	}
}

func (b browser) text() string {
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// want waits until an expression holds.
func (b browser) want(expression string) {
	b.t.Helper()
	holds := chromedp.PollFunction[bool]("() => !!("+expression+")", chromedp.WithPollingTimeout(patience))
	_, err := chromedp.Run(b.ctx, holds)
	for until := time.Now().Add(patience); isLeaving(err) && time.Now().Before(until); {
		_, err = chromedp.Run(b.ctx, holds)
	}
	if err != nil {
		b.t.Fatalf("%s: %v\nthe page shows\n%s", expression, err, b.text())
	}
}

// isLeaving reports whether the page that was asked has made way for the next one meanwhile.
func isLeaving(err error) bool {
	refused, ok := errors.AsType[*cdproto.Error](err)
	return ok && refused.Code == -32000
}

func (b browser) signIn(name string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(`input[name=username]`), chromedp.SendKeys(`input[name=username]`, name),
		chromedp.SendKeys(`input[name=password]`, password), chromedp.Click(`button[type=submit]`),
		chromedp.WaitVisible(`nav h1`))
}

// picture writes what the page shows, where SIGNET_TEST_PICTURES names a directory.
func (b browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("SIGNET_TEST_PICTURES")
	if dir == "" {
		return
	}
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// TestTwoPeopleWriteToEachOther: each in a browser, with statuses that arrive by themselves.
func TestTwoPeopleWriteToEachOther(t *testing.T) {
	s := mustServe(t)
	operator := mustConnect(t, s.url, s.operator)
	organization, err := operator.CreateOrganization(t.Context(), "General Hospital", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{}
	for _, name := range []string{"Alice Ames", "Bob Brown"} {
		username, _, _ := strings.Cut(strings.ToLower(name), " ")
		made, err := operator.CreateUser(t.Context(), organization,
			client.NewUser{DisplayName: name, Username: username, Password: password, IssueKey: true})
		if err != nil {
			t.Fatal(err)
		}
		tokens[username] = made.Token
		if username == "bob" {
			bob := mustConnect(t, s.url, credentials{made.APIKey, made.APISecret})
			question := client.Outgoing{Recipient: tokens["alice"], Body: "Is bed 12 free?"}
			if _, err := bob.Send(t.Context(), question); err != nil {
				t.Fatal(err)
			}
		}
	}

	alice, bob := mustBrowse(t, s.url), mustBrowse(t, s.url)
	alice.picture("sign-in")
	alice.signIn("alice")
	alice.want(`document.querySelector('.badge')?.textContent === '1' && document.title === '(1) Signet'`)
	alice.do(chromedp.Click(`nav li button`), chromedp.WaitVisible(`.message .body`))
	alice.want(`document.querySelector('.message .body').textContent === 'Is bed 12 free?'`)
	alice.want(`!document.querySelector('.badge')`)

	alice.do(chromedp.SendKeys(`textarea`, "It is. <b>Send her up.</b>\r"))
	alice.want(`document.querySelector('.message.own .status')?.getAttribute('aria-label') === 'Sent'`)
	bob.signIn("bob")
	alice.want(`document.querySelector('.message.own .status')?.getAttribute('aria-label') === 'Delivered'`)
	bob.do(chromedp.Click(`nav li button`), chromedp.WaitVisible(`.message:not(.own) .body`))
	bob.want(`document.querySelector('.message:not(.own) .body').textContent === 'It is. <b>Send her up.</b>'`)
	alice.want(`document.querySelector('.message.own .status')?.getAttribute('aria-label') === 'Read'`)
	alice.picture("conversation")
	bob.do(chromedp.SendKeys(`textarea`, "On my way.\r"))
	alice.want(`[...document.querySelectorAll('.message .body')].at(-1).textContent === 'On my way.'`)
	bob.do(chromedp.Click(`button[aria-label="Sign out"]`), chromedp.WaitVisible(`input[name=username]`))
}
