package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestEventsFollow_prints_until_it_is_interrupted(t *testing.T) {
	for _, args := range []string{"events --follow --ack", "events -f --ack --limit 2", "events --follow --ack --json"} {
		t.Run(args, func(t *testing.T) {
			ctx, interrupt := context.WithTimeout(t.Context(), 10*time.Second)
			defer interrupt()
			var acked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					body, _ := io.ReadAll(r.Body)
					acked = append(acked, string(body))
					w.WriteHeader(http.StatusNoContent)
					if strings.Contains(string(body), "e2") && !strings.Contains(args, "--limit") {
						interrupt()
					}
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				text := strings.NewReplacer("\n", "", "\t", "").Replace(testEvent)
				fmt.Fprintf(w, "id: e1\ndata: %s\n\nid: e2\ndata: %s\n\n", text, strings.Replace(text, "e1", "e2", 1))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}))
			defer server.Close()
			var stdout, stderr bytes.Buffer
			env := []string{"SIGNET_URL=" + server.URL, "SIGNET_API_KEY=k", "SIGNET_API_SECRET=s"}
			if code := Run(ctx, strings.Fields(args), env, &stdout, &stderr); code != exitDone {
				t.Errorf("exit code %d: %s", code, stderr.String())
			}
			lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
			if len(lines) != 2 || !strings.Contains(lines[0], "e1") || !strings.Contains(lines[1], "e2") {
				t.Errorf("output: got %q", stdout.String())
			}
			if all := strings.Join(acked, ""); !strings.Contains(all, "e1") || !strings.Contains(all, "e2") {
				t.Errorf("acknowledged: got %q", acked)
			}
		})
	}
}

func TestEventsFollow_goes_on_where_the_account_has_too_many_streams(t *testing.T) {
	s := newStub(t)
	s.answers["GET /v2/events"] = func(w http.ResponseWriter) {
		if n := len(s.requests()); n > 1 {
			data("[" + testEvent + "]")(w)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 60000\n"+
			`data: {"event_id":"e0","event":{"tigertext:iq:client_advisory":{"advisory":{"name":"too_many_streams"}}}}`+"\n\n")
	}
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), strings.Fields("events --follow --limit 1"), s.env(), &stdout, &stderr)
	if code != exitDone || !strings.Contains(stdout.String(), "e1") ||
		!strings.Contains(stderr.String(), "too many event streams open; connecting again in 1m") {
		t.Errorf("exit code %d, output %q, and %q", code, stdout.String(), stderr.String())
	}
	if got := s.requests(); len(got) != 2 || !strings.Contains(got[1], "wait=60") {
		t.Errorf("asked for %q, want a stream and a waiting poll", got)
	}
}
