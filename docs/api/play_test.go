package apidocs

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"signet/internal/app/apptest"
)

// play carries out the examples of a page.
type play struct {
	t     *testing.T
	cast  *apptest.Cast
	http  *http.Client
	names apptest.Names
	line  string // where the example is printed

	request apptest.Request // the one whose answer comes next
	stream  *apptest.Stream // the last that was opened
	socket  *websocket.Conn
}

func (p *play) run(e example) {
	p.t.Helper()
	switch {
	case e.request != nil:
		p.prepare(*e.request)
	case e.frames != nil && p.socket != nil:
		p.talk(e.frames)
	case e.frames != nil && p.stream != nil:
		p.wantLines(e.frames)
	case e.answer == nil:
		p.t.Fatalf("%s: no stream is open", p.line)
	case e.answer.Status == http.StatusSwitchingProtocols:
		p.openSocket(e.answer)
	case strings.HasPrefix(e.answer.Header.Get("Content-Type"), "text/event-stream"):
		p.openStream(e.answer)
	default:
		p.wantAnswer(e.answer, p.cast.MustSend(p.t, p.http, p.request))
	}
}

// prepare fills in what the examples before have told.
func (p *play) prepare(r apptest.Request) {
	p.t.Helper()
	headers := make([][2]string, len(r.Header))
	for i, h := range r.Header {
		headers[i] = [2]string{h[0], p.fill(h[1])}
	}
	r.Target, r.Header, r.Body = p.fill(r.Target), headers, p.fill(r.Body)
	p.request = r
}

func (p *play) fill(text string) string {
	p.t.Helper()
	filled, err := p.names.Fill(text)
	if err != nil {
		p.t.Fatalf("%s: %v", p.line, err)
	}
	return filled
}

func (p *play) wantAnswer(want *apptest.Answer, got apptest.Answer) {
	p.t.Helper()
	p.wantHead(want, got.Status, got.Header)
	switch {
	case strings.HasPrefix(got.Header.Get("Content-Type"), "application/json"):
		p.want(p.names.MatchJSON(want.Body, got.Body))
	case !p.names.MatchText(want.Body, strings.TrimRight(strings.ReplaceAll(got.Body, "\r\n", "\n"), "\n")):
		p.t.Errorf("%s: the body is %q, want %q", p.line, got.Body, want.Body)
	}
	if p.t.Failed() {
		p.t.Fatalf("%s: %s %s answered %d %v\n%s", p.line, p.request.Method, p.request.Target, got.Status, got.Header,
			got.Body)
	}
}

// wantHead compares the status and the headers that are printed. Those of the
// vendor are to be printed, all of them.
func (p *play) wantHead(want *apptest.Answer, status int, headers http.Header) {
	p.t.Helper()
	if status != want.Status {
		p.t.Errorf("%s: got %d, want %d", p.line, status, want.Status)
	}
	for name, values := range want.Header {
		if problems := p.names.MatchJSON(quote(values[0]), quote(headers.Get(name))); problems != nil {
			p.t.Errorf("%s: the header %s is %q, want %q", p.line, name, headers.Get(name), values[0])
		}
	}
	for name := range headers {
		if strings.HasPrefix(name, "Tt-X-") && want.Header[spelt(want.Header, name)] == nil {
			p.t.Errorf("%s: the header %s: %s is not printed", p.line, name, headers.Get(name))
		}
	}
}

// spelt returns a header's name as it is printed.
func spelt(printed http.Header, name string) string {
	for as := range printed {
		if strings.EqualFold(as, name) {
			return as
		}
	}
	return name
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func (p *play) want(problems []string) {
	p.t.Helper()
	for _, problem := range problems {
		p.t.Errorf("%s: %s", p.line, problem)
	}
}

func (p *play) openStream(want *apptest.Answer) {
	p.t.Helper()
	p.stream = p.cast.MustOpen(p.t, p.http, p.request)
	p.wantHead(want, p.stream.Status, p.stream.Header)
	p.wantLines(strings.Split(want.Body, "\n"))
}

// wantLines reads as many lines of the stream as are printed. Blank ones, which
// only part events, are passed over.
func (p *play) wantLines(lines []string) {
	p.t.Helper()
	for _, want := range lines {
		if want == "" {
			continue
		}
		got := ""
		for got == "" {
			var open bool
			if got, open = p.stream.Line(); !open {
				p.t.Fatalf("%s: the stream has ended, want %s", p.line, want)
			}
		}
		name, value, _ := strings.Cut(want, ": ")
		gotName, gotValue, _ := strings.Cut(got, ": ")
		switch {
		case name != gotName:
			p.t.Fatalf("%s: the stream has %s, want %s", p.line, got, want)
		case name == "data":
			p.want(p.names.MatchJSON(value, gotValue))
		default:
			p.want(p.names.MatchJSON(quote(value), quote(gotValue)))
		}
		if p.t.Failed() {
			p.t.Fatalf("%s: the stream has %s", p.line, got)
		}
	}
}

func (p *play) openSocket(want *apptest.Answer) {
	p.t.Helper()
	header := http.Header{}
	for _, h := range p.request.Header {
		if h[0] != "Connection" && h[0] != "Upgrade" {
			header.Set(h[0], h[1])
		}
	}
	conn, response, err := websocket.Dial(p.t.Context(), p.cast.URL+p.request.Target,
		&websocket.DialOptions{HTTPClient: p.http, HTTPHeader: header})
	if err != nil {
		p.t.Fatalf("%s: %v", p.line, err)
	}
	p.t.Cleanup(func() { _ = conn.CloseNow() })
	p.wantHead(want, response.StatusCode, response.Header)
	p.socket = conn
}

// talk sends and receives the printed frames: `> ` is the client's, `< ` the
// server's.
func (p *play) talk(frames []string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), apptest.Patience)
	defer cancel()
	for _, frame := range frames {
		sender, text, _ := strings.Cut(frame, " ")
		if sender == ">" {
			if err := p.socket.Write(ctx, websocket.MessageText, []byte(p.fill(text))); err != nil {
				p.t.Fatalf("%s: %v", p.line, err)
			}
			continue
		}
		_, got, err := p.socket.Read(ctx)
		if err != nil {
			p.t.Fatalf("%s: %v", p.line, err)
		}
		p.want(p.names.MatchJSON(text, string(got)))
	}
}
