package app

import (
	"bytes"
	mathrand "math/rand/v2"
	"net/http"
	"testing"
	"time"

	"signet/internal/testenv"
)

// wantQueues reports messages that a queue has and should not have, or the other
// way round.
func (w *ward) wantQueues(all []*specimen) {
	w.t.Helper()
	for _, who := range []person{w.bob, w.carol} {
		for form, text := range w.queueOf(who) {
			found := map[string]bool{}
			canariesIn(text, func(canary string) { found[canary] = true })
			for _, s := range all {
				want := !s.ended && (s.group || who.name == "bob")
				if found[s.canary] != want {
					w.t.Errorf("%s's queue as %s: message %s (%s, ended: %v): found %v, want %v", who.name, form, s.id, s.fate,
						s.ended, found[s.canary], want)
				}
			}
		}
	}
}

// wantCounts reports counters that are not those of the messages that have not ended.
func (w *ward) wantCounts(all []*specimen) {
	w.t.Helper()
	want := map[string]int{}
	for _, s := range all {
		if s.ended {
			continue
		}
		want["bob"]++
		if s.group {
			want["carol"]++
		}
	}
	for _, who := range []person{w.bob, w.carol} {
		if got, err := who.Unread(w.t.Context(), "me"); err != nil || got.Count != want[who.name] {
			w.t.Errorf("%s has %+v unread (%v), want %d", who.name, got, err, want[who.name])
		}
		roster, err := who.Roster(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		n := 0
		for _, entry := range roster {
			n += entry.UnreadCount
		}
		if n != want[who.name] {
			w.t.Errorf("%s's roster counts %d unread, want %d", who.name, n, want[who.name])
		}
	}
}

// wantEnds reports where a message that has ended can still be read, or one that
// has not cannot, through the endpoints that name it.
func (w *ward) wantEnds(all []*specimen) {
	w.t.Helper()
	for _, who := range w.everybody() {
		for _, s := range all {
			reader := who.name != "carol" || s.group
			status := http.StatusOK
			if s.ended && s.fate != recalled || !reader {
				status = http.StatusNotFound
			}
			// Of a recalled one there remains that it was recalled.
			w.wantGet(who, s, "", status)
			w.wantGet(who, s, "/status", status)
			if s.ended || s.file == nil {
				status = http.StatusNotFound
			}
			w.wantGet(who, s, "/attachment/1", status)
			if s.ended && who.name == "bob" {
				got, text := w.call(who, "POST", "/message/"+s.id+"/forward", `{"recipient":"carol"}`, "Content-Type",
					"application/json")
				if got != http.StatusNotFound || bytes.Contains(text, []byte(canaryMark)) {
					w.t.Errorf("forwarding message %s (%s) answered %d %s, want 404", s.id, s.fate, got, text)
				}
			}
		}
	}
}

func (w *ward) wantGet(who person, s *specimen, path string, want int) {
	w.t.Helper()
	got, text := w.get(who, "/message/"+s.id+path)
	if got != want {
		w.t.Errorf("%s: GET /message/%s%s (%s, ended: %v) answered %d, want %d", who.name, s.id, path, s.fate, s.ended, got,
			want)
	}
	canariesIn(text, func(canary string) {
		if s.ended || canary != s.canary {
			w.t.Errorf("%s: GET /message/%s%s (%s) shows %s", who.name, s.id, path, s.fate, canary)
		}
	})
	if want == http.StatusOK && path == "/attachment/1" && !bytes.Equal(text, s.file) {
		w.t.Errorf("%s: the attachment of %s has %d bytes, want the %d that were sent", who.name, s.id, len(text),
			len(s.file))
	}
}

// wantErased waits until the files hold nothing of what has ended, and reports
// what they do not hold of the rest.
func (w *ward) wantErased(all []*specimen) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		found := canariesInFiles(w.t, w.app.dir)
		var left, missing []string
		for _, s := range all {
			switch path, ok := found[s.canary]; {
			case s.ended && ok:
				left = append(left, s.fate.String()+" "+s.id+" in "+path)
			case !s.ended && !ok:
				missing = append(missing, s.id) // it may be on its way from the log into the database
			}
		}
		if len(left)+len(missing) == 0 {
			return
		}
		if time.Now().After(deadline) {
			if len(missing) > 0 {
				w.t.Fatalf("messages %q are in no file: this test looks at the wrong place", missing)
			}
			w.t.Fatalf("the files still hold %d messages that have ended: %q", len(left), left[:min(len(left), 5)])
		}
		<-tick.C
	}
}

// wantRetained reports messages that have ended and of which the files hold
// nothing before the first sweep: then they would prove nothing after it.
func (w *ward) wantRetained(all []*specimen) {
	w.t.Helper()
	found := canariesInFiles(w.t, w.app.dir)
	for _, s := range all {
		if s.ended && s.fate != recalled && found[s.canary] == "" {
			w.t.Errorf("message %s (%s) is in no file before the sweep", s.id, s.fate)
		}
	}
}

func TestWhatHasEndedIsGoneForReadersAtOnceAndFromTheFilesAfterTheSweep(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := mustOpenUnsealedWard(t)
	var all []*specimen
	for _, n := range mathrand.Perm(10 * int(fates)) {
		all = append(all, w.mustSend(fate(n%int(fates))))
	}
	w.wantEnds(all)
	w.wantQueues(all)
	w.wantCounts(all)

	order := mathrand.Perm(len(all))
	for _, i := range order {
		w.mustEnd(all[i])
	}
	w.end(all, recalled)
	w.wantQueues(all)
	w.pass(59 * time.Second)
	w.wantEnds(only(all, readAndGone, 5)) // their readers still have a second
	w.pass(2 * time.Second)
	w.end(all, readAndGone)
	w.wantQueues(all)
	w.wantCounts(all)
	w.pass(shortLife * time.Minute)
	w.end(all, expired)
	w.wantEnds(all)
	w.wantQueues(all)
	w.wantCounts(all)
	w.wantRetained(all)

	w.sweep()
	w.wantErased(all)
	w.wantEnds(all)
	w.wantQueues(all)
	w.wantCounts(all)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	w.wantErased(all)
}

func TestMessageIsGoneForWhoHasReadItAndThereForTheOthers(t *testing.T) {
	t.Parallel()
	w := mustOpenUnsealedWard(t)
	ctx := t.Context()
	s := &specimen{fate: readAndGone, canary: newCanary(), group: true}
	sent, err := w.alice.Send(ctx, s.outgoing(w.group))
	if err != nil {
		t.Fatal(err)
	}
	s.id = sent.MessageID
	if err := w.bob.MarkRead(ctx, s.id); err != nil {
		t.Fatal(err)
	}
	w.pass(61 * time.Second)
	w.wantGet(w.bob, s, "", http.StatusNotFound)
	w.wantGet(w.bob, s, "/status", http.StatusNotFound)
	w.wantGet(w.bob, s, "/attachment/1", http.StatusNotFound)
	for form, text := range w.queueOf(w.bob) {
		if bytes.Contains(text, []byte(s.canary)) {
			t.Errorf("bob's queue as %s has the message that is gone for him", form)
		}
	}
	w.wantGet(w.carol, s, "", http.StatusOK)
	w.wantGet(w.alice, s, "", http.StatusOK)
	if err := w.carol.MarkRead(ctx, s.id); err != nil {
		t.Fatal(err)
	}
	w.pass(61 * time.Second)
	s.ended = true
	w.wantEnds([]*specimen{s})
	w.sweep()
	w.wantErased([]*specimen{s})
}

// TestFilesStayCleanWhileMessagesComeAndGo inserts messages of all sizes, most of
// them so small that many share a page, and removes them in random order with
// sweeps in between: so pages are split, joined and used again, and cells move
// and leave their images behind.
func TestFilesStayCleanWhileMessagesComeAndGo(t *testing.T) {
	t.Parallel()
	w := mustOpenUnsealedWard(t)
	w.sweep()
	var all, alive []*specimen
	rounds := 7
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		for range 50 {
			s := w.mustSend(fate(mathrand.N(int(fates))))
			all, alive = append(all, s), append(alive, s)
		}
		mathrand.Shuffle(len(alive), func(i, j int) { alive[i], alive[j] = alive[j], alive[i] })
		ending := alive[:len(alive)*2/3]
		alive = alive[len(ending):]
		w.mustEndAll(ending)
		w.wantErased(all)
	}
	w.mustEndAll(alive)
	w.pass(shortLife * time.Minute)
	w.end(all, expired)
	w.wantErased(all)
	w.wantEnds(only(all, kept, 20))
	w.wantCounts(all)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	w.wantErased(all)
}
