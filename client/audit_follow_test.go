package client

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// auditServer plays a server whose log has so many entries. It cuts each stream after some
// bytes, wherever that is.
func auditServer(t *testing.T, entries int, cut func() int, ended int) http.HandlerFunc {
	streams := 0
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/organization/o1/audit" {
			t.Errorf("asked for %s", r.URL)
		}
		if r.Header.Get("Accept") != "text/event-stream" {
			_, _ = io.WriteString(w, `{"status":"success","reply":[{"chain":"o1","number":3,"hash":""}]}`)
			return
		}
		after, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
		if err != nil {
			t.Errorf("Last-Event-ID: %v", err)
		}
		if streams++; after == entries && ended != 0 {
			answer(ended)(w, r)
			return
		}
		if streams%5 == 0 {
			answer(503)(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		text := ": signet\n\n"
		for n := after + 1; n <= entries; n++ {
			if n%3 == 0 {
				text += "data: " + eventText("live", "sse:heartbeat", "{}") + "\n\n"
			}
			text += fmt.Sprintf("id: %d\ndata: %s\n\n", n, eventText(strconv.Itoa(n), "audit",
				fmt.Sprintf(`{"chain":"o1","number":%d,"action":"a","outcome":"ok","times":1,"hash":"%d"}`, n, n)))
		}
		_, _ = io.WriteString(w, text[:min(len(text), cut())])
	}
}

// TestAuditFollow_loses_and_doubles_nothing: whatever is cut off of each connection, each
// entry comes once, in the order of the numbers.
func TestAuditFollow_loses_and_doubles_nothing(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			entries, after := 1+random.IntN(60), int64(0)
			if seed%2 == 1 {
				after = random.Int64N(int64(entries))
			}
			cut := func() int { return random.IntN(1500) }
			c := servePipe(t, auditServer(t, entries, cut, http.StatusForbidden))
			var got, want []int64
			for n := after + 1; n <= int64(entries); n++ {
				want = append(want, n)
			}
			lost := 0
			for e, err := range c.AuditFollow(t.Context(), "o1",
				AuditFollowOptions{After: &after, OnDisconnect: func(error, time.Duration) { lost++ }}) {
				if err != nil {
					if !errors.Is(err, ErrForbidden) {
						t.Errorf("seed %d: it ends with %v", seed, err)
					}
					break
				}
				if e.Hash != strconv.FormatInt(e.Number, 10) {
					t.Errorf("entry %+v", e)
				}
				got = append(got, e.Number)
			}
			if !slices.Equal(got, want) || lost == 0 {
				t.Errorf("seed %d: after %d of %d entries got %v, with %d connections lost", seed, after, entries, got, lost)
			}
		})
	}
}

func TestAuditFollow_begins_after_the_newest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := servePipe(t, auditServer(t, 6, func() int { return 1 << 20 }, 0))
		var got []int64
		for e, err := range c.AuditFollow(t.Context(), "o1", AuditFollowOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, e.Number); e.Number == 6 {
				break
			}
		}
		if !slices.Equal(got, []int64{4, 5, 6}) {
			t.Errorf("got %v", got)
		}
	})
}
