package webtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// hostilePlace is an organization of people and groups of which all that can be set is hostile.
type hostilePlace struct {
	place
	organizations []string // one for each text, with its name
	people        []string
	groups        []string
	ward          string   // the group in which everybody said something
	files         []string // their names, as the server took them
}

// script writes a text as JavaScript has it.
func script(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always can be written
	}
	return string(literal)
}

// nth is the text of a place in the list, which goes round.
func nth(i int) string { return hostile[i%len(hostile)] }

// usernames allow letters, digits and three marks only.
func nameOrNumber(i int) string {
	if strings.Trim(nth(i), "abcdefghijklmnopqrstuvwxyz_") == "" {
		return nth(i)
	}
	return fmt.Sprint("person-", i)
}

// deviceName is as much of a text as the name of a device may hold.
func deviceName(i int) string {
	name := nth(i)
	return strings.ToValidUTF8(name[:min(len(name), 256)], "")
}

func devices() (names []string) {
	for i := range hostile {
		names = append(names, deviceName(i))
	}
	return names
}

// fileName is without control characters, which no header of a form may hold.
func fileName(i int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, nth(i))
}

func mustBuildHostilePlace(t *testing.T) hostilePlace {
	t.Helper()
	h := hostilePlace{place: mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames")}
	operator := mustConnect(t, h.url, h.operator)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(operator.UpdateOrganization(t.Context(), h.organization, client.OrganizationSettings{
		Name: new(nth(0)), Other: map[string]any{"hostile": nth(1)}}))
	var all []client.NewUser
	for i := range hostile {
		all = append(all, client.NewUser{DisplayName: nth(i), FirstName: nth(i + 1), LastName: nth(i + 2),
			Title: nth(i + 3), Department: nth(i + 4), Username: nameOrNumber(i), IssueKey: true})
	}
	made, err := operator.CreateUsers(t.Context(), h.organization, client.NewUsers{Users: all})
	must(err)
	for _, one := range made {
		if one.Err != nil {
			t.Fatalf("%q: %v", nth(one.Index), one.Err)
		}
		h.people = append(h.people, one.User.Token)
	}
	alice := h.clients["alice"]
	ward, err := alice.CreateGroup(t.Context(), client.NewGroup{Name: nth(5), Members: h.people})
	must(err)
	h.ward = ward.Token
	for i, one := range made {
		person := mustConnect(t, h.url, credentials{one.User.APIKey, one.User.APISecret})
		must(person.UpdateProfile(t.Context(), client.Profile{Status: new(nth(i + 5)), DND: new(i%2 == 0),
			DNDText: new(nth(i + 6)), AvatarURL: new("http://hostile.test/avatar.png?" + fmt.Sprint(i))}))
		must(person.SetMetadata(t.Context(), "me", client.Metadata{nameOrNumber(i): nth(i + 7)}))
		_, err := person.Send(t.Context(), client.Outgoing{Recipient: h.tokens["alice"], Body: nth(i),
			Data: []client.DataItem{{MimeType: nth(i + 1), Namespace: nth(i + 2), Payload: nth(i + 3)}}})
		must(err)
		said, err := person.Send(t.Context(), client.Outgoing{Recipient: h.ward, Body: nth(i), Full: true,
			Attachment: &client.Upload{Name: fileName(i + 9), Content: strings.NewReader("<script>hacked=1</script>"),
				ContentType: []string{"text/html", "image/svg+xml", "image/png"}[i%3]}})
		must(err)
		if i%3 < 2 { // the name of a picture is not to be seen
			h.files = append(h.files, said.Message.Attachments[0].Name)
		}
		group, err := alice.CreateGroup(t.Context(), client.NewGroup{Name: nth(i), Description: nth(i + 1),
			Members: []string{h.people[i]}, Metadata: client.Metadata{nameOrNumber(i): nth(i + 2)}})
		must(err)
		h.groups = append(h.groups, group.Token)
		_, err = person.Send(t.Context(), client.Outgoing{Recipient: group.Token, Body: nth(i + 4)})
		must(err)
		organization, err := operator.CreateOrganization(t.Context(), nth(i), client.OrganizationSettings{})
		must(err)
		h.organizations = append(h.organizations, organization)
		_, err = operator.AddToOrganization(t.Context(), h.tokens["alice"], organization,
			client.Membership{Title: nth(i + 1), Department: nth(i + 2)})
		must(err)
		device, _, err := client.SignIn(t.Context(), h.url,
			client.Login{User: "alice", Password: password, DeviceID: deviceName(i)})
		must(err)
		must(device.Close())
	}
	must(operator.SetPassword(t.Context(), "me", "", password))
	return h
}

// goTo shows another address without loading the page again.
func (b browser) goTo(path string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`history.pushState(null, "", %q); dispatchEvent(new PopStateEvent("popstate"))`, path)))
}

// holds waits until all of the texts stand in the page, of which none may do more, at any width.
func (b browser) holds(where string, texts ...string) {
	b.t.Helper()
	list, err := json.Marshal(append([]string{}, texts...))
	if err != nil {
		b.t.Fatal(err)
	}
	lacks := fmt.Sprintf(`%s.filter((words) => !(document.title + document.body.textContent).includes(words) &&
		![...document.querySelectorAll("input, textarea")].some(({value}) => value === words))`, list)
	b.want(lacks + `.length === 0`)
	for _, width := range widths {
		b.resize(width, tall)
		for _, problem := range append(ask[[]string](b, hacks+fmt.Sprintf("(%d)", width)), ask[[]string](b, wide)...) {
			b.t.Errorf("%s, %d pixels wide: %s", where, width, problem)
		}
	}
	b.picture("hostile-" + strings.ReplaceAll(where, "/", "-"))
}

// tall is the height of a window in which a whole list is seen: of lists, only what is seen is made.
const tall = 8000

// TestHostileTextsStayTexts: whatever somebody sets stands in the pages as it is, and does nothing.
func TestHostileTextsStayTexts(t *testing.T) {
	h := mustBuildHostilePlace(t)
	t.Run("messenger", func(t *testing.T) { h.messenger(mustBrowse(t, h.url)) })
	t.Run("console", func(t *testing.T) { h.console(mustBrowse(t, h.url)) })
	t.Run("addresses", func(t *testing.T) { h.addresses(mustBrowse(t, h.url)) })
}

func (h hostilePlace) messenger(b browser) {
	b.resize(1280, tall)
	b.signIn("alice")
	b.holds("list", hostile...)
	b.goTo("/c/" + h.ward + "/details")
	b.want(`document.querySelectorAll(".members li").length === ` + fmt.Sprint(len(hostile)+1))
	b.holds("group", append(h.files, hostile...)...)
	b.do(chromedp.Click(`.conversation header h2`))
	for i := range hostile {
		b.goTo("/c/" + h.people[i] + "/details")
		b.want(`document.querySelectorAll(".message").length === 1`)
		b.holds(fmt.Sprint("person-", i), nth(i), nth(i+3), nth(i+4), nth(i+5))
	}
	b.goTo("/")
	b.do(chromedp.Click(`button[aria-label="Settings"]`))
	b.want(fmt.Sprintf(`document.querySelectorAll(".devices li").length === %d`, len(hostile)+1))
	b.holds("devices", devices()...)
	for i := range hostile {
		b.do(chromedp.SetValue(`.dialog [name=display_name]`, nth(i)), chromedp.SetValue(`.dialog [name=status]`, nth(i+1)))
		b.press(".own form", "Save")
		b.want(`document.querySelector("nav h1").textContent === ` + script(nth(i)))
	}
	b.holds("own-name")
}

func (h hostilePlace) console(b browser) {
	b.resize(1280, tall)
	b.signIn("operator")
	b.do(chromedp.Navigate(h.url + "/console"))
	b.fill(".dialog", "password", password)
	b.do(chromedp.Click(`.dialog button[type=submit]`), chromedp.WaitVisible(`.figures`))
	b.holds("console")
	b.goTo("/console/organizations")
	b.holds("console-organizations", hostile...)
	at := "/console/organizations/" + h.organization
	b.goTo("/console/organizations/%ff/%zz")
	b.want(`document.querySelector("main [role=alert]")`)
	b.holds("console-malformed")
	for _, page := range []string{"people", "groups", "requests", "stuck", "settings", "audit"} {
		b.goTo(at + "/" + page)
		b.want(`document.querySelector("main h1")`)
		b.holds("console-"+page, map[string][]string{"people": hostile, "groups": hostile}[page]...)
	}
	for i := range hostile {
		b.goTo(at + "/people/" + h.people[i])
		b.holds(fmt.Sprint("console-person-", i), nth(i), nth(i+3), nth(i+4), nameOrNumber(i))
		b.goTo("/console/organizations/" + h.organizations[i] + "/settings")
		b.holds(fmt.Sprint("console-organization-", i), nth(i))
	}
	b.goTo(at + "/people/" + h.tokens["alice"])
	b.holds("console-devices", devices()...)
	for _, page := range []string{"keys", "stuck", "audit", "settings"} {
		b.goTo("/console/" + page)
		b.want(listed + ` || document.querySelector("main .listing .empty")`)
		b.holds("console-all-" + page)
	}
	list := "display_name,username\n"
	for _, text := range hostile {
		list += `"` + strings.ReplaceAll(text, `"`, `""`) + "\",alice\n"
	}
	file := filepath.Join(b.t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.goTo(at + "/people")
	b.press("main", "Many from CSV")
	b.do(chromedp.SetUploadFiles(`.import input[type=file]`, []string{file}))
	b.want(fmt.Sprintf(`document.querySelectorAll(".import tbody tr").length === %d`, len(hostile)))
	b.holds("console-import", hostile...)
}

// addresses opens pages whose addresses somebody made up.
func (h hostilePlace) addresses(b browser) {
	b.signIn("alice")
	for _, page := range []string{"/c/", "/?in=", "/console/organizations/", "/docs/"} {
		for _, text := range []string{`%3Cimg src=x onerror=hacked=1%3E`, "%ff%2e%2e"} {
			b.do(chromedp.Navigate(h.url + page + text))
			b.want(`document.querySelector("main")`)
			b.holds("address " + page + text)
		}
	}
	b.do(chromedp.Navigate(h.url+"/docs"), chromedp.WaitVisible(`input[type=search]`))
	for _, text := range hostile {
		b.do(chromedp.SetValue(`input[type=search]`, text),
			chromedp.Evaluate[chromedp.Void](`document.querySelector("input[type=search]").dispatchEvent(
				new Event("input", {bubbles: true}))`))
	}
	b.holds("docs-search")
}
