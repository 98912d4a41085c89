// Package metamorphic plays random sequences of calls against the real service on
// the real embedded store, and against a small model of the contract that keeps
// everything in memory; after each call, everything that each account can see must
// be the same on both sides.
//
// It owns the model (world and what belongs to it), which is written from the
// contract alone and knows no row, no counter and no position: what it says is
// counted anew each time. The comparison (compare_test.go) and the recount of the
// stored rows (rows_test.go) are beside it. It has no code but tests.
//
// A failure prints the shortest sequence of calls that shows it, and how to play it
// again. `go test -rapid.checks=1000 -rapid.steps=100` plays more and longer ones.
package metamorphic

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"signet/internal/testenv"
)

// checks and steps are how many sequences are played, and about how long they are,
// where the flags do not say: they keep a run with the race detector short.
const (
	checks = "6"
	steps  = "70"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.steps": steps} {
		if given[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err) // the flags of the library have other names by now
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(os.Exit))
}

// TestServiceAgreesWithTheContract plays random calls of everybody.
func TestServiceAgreesWithTheContract(t *testing.T) {
	template := newTemplate(t)
	rapid.Check(t, func(t *rapid.T) {
		p := newPlay(t, template)
		p.open(t)
		t.Repeat(map[string]func(*rapid.T){
			"send":             p.send,
			"send again":       p.send, // what is here twice happens twice as often
			"send to a group":  p.sendToGroup,
			"send there again": p.sendToGroup,
			"forward":          p.forward,
			"escalate":         p.escalate,
			"cancel":           p.cancelEscalation,
			"acknowledge":      p.acknowledge,
			"delete events":    p.deleteEvents,
			"mark":             p.mark,
			"mark again":       p.mark,
			"recall":           p.recall,
			"read all":         p.readConversation,
			"list":             p.addToRoster,
			"unlist":           p.removeFromRoster,
			"create group":     p.createGroup,
			"update group":     p.updateGroup,
			"add to group":     p.addToGroup,
			"add once more":    p.addToGroup,
			"remove of group":  p.removeFromGroup,
			"delete group":     p.deleteGroup,
			"set duty":         p.setDuty,
			"end duty":         p.endDuty,
			"hand over":        p.handOver,
			"join":             p.join,
			"leave":            p.leave,
			"new organization": p.createOrganization,
			"end organization": p.deleteOrganization,
			"wait a little":    p.waitALittle,
			"wait long":        p.waitLong,
			"sweep":            p.sweep,
			"":                 p.compare,
		})
		p.finish(t)
	})
}
