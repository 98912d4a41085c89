package webtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// place is an organization with people, each of whom has a program too.
type place struct {
	server
	organization string
	tokens       map[string]string
	clients      map[string]*client.Client
}

// mustFill makes an organization of people: each by a user name, "=", and a name.
func mustFill(t testing.TB, s server, settings client.OrganizationSettings, names ...string) place {
	t.Helper()
	operator := mustConnect(t, s.url, s.operator)
	organization, err := operator.CreateOrganization(t.Context(), "General Hospital", settings)
	if err != nil {
		t.Fatal(err)
	}
	p := place{s, organization, map[string]string{}, map[string]*client.Client{}}
	for _, name := range names {
		username, name, _ := strings.Cut(name, "=")
		made, err := operator.CreateUser(t.Context(), organization,
			client.NewUser{DisplayName: name, Username: username, Password: password, IssueKey: true})
		if err != nil {
			t.Fatal(err)
		}
		p.tokens[username] = made.Token
		p.clients[username] = mustConnect(t, s.url, credentials{made.APIKey, made.APISecret})
	}
	return p
}

// mustSend sends a message by a program of somebody's.
func (p place) mustSend(t testing.TB, from string, message client.Outgoing) string {
	t.Helper()
	if token, ok := p.tokens[message.Recipient]; ok {
		message.Recipient = token
	}
	sent, err := p.clients[from].Send(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	return sent.MessageID
}

// mustRead marks all of a conversation as read by a program of somebody's.
func (p place) mustRead(t testing.TB, reader, with string) {
	t.Helper()
	history, err := p.clients[reader].History(t.Context(), p.tokens[with], client.HistoryPlace{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = p.clients[reader].ReadConversation(t.Context(), p.tokens[with], history.Results[0].SortNumber)
	if err != nil {
		t.Fatal(err)
	}
}

// resize gives the window another width.
func (b browser) resize(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// atEnd holds where the newest message is seen.
const atEnd = `(box => box.scrollHeight - box.scrollTop - box.clientHeight < 24)(document.querySelector('.scroll'))`

// TestTalkLook: a group and people, as they are seen at three widths and in both themes.
func TestTalkLook(t *testing.T) {
	s := mustServe(t)
	p := mustFill(t, s, client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown", "carol=Carol Clarke",
		"hubert=Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine", "nadia=نادية الحسن")
	names := []string{"bob", "carol", "hubert", "nadia"}
	members := []string{}
	for _, name := range names {
		members = append(members, p.tokens[name])
	}
	ward, err := p.clients["alice"].CreateGroup(t.Context(), client.NewGroup{Name: "Ward 3", Members: members})
	if err != nil {
		t.Fatal(err)
	}
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Lab: potassium 6.1, please call back.", Priority: 1})
	p.mustSend(t, names[2], client.Outgoing{Recipient: "alice", Body: strings.Repeat("donaudampfschifffahrt", 20)})
	p.mustSend(t, names[3], client.Outgoing{Recipient: "alice", Body: "صباح الخير. هل السرير 12 شاغر؟"})
	for i, body := range []string{"Good morning.", "The results of bed 12 are in: https://lab.example.org/r/4711.",
		"Who can take her up to theatre?", "I can, in ten minutes.", "> Bob Brown:\n> Who can take her up?\n\nOn my way."} {
		p.mustSend(t, []string{"bob", "bob", "bob", "carol", "alice"}[i], client.Outgoing{Recipient: ward.Token, Body: body})
	}
	p.mustSend(t, "carol", client.Outgoing{Recipient: ward.Token, Body: "Thanks!", TTL: 55})
	p.mustSend(t, names[3], client.Outgoing{Recipient: ward.Token, Body: "شكرا", Priority: 1})

	alice := mustBrowse(t, s.url)
	alice.resize(1280, 800)
	alice.signIn("alice")
	alice.want(`document.querySelectorAll('.conversations button').length === 4`)
	alice.do(chromedp.Click(`.conversations li:nth-child(2) button`), chromedp.WaitVisible(`.new`))
	alice.want(`document.querySelector('.message:last-child .body').textContent === 'شكرا'`)
	alice.want(`!document.querySelector('.conversations li:nth-child(2) .badge')`)
	alice.do(chromedp.SendKeys(`textarea`, "Theatre 2 is ready."))
	for _, theme := range []string{"light", "dark"} {
		alice.do(chromedp.Evaluate[chromedp.Void](`document.documentElement.dataset.theme = '` + theme + `'`))
		for _, width := range []int64{1280, 800, 360} {
			alice.resize(width, 800)
			alice.want(atEnd)
			alice.picture(fmt.Sprintf("talk-%s-%d", theme, width))
		}
	}
	alice.do(chromedp.Click(`.conversation header button:last-child`), chromedp.WaitVisible(`.details`))
	for _, width := range []int64{1280, 800, 360} {
		alice.resize(width, 800)
		alice.picture(fmt.Sprintf("talk-details-%d", width))
	}
	alice.do(chromedp.Click(`.details header button`), chromedp.Click(`.conversation .back`))
	alice.picture("talk-list-360")
}
