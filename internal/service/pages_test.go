package service_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"signet/internal/service"
	"signet/internal/store"
	"signet/internal/testenv"
)

// pagesFile has the most pages that messages may write to the log of the embedded store, all of
// a measurement together. -update lowers it; whoever wants more edits the file, and says in the
// commit what that is for.
const pagesFile = "testdata/pages.txt"

const pagesHead = `# The most pages that messages may write to the log of the embedded store (pages_test.go).
`

// sharing is how many sends share a commit, as about as many do at 64 connections.
const sharing = 27

// writing is a way of messages to the log.
type writing struct {
	name    string
	people  int
	arrange func(t *testing.T, h *house) (run func())
}

var writings = []writing{
	// Each index more is a page more of each send.
	{"100 sends, each in a commit", 2 * sharing, func(t *testing.T, h *house) (run func()) {
		h.mustTalk(t, 3*sharing)
		return func() {
			for i := range 100 {
				h.mustSendTo(t, h.person(sharing+i%sharing))
			}
		}
	}},
	// Sends share the pages at the ends of tables and indexes. Pages in between are each send's
	// own: an index in another order than that of time costs most here.
	{"729 sends, 27 in a commit", 2 * sharing, func(t *testing.T, h *house) (run func()) {
		h.mustTalk(t, 3*sharing)
		return func() { h.mustTalk(t, sharing) }
	}},
	{"20 messages to a group of 100", 100, func(t *testing.T, h *house) (run func()) {
		group := h.mustGroup(t, 100)
		send := func() {
			for range 20 {
				h.mustSendTo(t, group)
			}
		}
		send()
		return send
	}},
}

// mustTalk has the first half of the house send to the second, so many times: each time
// everybody sends to somebody else, in one commit, so that after as many times as they are all
// have sent to all.
func (h *house) mustTalk(t *testing.T, times int) {
	t.Helper()
	h.counted.gathering.Store(&gathering{engine: h.engine, size: sharing})
	defer h.counted.gathering.Store(nil)
	body := strings.Repeat("x", 200)
	for shift := range times {
		ctx, cancel := context.WithCancelCause(t.Context())
		var sending sync.WaitGroup
		for i := range sharing {
			sending.Go(func() {
				_, err := h.service.Send(ctx, h.actors[i],
					service.SendCommand{Recipient: h.person(sharing + (i+shift)%sharing), Body: body})
				if err != nil {
					cancel(err) // the others would wait for it
				}
			})
		}
		sending.Wait()
		must(t, context.Cause(ctx))
		cancel(nil)
	}
}

// mustCountPages returns how many pages were written to the log. The writer looks at it after
// each transaction, before the next one.
func (h *house) mustCountPages(t *testing.T) int64 {
	t.Helper()
	must(t, h.engine.Update(t.Context(), func(store.Session) error { return nil }))
	return int64(h.engine.Stats().LogPages)
}

// TestMessagesWriteNoMorePagesThanTheyMay: nobody adds an index to the way of each message
// without noticing. Which conversations share a page is chance, so that a few in a hundred are
// nothing.
func TestMessagesWriteNoMorePagesThanTheyMay(t *testing.T) {
	testenv.Long(t)
	few := func(limit int64) int64 { return limit * 3 / 100 }
	limits := mustReadPages(t)
	lowered := map[string]int64{}
	for _, w := range writings {
		h := newHouse(t, w.people)
		run := w.arrange(t, h)
		before := h.mustCountPages(t)
		run()
		got := h.mustCountPages(t) - before
		limit, known := limits[w.name]
		delete(limits, w.name)
		switch {
		case !known:
			limit = got
			if !*update {
				t.Errorf("%s has no line in %s: they write %d pages; -update writes it", w.name, pagesFile, got)
			}
		case got > limit+few(limit):
			t.Errorf("%s write %d pages, more than %d", w.name, got, limit)
		case got < limit-few(limit):
			t.Logf("%s write %d pages, less than %d: -update lowers %s", w.name, got, limit, pagesFile)
		}
		lowered[w.name] = min(got, limit)
	}
	if *update {
		mustWritePages(t, lowered)
		return
	}
	for name := range limits {
		t.Errorf("%s names what is not measured: %s", pagesFile, name)
	}
}

func mustReadPages(t *testing.T) map[string]int64 {
	t.Helper()
	text, err := os.ReadFile(pagesFile)
	must(t, err)
	limits := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, figure, _ := strings.Cut(line, ":")
		var pages int64
		if _, err := fmt.Sscan(figure, &pages); err != nil {
			t.Fatalf("%s: %q: %v", pagesFile, line, err)
		}
		limits[name] = pages
	}
	return limits
}

func mustWritePages(t *testing.T, limits map[string]int64) {
	t.Helper()
	text := bytes.NewBufferString(pagesHead)
	for _, w := range writings {
		fmt.Fprintf(text, "%-46s %6d\n", w.name+":", limits[w.name])
	}
	must(t, os.WriteFile(pagesFile, text.Bytes(), 0o644))
}
