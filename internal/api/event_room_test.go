package api_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"signet/internal/store/enginetest"
	"signet/internal/testenv"
)

// TestAnAnswerOfEventsEndsAtFourMebibytes: contract, section 6. What did not fit is not
// acknowledged either.
func TestAnAnswerOfEventsEndsAtFourMebibytes(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	const long, count = 64 << 10, 70
	for range count {
		c.alice.mustSend(c.bob.token, strings.Repeat("x", long))
	}
	first := c.bob.get("/v2/events?limit=1000&auto_ack=true")
	got := len(first.reply().list())
	if size := len(first.content); size > 4<<20+200 || got < 60 || got >= count {
		t.Errorf("an answer has %d events in %d bytes", got, size)
	}
	if rest := len(c.bob.get("/v2/events?limit=1000").reply().list()); got+rest != count {
		t.Errorf("%d events, then %d, of %d", got, rest, count)
	}
}

// TestEventsOfALargeGroupNameNoMembers: contract, section 6.
func TestEventsOfALargeGroupNameNoMembers(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	extra := c.mustFillOrganization(c.org, 99)
	created := c.alice.post("/v2/group?render_entity=true",
		fields{"name": "G", "members": append(extra[:98:98], c.bob.token)})
	group := created.reply().text("token")
	told := c.bob.wantEvents("friends", "bang")
	if n := len(told[0].at("friend").list("members")); n != 100 {
		t.Errorf("the event of a group of 100 names %d members", n)
	}
	c.bob.forgetEvents()
	c.alice.post("/v2/group/"+group+"/members", fields{"members": extra[98]}).want(204)
	c.alice.post("/v2/group/"+group, fields{"description": "large"}).want(204)
	told = c.bob.wantEvents("bang", "update")
	told[0].at("target_entity").wantFields(fields{"num_members": 101}, "members")
	told[1].wantFields(fields{"num_members": 101}, "members")
	if n := len(c.bob.get("/v2/group/" + group).reply().list("members")); n != 101 {
		t.Errorf("the group itself names %d members", n)
	}
}

// mustSendLarge sends messages of 250 KB each, and returns their ids.
func (p *person) mustSendLarge(recipient string, count int) (ids []string) {
	p.t.Helper()
	for range count {
		ids = append(ids, p.mustSend(recipient, "x", "data", []fields{{
			"mimetype": "text/plain", "namespace": "n", "payload": strings.Repeat("x", 250_000)}}))
	}
	return ids
}

// silent is an answer that nobody reads.
type silent struct {
	header http.Header
	bytes  int
}

func (w *silent) Header() http.Header { return w.header }
func (w *silent) WriteHeader(int)     {}
func (w *silent) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// TestAPollReadsNoMoreThanItAnswers: of a queue with 15 MB, what is allocated for one
// poll, all in all, is a small multiple of the 4 MiB of its answer. PostgreSQL also
// sends the messages of a piece, up to 100, for which the answer has no room: there it
// is one with 40 MB.
func TestAPollReadsNoMoreThanItAnswers(t *testing.T) {
	testenv.Long(t)
	bound, messages := uint64(40<<20), 60
	if enginetest.OnPostgres() {
		bound, messages = 80<<20, 160
	}
	c := startClinic(t)
	c.alice.mustSendLarge(c.bob.token, messages)
	poll := func(query string) int {
		var w silent
		w.header = http.Header{}
		c.api.ServeHTTP(&w, c.bob.request("GET", "/v2/events"+query))
		return w.bytes
	}
	for _, query := range []string{"?limit=1000", "?limit=1000&wait=60", "?limit=1000&auto_ack=true"} {
		c.service.Forget()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		size := poll(query)
		runtime.ReadMemStats(&after)
		if size > 4<<20 || size < 3<<20 {
			t.Errorf("%s was answered with %d bytes", query, size)
		}
		t.Logf("%s: %d bytes were allocated for %d", query, after.TotalAlloc-before.TotalAlloc, size)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > bound {
			t.Errorf("%s allocated %d bytes, want at most %d", query, allocated, bound)
		}
	}
}

// TestAStreamReplaysAQueueInPieces: all of it, in order, though it is read in many parts.
func TestAStreamReplaysAQueueInPieces(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	ids := c.alice.mustSendLarge(c.bob.token, 10)
	small := c.alice.mustSend(c.bob.token, "the last one")
	c.service.Forget()
	st := c.bob.openStream("")
	for _, id := range append(ids, small) {
		if got := st.nextOf("message").text("message_id"); got != id {
			t.Fatalf("the replay has message %s in the place of %s", got, id)
		}
	}
	if next := st.next(); next.kind != "client_advisory" {
		t.Errorf("after the messages came %s", next.kind)
	}
}
