package webtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// press clicks the button, link or label with this text, in what the selector names.
func (b browser) press(within, words string) {
	b.t.Helper()
	find := `[...document.querySelectorAll(` + "`" + within + "`" + `)].flatMap((e) =>
		[...e.querySelectorAll("button, a, label")]).find((e) => e.textContent.trim() === ` + "`" + words + "`" + ` && !e.disabled)`
	b.want("!!" + find)
	b.do(chromedp.Evaluate[chromedp.Void](find + ".click()"))
}

// fill types into the field of this name, in place of what it holds.
func (b browser) fill(within, name, words string) {
	b.t.Helper()
	selector := within + ` [name="` + name + `"]`
	b.do(chromedp.WaitVisible(selector),
		chromedp.Evaluate[chromedp.Void]("document.querySelector(`"+selector+"`).select?.()"),
		chromedp.SendKeys(selector, words))
}

// issuedKey returns the key that is shown with its secret.
func (b browser) issuedKey() string {
	b.t.Helper()
	b.want(`document.querySelector(".secret code")`)
	return ask[string](b, `document.querySelector(".secret code").textContent`)
}

// revokeKey revokes one of a person's two keys.
func (b browser) revokeKey(key string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void]("[...document.querySelectorAll(`.profile tbody tr`)].find((row) => " +
		"row.textContent.includes(`" + key + "`)).querySelector(`.menu > button`).click()"))
	b.press(".menu", "Revoke")
	b.press(".dialog footer", "Revoke")
	b.want(`document.querySelectorAll(".profile tbody tr").length === 1`)
}

// TestAnOperatorSetsAServerUp with the pages alone: from the link of the first start to an organization with its
// people, a request answered, a key issued and revoked, and the audit log read.
func TestAnOperatorSetsAServerUp(t *testing.T) {
	s := mustServe(t)
	b := mustBrowse(t, s.FirstLink(t))
	b.want(`document.querySelector(".steps") && location.hash === ""`)
	b.picture("console-first-start")
	b.fill(".step:nth-child(1)", "password", password)
	b.press(".step:nth-child(1)", "Set password")
	b.want(`document.querySelector(".step:nth-child(1).done")`)
	b.fill(".step:nth-child(2)", "name", "General Hospital")
	b.press(".step:nth-child(2)", "Create")
	b.want(`document.querySelector(".step:nth-child(2).done")`)
	b.fill(".step:nth-child(3)", "display_name", "Alice Ames")
	b.fill(".step:nth-child(3)", "username", "alice")
	b.fill(".step:nth-child(3)", "password", password)
	b.press(".step:nth-child(3)", "Create")
	b.want(`document.querySelector(".step .made li")?.textContent.includes("Alice Ames")`)
	b.picture("console-first-start-people")

	b.press(".step:nth-child(4)", "General Hospital")
	b.want(`document.querySelectorAll("main tbody tr").length === 2`)
	list := filepath.Join(t.TempDir(), "people.csv")
	rows := "display_name,username,password,title\nBob Brown,bob," + password + ",Surgeon\n" +
		"\"Clarke, Carol\",carol," + password + ",=1+1\nAlice again,alice," + password + ",\n"
	if err := os.WriteFile(list, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	b.press("main", "Many from CSV")
	b.do(chromedp.SetUploadFiles(`.import input[type=file]`, []string{list}))
	b.want(`document.querySelectorAll(".import tbody tr").length === 1`)
	b.want(`document.querySelector(".import tbody tr td").textContent === "4"`)
	b.picture("console-import")
	b.press(".import", "Create 2 people")
	b.press(".import", "Results as CSV")
	b.do(chromedp.Click(`.dialog > header button`))
	b.want(`document.querySelectorAll("main tbody tr").length === 4`)
	b.picture("console-people")

	// Alice asks to be an administrator.
	operator := mustConnect(t, s.url, s.operator)
	issued, err := operator.CreateKey(t.Context(), "alice", client.NewKey{})
	if err != nil {
		t.Fatal(err)
	}
	organizations, err := operator.UserOrganizations(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	alice := mustConnect(t, s.url, credentials{issued.APIKey, issued.APISecret})
	if _, err := alice.GrantRole(t.Context(), "me", organizations[0].Token, "admin"); err != nil {
		t.Fatal(err)
	}
	b.press(".tabs", "Requests")
	b.want(`document.querySelector("main tbody tr")?.textContent.includes("Alice Ames")`)
	b.picture("console-requests")
	b.press("main tbody", "Approve")
	b.want(`document.querySelector("main .listing .empty")`)

	b.press(".tabs", "People")
	b.press("main tbody", "AAAlice AmesAdministrator")
	b.want(`document.querySelectorAll(".profile tbody tr").length === 1`)
	b.press(".profile", "New key")
	b.fill(".dialog", "days", "30")
	b.press(".dialog", "Issue")
	key := b.issuedKey()
	b.picture("console-secret")
	b.press(".dialog", "I have kept it")
	b.want(`document.querySelectorAll(".profile tbody tr").length === 2`)
	b.picture("console-person")
	b.revokeKey(key)

	b.press(".tabs", "Audit log")
	b.want(`[...document.querySelectorAll("main tbody code")].some((e) => e.textContent === "key.revoke")`)
	b.press("main", "Check")
	b.want(`document.querySelector("main [role=status]").textContent.includes("each follows")`)
	b.press("main", "Follow")
	b.want(`document.querySelector(".fresh")`)
	b.picture("console-audit")
	b.press(".tabs", "What is stuck")
	b.want(`document.querySelectorAll("main .listing .empty").length === 2`)
	b.press(".tabs", "Settings")
	b.want(`document.querySelector("main [name=ttl]")?.value === "43200"`)
	b.picture("console-organization-settings")
	b.do(chromedp.Click(`main [name=forward]`))
	b.press("main", "Save")
	b.want(`document.querySelector(".toasts p")`)

	for _, page := range []string{"Overview", "Organizations", "Keys", "What is stuck", "Audit log", "Settings"} {
		b.press(".console > nav", page)
		b.want(`document.querySelector("main h1")?.textContent === "` + page + `" && !document.querySelector("main [role=alert]")`)
		b.want(`document.querySelector("main tbody tr") || document.querySelector("main .listing .empty")`)
		b.picture("console-" + page)
	}
}
