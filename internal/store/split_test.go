package store

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// touchedFile has which functions of the store each call runs (internal/service).
const touchedFile = "../service/testdata/touched.txt"

// rate is how often something happens in the model, at the peak.
type rate struct {
	how     string // by the names of the model's lines
	compute func(m *worked) float64
}

var (
	eachMessage = rate{"R", func(m *worked) float64 { return m.row["R"] }}
	eachCopy    = rate{"R·r", func(m *worked) float64 { return m.row["R"] * m.v(recipients) }}
	eachOpening = rate{"O", func(m *worked) float64 { return m.row["O"] }}
	eachLook    = rate{"N / 0.75", func(m *worked) float64 { return m.row["N"] / 0.75 }}
	eachSecond  = rate{"2·N", func(m *worked) float64 { return 2 * m.row["N"] }}
	eachSweep   = rate{"N / 5", func(m *worked) float64 { return m.row["N"] / 5 }}
)

// happening is something that asks the store, and which of its functions it runs how many times.
type happening struct {
	name      string
	rate      *rate // nil: the model does not say
	functions map[string]int
}

// rates are those of calls, by their names in touchedFile.
var rates = map[string]*rate{
	"send to a person": &eachMessage, "poll of 1": &eachCopy, "acknowledge 1": &eachCopy,
	"mark a message Read": &eachCopy, "list of 10 conversations": &eachOpening,
	"page of 50 of a conversation": &eachOpening, "count what is unread": &eachOpening,
}

// byThemselves are what servers do without a call. Those who look at 500 queues at a time look on all
// shards, since 500 accounts lie on all of them.
var byThemselves = []happening{
	{"servers look up to where 500 queues go", &rate{"T / 500 / 2",
		func(m *worked) float64 { return m.row["T"] / 500 / 2 }}, map[string]int{"Tx.LastPositions": 1}},
	{"servers look whether 500 accounts still may read", &rate{"T / 500 / 60",
		func(m *worked) float64 { return m.row["T"] / 500 / 60 }},
		map[string]int{"Tx.AskDisabledAmong": 1, "Tx.AskKeysNamed": 1, "Tx.AskOrganizationsOfEach": 1}},
	{"a server looks who lost access, and which streams are to end", &eachLook,
		map[string]int{"Tx.AskAccessChanges": 1, "presence.AskStreamsToEnd": 1}},
	{"a server looks for work in the background", &eachSecond, map[string]int{"Tx.NextDue": 1}},
	{"a server sweeps", &eachSweep, map[string]int{"Tx.EndedMessages": 1, "Tx.EndOf": 1, "Tx.Erasures": 1,
		"sealing.KeyEndings": 1}},
}

// manyValues are functions that name so many values of their key that these lie on all shards.
var manyValues = []string{"Tx.LastPositions", "Tx.AskDisabledAmong", "Tx.AskKeysNamed", "Tx.AskOrganizationsOfEach"}

// mustReadReaches reads how many shards each function of the store reaches.
func mustReadReaches(t *testing.T) map[string]reach {
	t.Helper()
	text, err := os.ReadFile(reachFile)
	if err != nil {
		t.Fatal(err)
	}
	reaches := map[string]reach{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		how, _, _ := strings.Cut(rest, ": ")
		known := map[string]reach{"one shard": oneShard, "some shards": someShards, "all shards": allShards}
		r, ok := known[how]
		if !ok {
			t.Fatalf("%s: %q is no reach", reachFile, line)
		}
		reaches[name] = r
	}
	return reaches
}

// mustReadCalls reads which functions calls run.
func mustReadCalls(t *testing.T) (calls []happening) {
	t.Helper()
	text, err := os.ReadFile(touchedFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasPrefix(name, "#") {
			continue
		}
		call := happening{name, rates[name], map[string]int{}}
		for field := range strings.FieldsSeq(rest) {
			function, times, _ := strings.Cut(field, "=")
			if call.functions[function], err = strconv.Atoi(times); err != nil {
				t.Fatalf("%s: %q: %v", touchedFile, line, err)
			}
		}
		calls = append(calls, call)
	}
	return calls
}

// split is what something asks of a database that is spread.
type split struct {
	happening
	statements, some, all int      // how many, and those that reach some shards and all
	which                 []string // functions that reach all
	often                 float64  // a second, with 100,000,000 users
}

// everywhere is how many statements a second each database server gets of it, however many there are.
func (s split) everywhere() float64 { return s.often * float64(s.all) }

func splitOf(t *testing.T, h happening, reaches map[string]reach, m *worked) split {
	t.Helper()
	s := split{happening: h}
	for _, name := range slices.Sorted(maps.Keys(h.functions)) {
		n := h.functions[name]
		r, known := reaches[name]
		if !known {
			t.Errorf("%s runs %s, which %s does not have", h.name, name, reachFile)
		}
		if slices.Contains(manyValues, name) {
			r = allShards
		}
		s.statements += n
		switch r {
		case someShards:
			s.some += n
		case allShards:
			s.all += n
			s.which = append(s.which, name)
		}
	}
	if h.rate != nil {
		s.often = h.rate.compute(m)
	}
	return s
}

// TestCapacityOfWhatReachesAllShards writes what the page says of calls: more database servers do not
// take from any of them what reaches all.
func TestCapacityOfWhatReachesAllShards(t *testing.T) {
	reaches := mustReadReaches(t)
	m, _ := workOut(modelledUsers[len(modelledUsers)-1], assumed)
	calls := mustReadCalls(t)
	for name := range rates {
		if !slices.ContainsFunc(calls, func(h happening) bool { return h.name == name }) {
			t.Errorf("%s has no call %q, of which the model has a rate", touchedFile, name)
		}
	}
	var all []split
	for _, h := range slices.Concat(calls, byThemselves) {
		if s := splitOf(t, h, reaches, m); s.all > 0 || h.rate != nil {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b split) int {
		return cmp.Or(cmp.Compare(b.everywhere(), a.everywhere()), b.all-a.all)
	})
	var list strings.Builder
	list.WriteString("| what | a second | with 100,000,000 users | statements | reach some shards | reach all | at each " +
		"database server, a second | what reaches all |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range all {
		how, often, everywhere := "–", "–", "–"
		if s.rate != nil {
			how, often, everywhere = s.rate.how, amount(s.often), amount(s.everywhere())
		}
		var which []string
		for _, name := range s.which {
			which = append(which, fmt.Sprintf("`%s` %d", name, s.functions[name]))
		}
		fmt.Fprintf(&list, "| %s | %s | %s | %d | %d | %d | %s | %s |\n", s.name, how, often, s.statements, s.some, s.all,
			everywhere, strings.Join(which, ", "))
	}
	wantListed(t, scalingPage, "calls", list.String()+"\n"+functionsEverywhere(all))
}

// functionsEverywhere sums up by functions what each database server gets.
func functionsEverywhere(all []split) string {
	sums := map[string]float64{}
	for _, s := range all {
		for _, name := range s.which {
			sums[name] += s.often * float64(s.functions[name])
		}
	}
	maps.DeleteFunc(sums, func(_ string, sum float64) bool { return sum == 0 })
	var list strings.Builder
	list.WriteString("| function that reaches all | at each database server, a second |\n|---|---|\n")
	for _, name := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), strings.Compare(a, b))
	}) {
		fmt.Fprintf(&list, "| `%s` | %s |\n", name, amount(sums[name]))
	}
	return list.String()
}
