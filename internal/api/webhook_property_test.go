package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestNothingIsLostOrOutOfOrderHoweverAReceiverFails plays random runs of messages, acknowledgements by
// programs, and answers of the receiver: no, an error, or a connection that breaks after the event was taken.
// Each event of the queue comes, in its order, under one id, and nothing comes after one that was not answered
// with a 2xx.
func TestNothingIsLostOrOutOfOrderHoweverAReceiverFails(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		alice := c.mustCreate(c.org, fmt.Sprint("reader", run))
		alice.forgetEvents()
		r := newReceiver(t)
		path := r.mustHook(alice, alice, fields{"content": "full", "acknowledge": rapid.Bool().Draw(rt, "acknowledge")})
		acknowledges := alice.get(path).reply().at("acknowledge").v == true
		status := rapid.SampledFrom([]int{204, 204, 204, 204, 200, 500, 429, 302, 0})
		answers := rapid.SliceOfN(status, 0, 40).Draw(rt, "answers")
		var good []bool // of each request, whether the server has had a 2xx
		failed := 0
		for i, status := range answers { // four in a row at most: their pauses are hours, and not days
			if failed++; status == 204 || status == 200 || failed > 4 {
				answers[i], failed = 204, 0
			}
		}
		r.answer = func(n int, w http.ResponseWriter) {
			status := 204
			if n < len(answers) {
				status = answers[n]
			}
			good = append(good, status >= 200 && status < 300)
			if status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(status)
		}
		var want []string // bodies, in the order of the queue
		for i := range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0, 1:
				text := fmt.Sprint("message ", i)
				c.bob.mustSend(alice.token, text)
				want = append(want, text)
			case 2:
				if !acknowledges { // else a program would take what the webhook is to get
					alice.mustAck(idsOf(alice.events())...)
				}
			case 3:
				c.deliver(alice)
			case 4:
				c.clock.Advance(time.Duration(rapid.IntRange(1, 600).Draw(rt, "seconds")) * time.Second)
			}
		}
		for c.deliver(alice); alice.get(path).reply().has("next_try_time"); c.deliver(alice) {
			c.clock.Advance(time.Hour)
		}
		if got := wantInTurn(rt, r.take(), good); !slices.Equal(got, want) {
			rt.Errorf("the receiver got %q, want %q (answers %v)", got, want, answers)
		}
		alice.delete(path).want(204)
	})
}

// wantInTurn wants what came after a request only where that was taken, and each id for one text. It returns the
// texts of messages, each once.
func wantInTurn(rt *rapid.T, got []posted, good []bool) (texts []string) {
	var ids []string
	for i, p := range got {
		if i > 0 && !good[i-1] && p.id != got[i-1].id {
			rt.Errorf("%s came after %s, which was not taken", p.id, got[i-1].id)
		}
		if p.kind != "message" {
			continue
		}
		text := p.data.text("body")
		if at := slices.Index(ids, p.id); at < 0 {
			texts, ids = append(texts, text), append(ids, p.id)
		} else if texts[at] != text {
			rt.Errorf("%s was %q and is %q", p.id, texts[at], text)
		}
	}
	return texts
}
