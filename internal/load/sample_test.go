package load

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/app/apptest"
)

func TestSamplesHaveAllThatWasMeasured(t *testing.T) {
	readings := 0.0
	g := &gauge{others: func() Counts { readings++; return Counts{"queue": readings} }}
	p := Plan{Scenario: Soak, Connections: 2, Duration: 300 * time.Millisecond, Sample: 50 * time.Millisecond}
	r := measure(t.Context(), &p, g, func(context.Context, *connection, int) error { return nil }, func(Progress) {})
	if len(r.Samples) == 0 || len(r.Samples) > 7 {
		t.Fatalf("%d samples were taken each 50 ms of 300", len(r.Samples))
	}
	var operations int64
	for i, s := range r.Samples {
		operations += s.Operations
		if i > 0 && s.Seconds <= r.Samples[i-1].Seconds {
			t.Errorf("sample %d ends at %v s, the one before at %v", i, s.Seconds, r.Samples[i-1].Seconds)
		}
		if s.Gauges["queue"] != float64(i+1) || s.Operations > 0 && s.Latency.Max == 0 || s.Failed != 0 {
			t.Errorf("sample %d is %+v", i, s)
		}
	}
	// What ended behind the last sample is in none.
	if last := r.Samples[len(r.Samples)-1]; operations > r.Operations || operations == 0 ||
		last.Seconds > r.Seconds+0.001 {
		t.Errorf("the samples have %d operations until %v s, the result %d until %v s", operations, last.Seconds,
			r.Operations, r.Seconds)
	}
}

// A latency is in one sample alone.
func TestLapForgetsWhatItTold(t *testing.T) {
	begin := time.Unix(0, 0)
	r := newRecorder(begin)
	r.beginLap()
	r.record(begin, begin.Add(time.Second), nil)
	first, one, _ := r.endLap()
	r.record(begin, begin.Add(time.Millisecond), nil)
	second, two, _ := r.endLap()
	if one != 1 || two != 2 {
		t.Errorf("after the samples %d and %d operations were done, want 1 and 2", one, two)
	}
	all := r.summary()
	if first.Max < 999 || second.Max > 1.01 || all.Max < 999 || all.P50 > 1.01 {
		t.Errorf("the samples' greatest latencies are %v and %v ms, that of all %v", first.Max, second.Max, all.Max)
	}
}

// Two addresses of a server are two nodes to the generator.
func TestCallsGoToAllNodesInTurn(t *testing.T) {
	s := apptest.Start(t)
	target := targetOf(s)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	target.Nodes = []string{"http://127.0.0.1:" + base.Port(), "http://localhost:" + base.Port()}
	nodes, err := target.nodes()
	if err != nil || len(nodes) != 2 {
		t.Fatalf("the nodes are %v, %v", nodes, err)
	}
	if r, err := Run(t.Context(), target, brief(Acknowledge), nil); err != nil || r.Failed() > 0 || r.Operations < 3 {
		t.Errorf("got %+v, %v", r, err)
	}
	target.Nodes[1] = "http://127.0.0.1:1" // nobody listens there
	r, err := Run(t.Context(), target, brief(Acknowledge), nil)
	if err != nil || r.Operations == 0 || r.Errors[kindConnection] == 0 {
		t.Errorf("with a node that is away: got %+v, %v, want some operations and some without an answer", r, err)
	}
	target.Nodes[1] = "::"
	if _, err := Run(t.Context(), target, brief(Acknowledge), nil); err == nil {
		t.Error("a node without an address was accepted")
	}
}

func TestMessagesOfAnAnswerAreFoundAmongItsEvents(t *testing.T) {
	answer := `{"reply":[{"event_id":"1","event":{"tigertext:iq:message":{"message_id":"a","body":"x"}}},` +
		`{"event_id":"2","event":{"tigertext:iq:message:status":{"message_id":"b","status":"Read"}}},` +
		`{"event_id":"3","event":{"tigertext:iq:group_message":{"message_id":"c","body":"y"}}}]}`
	if got := messageIDs([]byte(answer)); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("the messages are %q, want a and c", got)
	}
}

// Those who soak a server read all that they are sent, and no message outlives the plan's ttl.
func TestSoakReadsWhatItSends(t *testing.T) {
	s := apptest.Start(t)
	stage := mustStage(t, targetOf(s))
	plan := brief(Soak)
	plan.TTL = 7
	m := &mixing{reads: true}
	if err := m.prepare(t.Context(), stage, &plan); err != nil {
		t.Fatal(err)
	}
	c := newConnection(readBuffer)
	defer c.close()
	sender, reader := &m.jobs[0], &m.jobs[1]
	if err := c.call(t.Context(), sender.letter); err != nil {
		t.Fatal(err)
	}
	if err := c.call(t.Context(), reader.poll); err != nil {
		t.Fatal(err)
	}
	ids := messageIDs(c.answer.Body())
	if err := m.catchUp(t.Context(), c, reader); err != nil || len(ids) != 1 {
		t.Fatalf("the reader has the messages %q: %v", ids, err)
	}
	author := &person{authorization: sender.poll.header.Get("Authorization")}
	if err := c.call(t.Context(), newRequest(author, "GET", stage.url("message/"+ids[0], ""), "")); err != nil {
		t.Fatal(err)
	}
	if text := string(c.answer.Body()); !strings.Contains(text, `"ttl":7`) || !strings.Contains(text, `"status":"Read"`) {
		t.Errorf("the message is %s, want one that lives for 7 minutes and is Read", text)
	}
}
