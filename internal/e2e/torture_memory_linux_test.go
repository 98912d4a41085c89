package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

// TestTortureStaysWithinItsMemory does all at once that takes memory: slow bodies of
// keys and of strangers over HTTP/2, polls of long queues, sign-ins with passwords, and
// searches of many criteria. The server keeps below 512 MiB, with the limit that it takes
// from a container of this size (app.LimitMemory), and a bystander's messages go on.
func TestTortureStaysWithinItsMemory(t *testing.T) {
	testenv.Long(t)
	const bound = 512 << 20
	length := time.Second
	if total, whole := testenv.Torture(t); whole {
		length = min(total, time.Minute)
	}
	s, connect := mustServeTLS(t, append(unlimited, "--limits.failed-logins-per-minute=0",
		"--limits.failed-logins-per-minute-address=0", "--limits.failed-logins-per-minute-name=0")...)
	people := s.mustPeople("a", "b", "c", "d", "bob", "alice")
	bob, alice := people[4], people[5]
	for range 40 {
		data := client.DataItem{MimeType: "text/plain", Namespace: "n", Payload: strings.Repeat("x", 250_000)}
		if _, err := alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Data: []client.DataItem{data}}); err != nil {
			t.Fatal(err)
		}
	}
	s.wantEnd(s.signal(syscall.SIGTERM))
	s.env = []string{"GOMEMLIMIT=384MiB"}
	s.mustStart()
	_, before := mustReadMemory(t, s.current())

	ctx, cancel := context.WithTimeout(t.Context(), length+time.Minute)
	defer cancel()
	var over atomic.Bool
	var all sync.WaitGroup
	var counts [600]atomic.Int64
	attack := func(clients int, method, path, user, secret, body string) {
		for range clients {
			through := connect()
			all.Go(func() {
				for !over.Load() {
					r, err := http.NewRequestWithContext(ctx, method, s.current().baseURL+path, strings.NewReader(body))
					if err != nil {
						t.Error(err)
						return
					}
					r.SetBasicAuth(user, secret)
					r.Header.Set("Content-Type", "application/json")
					got, err := through.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, got.Body)
					_ = got.Body.Close()
					counts[got.StatusCode].Add(1)
				}
			})
		}
	}
	_, keysAnswered, release := flood(ctx, t, s, connect, func(n int, r *http.Request) string {
		r.SetBasicAuth(people[n%4].key, people[n%4].secret)
		return "/v2/message"
	})
	criteria := `{"bool":{"must":[` + strings.Repeat(`{"any":"bob"},`, 63) + `{"any":"bob"}]}}`
	attack(12, "GET", "/v2/events?limit=1000", bob.key, bob.secret, "")
	attack(100, "POST", "/v5/login", "alice", "a guess at the password", "{}")
	attack(8, "POST", "/v2/search", bob.key, bob.secret, criteria)
	began, sent := time.Now(), 0
	for time.Since(began) < length {
		_, answered, _ := flood(ctx, t, s, connect, func(int, *http.Request) string { return "/v2/login" })
		answered()
		if _, err := alice.Send(ctx, client.Outgoing{Recipient: "a", Body: "still there?"}); err != nil {
			t.Errorf("a bystander's message: %v", err)
		}
		sent++
	}
	over.Store(true)
	release()
	all.Wait()
	keysAnswered()
	_, peak := mustReadMemory(t, s.current())
	t.Logf("%d MiB at most, %d before; %d messages of a bystander; answers to the rest: 200: %d, 401: %d, 503: %d",
		peak>>20, before>>20, sent, counts[200].Load(), counts[401].Load(), counts[503].Load())
	if peak > bound {
		t.Errorf("the server held %d MiB, want at most %d", peak>>20, bound>>20)
	}
	for status := range counts {
		if n := counts[status].Load(); n > 0 && status != 200 && status != 401 && status != 503 {
			t.Errorf("%d were answered %d", n, status)
		}
	}
}
