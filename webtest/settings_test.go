package webtest

import (
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// TestOneKeepsProfileDevicesAndGroups: what others see of one, how the page looks, a device that is lost, a
// conversation that is muted and a group that is left.
func TestOneKeepsProfileDevicesAndGroups(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	group, err := p.clients["alice"].CreateGroup(t.Context(),
		client.NewGroup{Name: "Ward 3", Members: []string{p.tokens["bob"]}})
	if err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "alice", client.Outgoing{Recipient: group.Token, Body: "Good morning."})
	lost := mustBrowse(t, p.url)
	lost.signIn("bob")
	bob := mustBrowse(t, p.url)
	bob.resize(1280, 800)
	bob.signIn("bob")

	bob.do(chromedp.Click(`button[aria-label="Settings"]`))
	bob.want(`document.querySelectorAll(".devices li").length === 2`)
	bob.fill(".dialog", "status", "In theatre")
	bob.do(chromedp.SetUploadFiles(`.portray input[type=file]`, []string{mustDraw(t, t.TempDir(), "bob.png")}))
	bob.want(`document.querySelector(".portray img")?.naturalWidth === 40`)
	bob.press(".dialog", "Save")
	bob.want(`document.querySelector(".toasts p")?.textContent === "Saved."`)
	bob.picture("settings")
	bob.press(".devices", "Sign out")
	bob.want(`document.querySelectorAll(".devices li").length === 1`)
	lost.do(chromedp.WaitVisible(`input[name=username]`))
	bob.do(chromedp.Evaluate[chromedp.Void](`(() => {
		for (const [label, value] of [["Theme", "dark"], ["Language", "de"]]) {
			const e = [...document.querySelectorAll(".dialog .field")].find((f) => f.textContent.startsWith(label))
				.querySelector("select");
			e.value = value;
			e.dispatchEvent(new Event("change", {bubbles: true}));
		}
	})()`))
	bob.want(`document.documentElement.lang === "de" && document.documentElement.dataset.theme === "dark"`)
	bob.want(`document.querySelector(".dialog h2").textContent === "Einstellungen"`)
	bob.picture("settings-german")
	bob.do(chromedp.Click(`.dialog > header button`))
	if me, err := p.clients["alice"].User(t.Context(), "bob"); err != nil || me.Status != "In theatre" || me.Avatar == "" {
		t.Errorf("others see the status %q and the picture %q, %v", me.Status, me.Avatar, err)
	}

	bob.do(chromedp.Navigate(p.url + "/c/" + group.Token + "/details"))
	bob.want(`document.querySelectorAll(".members li").length === 2`)
	bob.press(".details", "Stummschalten")
	bob.want(`document.querySelector(".conversations .mute")`)
	bob.picture("details-muted")
	bob.press(".details", "Gruppe verlassen")
	bob.press(".dialog footer", "Gruppe verlassen")
	bob.want(`location.pathname === "/"`)
	if left, err := p.clients["alice"].Members(t.Context(), group.Token); err != nil || len(left) != 1 {
		t.Errorf("the group has %d members, %v", len(left), err)
	}
}
