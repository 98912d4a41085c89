package webtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"signet/client"
)

// line is the network between browsers and a server, which can be cut.
type line struct {
	url string
	to  string

	mu    sync.Mutex // guards the rest
	cut   bool
	pairs []net.Conn
}

// mustConnectBy makes a line that ends with the test.
func mustConnectBy(t *testing.T, url string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{url: "http://" + listener.Addr().String(), to: strings.TrimPrefix(url, "http://")}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close() // nothing was written to it
		l.set(true)
		running.Wait()
	})
	return l
}

// carry carries what both ends of a connection write, until one closes it or the line is cut.
func (l *line) carry(here net.Conn) {
	defer here.Close()
	there, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer there.Close()
	l.mu.Lock()
	l.pairs = append(l.pairs, here, there)
	cut := l.cut
	l.mu.Unlock()
	if cut {
		return
	}
	go func() {
		_, _ = io.Copy(there, here) // it fails where the other one ends
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
}

// set cuts the line, or mends it.
func (l *line) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	if cut {
		for _, conn := range l.pairs {
			_ = conn.Close() // it may have ended
		}
		l.pairs = nil
	}
}

// bodies are the messages that are seen, the oldest first, joined by "|".
const bodies = `[...document.querySelectorAll(".message .body")].map((e) => e.textContent).join("|")`

// TestWhatIsUnsentWaitsForTheNetwork: it goes in order and once, and what was missed is there.
func TestWhatIsUnsentWaitsForTheNetwork(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Carol Clarke")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Is bed 12 free?"})
	network := mustConnectBy(t, p.url)
	alice := mustBrowse(t, network.url)
	alice.signIn("alice")
	alice.do(chromedp.Click(`nav li button`), chromedp.WaitVisible(`.message .body`))

	network.set(true)
	alice.want(`document.querySelector(".banner")?.textContent === "No connection. What is loaded stays readable."`)
	want := []string{"Is bed 12 free?"}
	for i := range 5 {
		body := fmt.Sprintf("Line %d", i)
		want = append(want, body)
		alice.do(chromedp.SendKeys(`textarea`, body+"\r"))
	}
	alice.want(bodies + ` === "` + strings.Join(want, "|") + `"`)
	alice.want(`document.querySelectorAll(".status-sending").length === 5`)
	alice.do(chromedp.SendKeys(`input[type=search]`, "carol"))
	alice.want(`document.querySelector("nav [role=alert]")?.textContent === "There is no connection to the server."`)
	alice.picture("offline")
	alice.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("input[type=search]").select()`),
		chromedp.SendKeys(`input[type=search]`, "\b"))
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Hello?"})
	p.mustSend(t, "carol", client.Outgoing{Recipient: "alice", Body: "Good morning."})

	network.set(false)
	alice.want(`!document.querySelector(".banner")`)
	alice.want(`document.querySelectorAll(".message.own .status-new").length === 5`)
	want = slices.Insert(want, 1, "Hello?")
	alice.want(bodies + ` === "` + strings.Join(want, "|") + `"`)
	alice.want(`document.querySelector(".conversations .badge")?.textContent === "1"`)
	history, err := p.clients["bob"].History(t.Context(), p.tokens["alice"], client.HistoryPlace{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var arrived []string
	for _, m := range slices.Backward(history.Results) {
		arrived = append(arrived, m.Body)
	}
	if !slices.Equal(arrived, want) {
		t.Errorf("on the server there are %q, not %q", arrived, want)
	}
}

// front brings a tab before the others of its browser, where people look at it.
func (b browser) front() {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.BringToFront, cdp.Empty{})
		return err
	}))
	b.want(`document.visibilityState === "visible"`)
}

// open opens the conversation with a name.
func (b browser) open(name string) {
	b.t.Helper()
	find := `[...document.querySelectorAll(".conversations button")].find((e) => e.textContent.includes("` + name + `"))`
	b.want(find)
	b.do(chromedp.Evaluate[chromedp.Void](find + ".click()"))
	b.want(`document.querySelector(".conversation h2")?.textContent === "` + name + `" && document.querySelector(".message")`)
}

// TestTabsAgreeOnWhatIsUnread: what one has read is read in the other, also where it was never opened.
func TestTabsAgreeOnWhatIsUnread(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown",
		"carol=Carol Clarke")
	one := mustBrowse(t, p.url)
	one.signIn("alice")
	other := one.tab(p.url)
	other.want(`document.querySelector("nav .empty")`)
	for _, name := range []string{"bob", "carol"} {
		p.mustSend(t, name, client.Outgoing{Recipient: "alice", Body: "Good morning."})
	}
	for _, tab := range []browser{one, other} {
		tab.want(`document.querySelectorAll(".conversations .badge").length === 2 && document.title === "(2) Signet"`)
	}
	one.front()
	one.open("Carol Clarke")
	for _, tab := range []browser{one, other} {
		tab.want(`document.querySelectorAll(".conversations .badge").length === 1 && document.title === "(1) Signet"`)
	}
	other.front()
	other.open("Carol Clarke")
	p.mustSend(t, "carol", client.Outgoing{Recipient: "alice", Body: "Hello?"})
	for _, tab := range []browser{one, other} {
		tab.want(`document.querySelectorAll(".message").length === 2 && document.title === "(1) Signet"`)
	}
	other.open("Bob Brown")
	for _, tab := range []browser{one, other} {
		tab.want(`!document.querySelector(".conversations .badge") && document.title === "Signet"`)
	}
}

// TestWhatIsReadElsewhereIsFound when one comes back to a device, since no event tells of it.
func TestWhatIsReadElsewhereIsFound(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	alice := mustBrowse(t, p.url)
	alice.signIn("alice")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Good morning."})
	alice.want(`document.querySelector(".conversations .badge")?.textContent === "1"`)
	p.mustRead(t, "alice", "bob")
	alice.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event("visibilitychange"))`))
	alice.want(`!document.querySelector(".conversations .badge")`)
}

// TestALateAnswerTakesNothingBack: what came while the server was asked stays, and so does how far it got.
func TestALateAnswerTakesNothingBack(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{}, "alice=Alice Ames", "bob=Bob Brown")
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Good morning."})
	alice := mustBrowse(t, p.url)
	alice.signIn("alice")
	alice.open("Bob Brown")
	alice.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const plain = window.fetch;
		window.held = [];
		window.fetch = async (...call) => {
			const answer = await plain(...call);
			if (String(call[0]).includes("/message?limit=200")) await new Promise((go) => window.held.push(go));
			return answer;
		};
		document.dispatchEvent(new Event("visibilitychange"));
	})()`))
	alice.want(`window.held.length === 1`)
	p.mustSend(t, "bob", client.Outgoing{Recipient: "alice", Body: "Hello?"})
	alice.want(bodies + ` === "Good morning.|Hello?"`)
	alice.do(chromedp.SendKeys(`textarea`, "Yes.\r"))
	alice.want(`document.querySelector(".message.own .status-new, .message.own .status-delivered")`)
	p.mustRead(t, "bob", "alice")
	alice.want(`document.querySelector(".message.own .status-read")`)
	alice.do(chromedp.Evaluate[chromedp.Void](`(() => {
		window.lost = false;
		const stays = () => document.querySelectorAll(".message").length === 3 && document.querySelector(".own .status-read");
		new MutationObserver(() => { window.lost ||= !stays(); })
			.observe(document.querySelector(".messages"), {childList: true, subtree: true, attributes: true});
		window.held[0]();
		document.dispatchEvent(new Event("visibilitychange"));
	})()`))
	alice.want(`window.held.length === 2`) // which is asked for after the first answer was taken in
	alice.want(bodies + ` === "Good morning.|Hello?|Yes."`)
	if ask[bool](alice, `window.lost`) {
		t.Error("something was taken back")
	}
}
