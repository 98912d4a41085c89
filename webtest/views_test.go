package webtest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"signet/client"
	"signet/web/browsertest"
)

// view is what a page shows in one state. What is held of every view, in every theme,
// width and language, goes through this table: a new page is a line in views.
type view struct {
	name  string
	who   string // signs in; empty: nobody
	path  string
	ready string // holds when it is shown

	wait  string          // calls of addresses like this stay without an answer
	fail  string          // calls of addresses like these find no server
	enter func(b browser) // what is done there; nil: nothing
}

// names are what no dictionary has.
var names = []string{"Alice Ames", "Nora Novak", "Ward 3", "Bob Brown", "Carol Clarke", "Today", "Signet",
	"General Hospital",
	"Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine", "نادية الحسن"}

// hospital is an organization in which all views have something to show.
type hospital struct {
	place
	group string
}

func mustBuildHospital(t *testing.T) hospital {
	t.Helper()
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Carol Clarke", "hubert=Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine", "nadia=نادية الحسن",
		"nora=Nora Novak")
	members := []string{p.tokens["bob"], p.tokens["carol"], p.tokens["hubert"], p.tokens["nadia"]}
	ward, err := p.clients["alice"].CreateGroup(t.Context(), client.NewGroup{Name: "Ward 3", Members: members})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		from string
		client.Outgoing
	}{
		{"bob", client.Outgoing{Recipient: "alice", Body: "Lab: potassium 6.1, please call back.", Priority: 1}},
		{"hubert", client.Outgoing{Recipient: "alice", Body: strings.Repeat("donaudampfschifffahrt", 20)}},
		{"nadia", client.Outgoing{Recipient: "alice", Body: "صباح الخير. هل السرير 12 شاغر؟"}},
		{"bob", client.Outgoing{Recipient: ward.Token, Body: "Good morning."}},
		{"bob", client.Outgoing{Recipient: ward.Token, Body: "The results of bed 12 are in."}},
		{"carol", client.Outgoing{Recipient: ward.Token, Body: "Who can take her up to theatre?"}},
		{"alice", client.Outgoing{Recipient: ward.Token, Body: "I can, in ten minutes."}},
		{"carol", client.Outgoing{Recipient: ward.Token, Body: "Thanks!", Priority: 1}},
	} {
		p.mustSend(t, m.from, m.Outgoing)
	}
	if err := mustConnect(t, p.url, p.operator).SetPassword(t.Context(), "me", "", password); err != nil {
		t.Fatal(err)
	}
	return hospital{p, ward.Token}
}

// listed holds when a list of the console has something in it.
const listed = `document.querySelector('main .listing tbody tr')`

// views are all that pages show.
func (h hospital) views() []view {
	conversation := "/c/" + h.group
	organization := "/console/organizations/" + h.organization
	return []view{
		{name: "sign-in", path: "/", ready: `document.querySelector('input[name=username]')`},
		{name: "sign-in-refused", path: "/", ready: `document.querySelector('input[name=username]')`,
			enter: func(b browser) {
				b.do(chromedp.SendKeys(`input[name=username]`, "alice"), chromedp.SendKeys(`input[name=password]`, "wrong"),
					chromedp.Click(`button[type=submit]`))
				b.want(`document.querySelector("[role=alert]").textContent !== ""`)
			}},
		{name: "messenger-empty", who: "nora", path: "/", ready: `document.querySelector('nav .empty')`},
		{name: "messenger-loading", who: "alice", path: "/", wait: "/v2/conversation?*",
			ready: `document.querySelector('nav')`},
		{name: "messenger-error", who: "alice", path: "/", fail: "/v2/conversation* /v2/events*",
			ready: `document.querySelector('.banner')`},
		{name: "messenger", who: "alice", path: "/", ready: `document.querySelectorAll('nav li').length >= 4`},
		{name: "conversation", who: "alice", path: conversation,
			ready: `document.querySelectorAll('.message').length >= 5`},
		{name: "conversation-loading", who: "alice", path: conversation, wait: "/v2/conversation/*",
			ready: `document.querySelector('.conversation .late')`},
		{name: "conversation-error", who: "alice", path: conversation, fail: "/v2/conversation/*",
			ready: `document.querySelector('.conversation .scroll.empty button')`},
		{name: "details", who: "alice", path: conversation + "/details", ready: `document.querySelector('.details')`},
		{name: "message-info", who: "alice", path: conversation, ready: `document.querySelector('.message.own')`,
			enter: func(b browser) {
				b.do(chromedp.Focus(`.message.own`), chromedp.KeyEvent("i"), chromedp.WaitVisible(`.progress-of li`))
			}},
		{name: "group-edit", who: "alice", path: conversation + "/details", ready: `document.querySelector('.members li')`,
			enter: func(b browser) {
				b.do(chromedp.Click(`.details .doing button:nth-child(2)`), chromedp.WaitVisible(`.dialog [name=history]`))
			}},
		{name: "group-add", who: "alice", path: conversation + "/details", ready: `document.querySelector('.members li')`,
			enter: func(b browser) {
				b.do(chromedp.Click(`.members header button`), chromedp.SendKeys(`.dialog input[type=search]`, "nora"),
					chromedp.WaitVisible(`.dialog .found button`))
			}},
		{name: "search", who: "alice", path: "/", ready: `document.querySelector('nav li')`, enter: func(b browser) {
			b.do(chromedp.SendKeys(`nav input[type=search]`, "no"), chromedp.WaitVisible(`.found button`))
		}},
		{name: "new-group", who: "alice", path: "/", ready: `document.querySelector('nav header button')`,
			enter: func(b browser) {
				b.do(chromedp.Click(`nav header button`), chromedp.SendKeys(`.dialog input[type=search]`, "bob"),
					chromedp.WaitVisible(`.dialog .found button`))
			}},
		{name: "settings", who: "alice", path: "/", ready: `document.querySelector('nav header button')`,
			enter: func(b browser) {
				b.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('nav header button')[1].click()`),
					chromedp.WaitVisible(`.devices li`))
			}},
		{name: "sign-in-by-key", path: "/", ready: `document.querySelector('input[name=username]')`,
			enter: func(b browser) { b.do(chromedp.Click(`.sign-in .quiet`), chromedp.WaitVisible(`input[name=secret]`)) }},
		{name: "help", who: "alice", path: "/", ready: `document.querySelector('nav li button')`, enter: func(b browser) {
			b.do(chromedp.KeyEvent("?"), chromedp.WaitVisible(`.keys`))
		}},
		{name: "console-elevate", who: "operator", path: "/console", ready: `document.querySelector('.dialog')`},
		{name: "console", who: "operator", path: "/console", ready: `document.querySelector('.dialog')`,
			enter: func(b browser) {
				b.fill(".dialog", "password", password)
				b.do(chromedp.Click(`.dialog button[type=submit]`), chromedp.WaitVisible(`.figures`))
			}},
		{name: "console-error", who: "operator", path: "/console", fail: "/v2/status*",
			ready: `document.querySelector('[role=alert]')`},
		{name: "console-start", who: "operator", path: "/console/start", ready: `document.querySelector('.steps')`},
		{name: "console-nowhere", who: "operator", path: "/console/nowhere", ready: `document.querySelector('main h1')`},
		{name: "console-nobody", who: "alice", path: "/console", ready: `document.querySelector('.plain')`},
		{name: "console-organizations", who: "operator", path: "/console/organizations", ready: listed},
		{name: "console-people", who: "operator", path: organization + "/people", ready: listed},
		{name: "console-person", who: "operator", path: organization + "/people/" + h.tokens["hubert"], ready: listed},
		{name: "console-groups", who: "operator", path: organization + "/groups", ready: listed},
		{name: "console-requests", who: "operator", path: organization + "/requests",
			ready: `document.querySelector('main .listing .empty')`},
		{name: "console-stuck", who: "operator", path: organization + "/stuck",
			ready: `document.querySelector('main .listing')`},
		{name: "console-rules", who: "operator", path: organization + "/settings",
			ready: `document.querySelector('main [name=ttl]')`},
		{name: "console-keys", who: "operator", path: "/console/keys", ready: listed},
		{name: "console-audit", who: "operator", path: "/console/audit", ready: listed},
		{name: "console-settings", who: "operator", path: "/console/settings", ready: listed},
		{name: "docs", path: "/docs", ready: `document.querySelectorAll('.docs li').length > 80`},
		{name: "docs-loading", path: "/docs", wait: "/openapi.json", ready: `document.querySelector('[role=status]')`},
		{name: "docs-error", path: "/docs", fail: "/openapi.json", ready: `document.querySelector('[role=alert]')`},
		{name: "docs-nothing", path: "/docs/nothing", ready: `document.querySelector('main .empty')`},
		{name: "docs-call", path: "/docs/sendMessage", ready: `document.querySelectorAll('.rows').length > 2`},
		{name: "docs-try", who: "alice", path: "/docs/getSelf", ready: `document.querySelector('.try')`,
			enter: func(b browser) {
				b.do(chromedp.Click(`.try button[type=submit]`))
				b.want(`document.querySelector('[aria-live] pre')?.textContent.includes('"username": "alice"') === true`)
			}},
	}
}

// show opens a view, for who is signed in already.
func (b browser) show(h hospital, v view) {
	b.t.Helper()
	b.do(answering(h.url, v), chromedp.Navigate(h.url+v.path))
	b.want("!!(" + v.ready + ")")
	if v.enter != nil {
		v.enter(b)
	}
}

// answering holds back, and fails, the calls that a view wants so, and lets the others pass.
func answering(url string, v view) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		var blocked []*network.BlockPattern
		for address := range strings.FieldsSeq(v.fail) {
			blocked = append(blocked, &network.BlockPattern{URLPattern: url + address, Block: true})
		}
		_, err := cdp.Call(ctx, target, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: blocked})
		if err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, target, fetch.Disable, cdp.Empty{}); err != nil || v.wait == "" {
			return err
		}
		held := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: url + v.wait}}}
		_, err = cdp.Call(ctx, target, fetch.Enable, held)
		return err
	})
}

// everyView shows each view in a browser of who sees it, made with these options.
func everyView(t *testing.T, h hospital, look func(b browser, v view), options ...chromedp.ExecAllocatorOption) {
	t.Helper()
	browsers := map[string]browser{}
	for _, v := range h.views() {
		b, open := browsers[v.who]
		if !open {
			b = browser{t, browsertest.Browse(t, h.url, options...)}
			if v.who != "" {
				b.signIn(v.who)
			}
			browsers[v.who] = b
		}
		b.show(h, v)
		look(b, v)
	}
}
