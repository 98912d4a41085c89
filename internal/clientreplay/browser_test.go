package clientreplay

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/testenv"
)

const (
	origin  = "https://app.example.com"
	foreign = "https://elsewhere.example"
)

// newBrowser is a client that runs in a page of an allowed origin.
func newBrowser(t *testing.T) *story {
	t.Helper()
	server := apptest.Start(t, func(cfg *config.Config) { cfg.CORS.Origins = []string{origin} })
	return newClient(t, server.People(), alice)
}

// TestBrowsersMaySendWhatTheSDKsSend asks, for each recorded request of the
// JavaScript SDKs, what a browser asks before it sends it, as the Fetch standard
// has it (CORS-preflight fetch).
func TestBrowsersMaySendWhatTheSDKsSend(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := newBrowser(t)
	for _, recording := range []string{"js3.md", "js13.md"} {
		for _, r := range mustReadRecording(t, recording) {
			if strings.Contains(r.target, "auth_basic=") {
				continue // an event source without headers asks nothing before
			}
			var unsafe []string
			for _, h := range r.headers {
				switch name := strings.ToLower(h.name); name {
				case "accept":
				case "auth":
					unsafe = append(unsafe, "authorization")
				case "ct":
					if h.value == "json" { // multipart is safe
						unsafe = append(unsafe, "content-type")
					}
				default:
					unsafe = append(unsafe, name)
				}
			}
			slices.Sort(unsafe)
			s.where = recording + ": preflight of " + r.method + " " + r.target
			target := placeholders.ReplaceAllString(r.target, "x")
			a := s.preflight(target, origin, r.method, strings.Join(unsafe, ","))
			if a.Status != 204 || a.Body != "" {
				t.Fatalf("%s: got %d %s", s.where, a.Status, a.Body)
			}
			s.wantAllowed(a.Header)
			if !listed(a.Header.Get("Access-Control-Allow-Methods"), r.method) {
				t.Errorf("%s: the methods %s do not have it", s.where, a.Header.Get("Access-Control-Allow-Methods"))
			}
			for _, name := range unsafe {
				if !listed(a.Header.Get("Access-Control-Allow-Headers"), name) {
					t.Errorf("%s: the headers %s do not have %s", s.where, a.Header.Get("Access-Control-Allow-Headers"), name)
				}
			}
			refused := s.preflight(target, foreign, r.method, strings.Join(unsafe, ","))
			if refused.Status != 405 || refused.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s of a foreign origin: got %d %v", s.where, refused.Status, refused.Header)
			}
		}
	}
}

func (s *story) preflight(target, origin, method, headers string) apptest.Answer {
	s.t.Helper()
	return s.cast.MustSend(s.t, s.http, apptest.Request{Method: "OPTIONS", Target: target, Header: [][2]string{
		{"Origin", origin}, {"Access-Control-Request-Method", method}, {"Access-Control-Request-Headers", headers},
		{"Sec-Fetch-Mode", "cors"}}})
}

// listed reports whether a header lists a word. Browsers take no wildcard where
// there are credentials.
func listed(header, word string) bool {
	for item := range strings.SplitSeq(header, ",") {
		if strings.EqualFold(strings.TrimSpace(item), word) {
			return true
		}
	}
	return false
}

// wantAllowed checks what lets a page of the allowed origin have an answer.
func (s *story) wantAllowed(h http.Header) {
	s.t.Helper()
	if h.Get("Access-Control-Allow-Origin") != origin || h.Get("Access-Control-Allow-Credentials") != "true" ||
		!listed(h.Get("Vary"), "Origin") {
		s.t.Errorf("%s: the page may not have the answer: %v", s.where, h)
	}
}

// TestBrowsersReadWhatTheSDKsRead: an answer is the page's, and so are the
// headers that the SDKs take ids from.
func TestBrowsersReadWhatTheSDKsRead(t *testing.T) {
	t.Parallel()
	s := newBrowser(t)
	fromPage := [][2]string{{"Origin", origin}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "cors"}}
	for _, a := range []apptest.Answer{
		s.ask("GET", "/v2/user", "", want{status: 200, reply: aliceShape}, fromPage...),
		s.ask("POST", "/v2/message", `{"recipient":"<bob>","body":"hello"}`, want{status: 204}, fromPage...),
		s.ask("POST", "/v2/group", `{"members":"<bob>"}`, want{status: 204}, fromPage...),
		s.ask("GET", "/v2/user/nobody", "", want{status: 404, code: "not_found"}, fromPage...),
	} {
		s.wantAllowed(a.Header)
		for _, name := range []string{"TT-X-Message-Id", "TT-X-Msg-Ttl", "TT-X-Group-Token", "TT-X-Group-Avatar",
			"TT-X-Organization-Key", "Request-Id", "Retry-After"} {
			if !listed(a.Header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s: the page cannot read %s", s.where, name)
			}
		}
	}
	// What a foreign page makes a browser send is refused where it could change
	// something; what it only reads, the browser keeps from it.
	s.ask("POST", "/v2/message", `{"recipient":"<bob>","body":"hello"}`, want{status: 403, code: "origin_refused"},
		[2]string{"Origin", foreign})
	read := s.ask("GET", "/v2/user", "", want{status: 200, reply: aliceShape}, [2]string{"Origin", foreign})
	if allowed := read.Header.Get("Access-Control-Allow-Origin"); allowed != "" {
		t.Errorf("a foreign page may read the answer: %s", allowed)
	}
}

// TestBrowsersFollowTheQueueWithAnEventSource: it sets no headers of its own, so
// the credentials come in the query. When it connects again it says where it was.
func TestBrowsersFollowTheQueueWithAnEventSource(t *testing.T) {
	t.Parallel()
	s := newBrowser(t)
	connect := func(lastEventID string) {
		t.Helper()
		r := apptest.Request{Method: "GET",
			Target: s.fill("/v2/events?auth_basic=" + dummyCredentials + "&features=heartbeat_5"), Header: [][2]string{
				{"Accept", "text/event-stream"}, {"Cache-Control", "no-cache"}, {"Origin", origin}, {"Sec-Fetch-Dest", "empty"},
				{"Sec-Fetch-Mode", "cors"}, {"Sec-Fetch-Site", "cross-site"}}}
		if lastEventID != "" {
			r.Header = append(r.Header, [2]string{"Last-Event-ID", lastEventID})
		}
		s.where = "an event source"
		s.open(r)
		s.wantAllowed(s.stream.Header)
		if cache := s.stream.Header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("the stream has Cache-Control %q", cache)
		}
	}
	connect("")
	s.wantReplay()
	s.receive(s.cast.Bob, "m-in-1", client.Outgoing{Recipient: s.me.Token, Body: "one"})
	seen := s.wantEvent("message", messageShape("m-in-1", "bob", "me", "one"))
	s.stream.Close()

	s.receive(s.cast.Bob, "m-in-2", client.Outgoing{Recipient: s.me.Token, Body: "two"})
	connect(seen.id)
	s.wantEvent("client_advisory", `{"advisory":{"name":"replay_start","replay_message_count":1}}`)
	s.wantEvent("message", messageShape("m-in-2", "bob", "me", "two"))
	s.wantEvent("client_advisory", `{"advisory":{"name":"replay_stop"}}`)
	s.wantQueued() // what was skipped is not acknowledged

	// Credentials in the query are taken for streams and downloads only.
	s.where = "a call with auth_basic"
	s.wantAnswer(want{status: 401, code: "credentials_missing"},
		s.cast.MustSend(t, s.http, apptest.Request{Method: "GET", Target: s.fill("/v2/user?auth_basic=" + dummyCredentials)}))
	if log := s.cast.Log.String(); strings.Contains(log, s.me.Secret) ||
		strings.Contains(log, s.id("credentials of me")) || strings.Contains(log, "auth_basic") {
		t.Error("the log has the credentials of a query")
	}
}
