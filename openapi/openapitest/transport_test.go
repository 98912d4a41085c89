package openapitest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const (
	advisory = `{"event_id":"live-1","event":{"tigertext:iq:client_advisory":{"advisory":{"name":"replay_stop"}}}}`
	recalled = `{"event_id":"e1","event":{"tigertext:iq:message:status":{"client_id":"` + message +
		`","is_recalled":true}}}`
	twoKinds  = `{"event_id":"e1","event":{"tigertext:iq:reconnect":{},"tigertext:iq:sse:heartbeat":{}}}`
	namespace = `{"event_id":"e1","event":{"acme:iq:reconnect":{}}}`
)

func beginStream(w http.ResponseWriter) {
	head(w, "Content-Type: text/event-stream")
	_, _ = io.WriteString(w, ": signet\n\n")
	_ = http.NewResponseController(w).Flush()
}

// TestStreamIsNotHeldBack: each event is with the client before the server writes
// the next one; if something waited for more, both would wait forever.
func TestStreamIsNotHeldBack(t *testing.T) {
	next := make(chan bool)
	client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		for _, deadline := range []func(time.Time) error{control.SetReadDeadline, control.SetWriteDeadline} {
			if err := deadline(time.Time{}); err != nil {
				t.Errorf("set a deadline: %v", err)
			}
		}
		beginStream(w)
		for range next {
			_, _ = io.WriteString(w, "id: e1\ndata: "+recalled+"\n\n")
			if err := control.Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
		}
	})
	resp, err := client.Do(mustRequest(t, "GET", url+"/v2/events", "", "Accept: text/event-stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	wantLines(t, lines, ": signet\n", "\n")
	for range 3 {
		next <- true
		wantLines(t, lines, "id: e1\n", "data: "+recalled+"\n", "\n")
	}
	close(next)
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("at the end: got %q, %v", rest, err)
	}
	if said := w.said(); said != "" {
		t.Errorf("said %q", said)
	}
}

func wantLines(t *testing.T, r *bufio.Reader, want ...string) {
	t.Helper()
	for _, line := range want {
		if got, err := r.ReadString('\n'); err != nil || got != line {
			t.Fatalf("got %q, %v, want %q", got, err, line)
		}
	}
}

func TestStreamedEvents(t *testing.T) {
	const begin = ": signet\n\n"
	for _, c := range []struct{ name, written, want string }{
		{"an event", begin + "id: e1\ndata: " + recalled + "\n\n", ""},
		{"an event that is not queued", begin + "data: " + advisory + "\n\n", ""},
		{"a live event of a kind that is queued", begin + "data: " + recalled + "\n\n", ""},
		{"line ends of both kinds", begin + "id: e1\r\ndata: " + recalled + "\r\n\r\n", ""},
		{"comments and a retry", begin + ": alive\n\nretry: 5\n\n", ""},
		{"an event that is not over", begin + "data: {", ""},

		{"no comment at first", "data: " + advisory + "\n\n", "does not begin with a comment"},
		{"a named event", begin + "event: message\ndata: " + advisory + "\n\n", "unnamed"},
		{"an event of two kinds", begin + "data: " + twoKinds + "\n\n", "maxProperties"},
		{"another namespace", begin + "data: " + namespace + "\n\n", "acme:iq:reconnect"},
		{"no JSON", begin + "data: hello\n\n", "invalid character"},
		{"an id of what is not queued", begin + "id: live-1\ndata: " + advisory + "\n\n", "is not queued"},
		{"another id", begin + "id: e2\ndata: " + recalled + "\n\n", "is not its event_id"},
		{"an id alone", begin + "id: e2\n\n", "an id without data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
				head(w, "Content-Type: text/event-stream")
				for piece := range bytes.Lines([]byte(c.written)) {
					_, _ = w.Write(piece[:1]) // an event may come in any pieces
					_, _ = w.Write(piece[1:])
				}
			})
			_, got := mustDo(t, client, mustRequest(t, "GET", url+"/v2/events", "", "Accept: text/event-stream"))
			if got != c.written {
				t.Errorf("%q became %q on its way", c.written, got)
			}
			said := strings.ReplaceAll(w.said(), "maxProperties: got 2, want 1", "maxProperties")
			if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("got %q, want %q", said, c.want)
			}
		})
	}
}

func TestEventOfAWebSocketIsCompared(t *testing.T) {
	w := &watched{TB: t}
	v := New(w)
	v.Event([]byte(recalled))
	if said := w.said(); said != "" {
		t.Error(said)
	}
	v.Event([]byte(twoKinds))
	if said := w.said(); !strings.Contains(said, "/event") {
		t.Errorf("an event of two kinds: got %q", said)
	}
}

func TestWebSocketPassesThrough(t *testing.T) {
	client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		head(w)
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Errorf("accept: %v", err)
			return
		}
		defer conn.CloseNow()
		kind, frame, err := conn.Read(r.Context())
		if err == nil {
			err = conn.Write(r.Context(), kind, frame)
		}
		if err != nil {
			t.Errorf("echo: %v", err)
		}
		_ = conn.Close(websocket.StatusNormalClosure, "")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url+"/v2/events", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.Write(ctx, websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, frame, err := conn.Read(ctx); err != nil || string(frame) != "hello" {
		t.Errorf("got %q, %v", frame, err)
	}
	_, _, _ = conn.Read(ctx) // until the server has closed
	if said := w.said(); said != "" {
		t.Error(said)
	}
}

func TestDownloadPassesThrough(t *testing.T) {
	content := strings.Repeat("0123456789", 100_000)
	client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := w.(io.ReaderFrom); !ok {
			t.Error("a file cannot be copied without detours")
		}
		head(w, "Content-Type: image/png", `Etag: "x"`, "Content-Disposition: attachment")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	})
	path := url + "/v2/message/" + message + "/attachment/1"
	for _, c := range []struct {
		header string
		status int
		want   string
	}{
		{"Accept: */*", 200, content},
		{"Range: bytes=5-14", 206, content[5:15]},
		{`If-None-Match: "x"`, 304, ""},
	} {
		if resp, got := mustDo(t, client, mustRequest(t, "GET", path, "", c.header)); resp.StatusCode != c.status ||
			got != c.want {
			t.Errorf("%s: got %d and %d bytes", c.header, resp.StatusCode, len(got))
		}
	}
	if said := w.said(); said != "" {
		t.Errorf("%s", said)
	}
}

func TestEarlyHintsAreNoAnswer(t *testing.T) {
	client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		success(userReply)(w, r)
	})
	mustDo(t, client, mustRequest(t, "GET", url+"/v2/user", ""))
	if said := w.said(); said != "" {
		t.Error(said)
	}
}

func TestBrokenAnswerIsTheClientsToFind(t *testing.T) {
	client, url, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		head(w, "Content-Type: application/json", "Content-Length: 100")
		_, _ = io.WriteString(w, `{"status":`)
	})
	resp, err := client.Do(mustRequest(t, "GET", url+"/v2/user", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != io.ErrUnexpectedEOF || string(got) != `{"status":` {
		t.Errorf("got %q, %v", got, err)
	}
	if said := w.said(); said != "" {
		t.Errorf("an answer that was cut off was compared: %s", said)
	}
}
