package webtest

import (
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// entries are what the navigation of the console leads to.
const entries = `[...document.querySelectorAll(".console > nav a")].map((e) => e.textContent).join()`

// elevate gives the password again.
func (b browser) elevate() {
	b.t.Helper()
	b.fill(".dialog", "password", password)
	b.do(chromedp.Click(`.dialog button[type=submit]`))
	b.want(`!document.querySelector("dialog")`)
}

// TestAnAdministratorKeepsAnOrganization: its own and no other, with what operators have left out: a request is
// answered, a key issued and revoked, the audit log read, and what is stuck is seen.
func TestAnAdministratorKeepsAnOrganization(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	operator := mustConnect(t, p.url, p.operator)
	elsewhere, err := operator.CreateOrganization(t.Context(), "Clinic by the Lake", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	carol := client.NewUser{Username: "carol", DisplayName: "Carol Clarke"}
	if _, err := operator.CreateUser(t.Context(), elsewhere, carol); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.GrantRole(t.Context(), p.tokens["alice"], p.organization, "admin"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.clients["bob"].GrantRole(t.Context(), "me", p.organization, "admin"); err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "alice", client.Outgoing{Recipient: "bob", Body: "Is bed 12 free?"})

	b := mustBrowse(t, p.url)
	b.resize(1280, 800)
	b.signIn("alice")
	b.do(chromedp.Click(`nav a[href="/console"]`))
	b.elevate()
	b.want(entries + ` === "Overview,Organizations,Messenger,API"`)
	b.want(`document.querySelectorAll(".cards li").length === 1 && !document.querySelector(".figures")`)
	b.picture("console-administrator")
	b.do(chromedp.Click(`.cards a`))
	b.want(`document.querySelector("main h1")?.textContent === "General Hospital"`)

	b.press(".tabs", "Requests")
	b.want(`document.querySelector("main tbody tr")?.textContent.includes("Bob Brown")`)
	b.press("main tbody", "Approve")
	b.want(`document.querySelector("main .listing .empty")`)
	roles, err := p.clients["bob"].Roles(t.Context(), "me", p.organization)
	if err != nil || len(roles) != 1 || len(roles[0].Roles) != 1 {
		t.Errorf("Bob has the roles %v, %v", roles, err)
	}

	b.press(".tabs", "People")
	b.press("main tbody", "BBBob BrownAdministrator")
	b.want(`document.querySelectorAll(".profile tbody tr").length === 1`)
	b.press(".profile", "New key")
	b.fill(".dialog", "networks", "10.0.0.0/40")
	b.press(".dialog", "Issue")
	b.want(`document.querySelector(".dialog [name=networks][aria-invalid]")`)
	b.fill(".dialog", "networks", "10.0.0.0/8")
	b.press(".dialog", "Issue")
	key := b.issuedKey()
	b.press(".dialog", "I have kept it")
	b.want(`document.querySelectorAll(".profile tbody tr").length === 2`)
	b.want(`document.querySelector(".profile tbody").textContent.includes("10.0.0.0/8")`)
	b.revokeKey(key)
	b.press(".profile", "Title and department")
	b.fill(".dialog", "title", "Dr.")
	b.press(".dialog", "Save")
	b.want(`document.querySelector(".profile header").textContent.includes("Dr.")`)

	b.press(".tabs", "People")
	b.press("main", "Add somebody")
	b.fill(".dialog", "address", "nobody")
	b.press(".dialog", "Add somebody")
	b.want(`document.querySelector(".dialog [role=alert]")`)
	b.fill(".dialog", "address", "carol")
	b.fill(".dialog", "department", "Surgery")
	b.press(".dialog", "Add somebody")
	b.want(`[...document.querySelectorAll("main tbody tr")].some((e) => /Carol Clarke.*Surgery/.test(e.textContent))`)

	b.press(".tabs", "Audit log")
	b.want(`[...document.querySelectorAll("main tbody code")].some((e) => e.textContent === "key.revoke")`)
	b.press(".tabs", "What is stuck")
	b.do(chromedp.SetValue(`main select`, "0"), chromedp.Evaluate[chromedp.Void](
		`document.querySelector("main select").dispatchEvent(new Event("change", {bubbles: true}))`))
	b.want(`document.querySelector("main tbody")?.textContent.includes("Bob Brown")`)
	b.want(`!document.body.textContent.includes("Is bed 12 free?")`)
	b.picture("console-administrator-stuck")
	b.do(chromedp.Navigate(p.url + "/console/keys"))
	b.want(`document.querySelector("main h1") && !document.querySelector("main table")`)
}

// TestTheOverviewAsksNobodyByItself: the clock renews it while it is looked at and the session is elevated. Where that
// has ended, it says so and waits.
func TestTheOverviewAsksNobodyByItself(t *testing.T) {
	s := mustServe(t)
	operator := mustConnect(t, s.url, s.operator)
	if err := operator.SetPassword(t.Context(), "me", "", password); err != nil {
		t.Fatal(err)
	}
	b := mustBrowse(t, s.url)
	b.signIn("operator")
	b.do(chromedp.Navigate(s.url + "/console"))
	b.elevate()
	b.want(`document.querySelector(".figures")`)
	b.do(chromedp.Click(`.bar .elevated`))
	b.want(`!document.querySelector(".bar .elevated")`)
	b.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event("visibilitychange"))`))
	b.want(`document.querySelector("main [role=alert] button")`)
	b.want(`document.querySelector(".figures") && !document.querySelector("dialog")`)
	b.press("main [role=alert]", "Try again")
	b.elevate()
	b.want(`document.querySelector(".figures") && !document.querySelector("main [role=alert]")`)
}
