package store

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	// measuredFile has what `make bench-scale` measured, where somebody kept it (bench/README.md).
	measuredFile = "../../docs/performance/scale.json"
	// capacityFile has the model and what was measured, for programs.
	capacityFile = "../../docs/performance/capacity.json"

	notMeasured = "*not measured yet*"
)

// measurement is what is read of measuredFile.
type measurement struct {
	About struct {
		Commit string `json:"commit"`
		Date   string `json:"date"`
	} `json:"about"`
	Nodes  []measuredLine     `json:"nodes"`
	Stored []measuredLine     `json:"stored"`
	Model  map[string]float64 `json:"model"` // inputs, by their symbols
}

type measuredLine struct {
	Nodes    int    `json:"nodes"`
	Stored   int    `json:"stored_messages"`
	Scenario string `json:"scenario"`
	Times    struct {
		Median float64 `json:"median"`
	} `json:"times_the_first"`
}

func mustReadMeasurement(t *testing.T) (m measurement) {
	t.Helper()
	text, err := os.ReadFile(measuredFile)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatalf("%s: %v", measuredFile, err)
	}
	for symbol := range m.Model {
		if _, known := capacity[symbol]; !known {
			t.Errorf("%s has %q, which the model does not", measuredFile, symbol)
		}
	}
	return m
}

// value is an input as it was measured, or as the page has it where it was not.
func (m measurement) value(symbol string) float64 {
	if x, ok := m.Model[symbol]; ok {
		return x
	}
	return assumed(symbol)
}

// inputTable sets the inputs that bench-scale measures beside those of the model.
func (m measurement) inputTable() string {
	var b strings.Builder
	b.WriteString("| | what | the model has | measured | times |\n|---|---|---|---|---|\n")
	for _, symbol := range measurable {
		i := capacity[symbol]
		measured, times := notMeasured, ""
		if x, ok := m.Model[symbol]; ok {
			measured, times = strings.TrimSpace(amount(x)+" "+i.unit), amount(x/i.value)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", symbol, i.name, strings.TrimSpace(amount(i.value)+" "+i.unit),
			measured, times)
	}
	for _, line := range m.factors() {
		measured, times := notMeasured, ""
		if line.measured > 0 {
			measured, times = amount(line.measured), amount(line.measured/line.model)
		}
		fmt.Fprintf(&b, "| | %s | %s | %s | %s |\n", line.what, amount(line.model), measured, times)
	}
	return b.String()
}

// measurable are the inputs that bench-scale measures.
var measurable = []string{nodeSend, nodeCopy, nodeStream, dbSend, dbCopy, dbStream, rowMessage, rowCopy, logMessage,
	memStream}

// factor is what the model takes for granted: that servers add up, and that a rate does not depend on what is stored.
type factor struct {
	what            string
	model, measured float64 // 0: not measured
}

func (m measurement) factors() []factor {
	servers := factor{"sends a second of 4 servers, beside one", 4, 0}
	messages := factor{"sends a second with the most messages stored, beside the fewest", 1, 0}
	for _, l := range m.Nodes {
		if l.Scenario == "send" && l.Nodes == 4 {
			servers.measured = l.Times.Median
		}
	}
	for _, l := range m.Stored {
		if l.Scenario == "send" {
			messages.measured = l.Times.Median // the last has the most
		}
	}
	return []factor{servers, messages}
}

// outcomeTable works the model out with both.
func (m measurement) outcomeTable() string {
	var b strings.Builder
	b.WriteString("| with 100,000,000 users | by the model | with what was measured |\n|---|---|---|\n")
	users := modelledUsers[len(modelledUsers)-1]
	_, before := workOut(users, assumed)
	_, after := workOut(users, m.value)
	_, moved := workOut(users, func(symbol string) float64 {
		if slices.Contains(measurable, symbol) {
			return 2 * assumed(symbol)
		}
		return assumed(symbol)
	})
	for i, line := range modelLines {
		if moved[i] == before[i] { // it depends on nothing that is measured
			continue
		}
		measured := notMeasured
		if len(m.Model) > 0 {
			measured = amount(after[i])
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", line.what, amount(before[i]), measured)
	}
	return b.String()
}

// tables are what the page has between its marks.
func (m measurement) tables() string {
	text := ""
	if m.About.Commit != "" {
		text = fmt.Sprintf("Measured on %s at commit %s.\n\n", m.About.Date, m.About.Commit)
	}
	return text + m.inputTable() + "\n" + m.outcomeTable()
}

// tabled is capacityFile.
type tabled struct {
	Inputs []tabledInput `json:"inputs"`
	Model  []tabledLine  `json:"model"`
}

type tabledInput struct {
	Symbol   string   `json:"symbol"`
	What     string   `json:"what"`
	Unit     string   `json:"unit,omitempty"`
	Value    float64  `json:"value"`
	From     string   `json:"from"`
	Measured *float64 `json:"measured"` // null: not yet, or nothing that bench-scale measures
}

type tabledLine struct {
	What     string             `json:"what"`
	How      string             `json:"how"`
	Users    map[string]float64 `json:"by_users"`          // with the inputs' values
	Measured map[string]float64 `json:"by_users_measured"` // with what was measured in their place; null: nothing was
}

func (m measurement) json(t *testing.T) string {
	t.Helper()
	var out tabled
	for _, symbol := range symbols {
		i := capacity[symbol]
		in := tabledInput{Symbol: symbol, What: i.name, Unit: i.unit, Value: i.value, From: i.from}
		if x, ok := m.Model[symbol]; ok {
			in.Measured = &x
		}
		out.Inputs = append(out.Inputs, in)
	}
	for _, line := range modelLines {
		out.Model = append(out.Model, tabledLine{What: strings.Trim(line.what, "*"), How: line.how,
			Users: map[string]float64{}})
	}
	for _, users := range modelledUsers {
		name := fmt.Sprintf("%.0f", users)
		_, before := workOut(users, assumed)
		_, after := workOut(users, m.value)
		for i := range out.Model {
			out.Model[i].Users[name] = before[i]
			if len(m.Model) == 0 {
				continue
			}
			if out.Model[i].Measured == nil {
				out.Model[i].Measured = map[string]float64{}
			}
			out.Model[i].Measured[name] = after[i]
		}
	}
	text, err := json.MarshalIndent(out, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// TestCapacityBesideWhatWasMeasured holds the page's tables, and the one for programs, to the model and to
// what was measured.
func TestCapacityBesideWhatWasMeasured(t *testing.T) {
	m := mustReadMeasurement(t)
	wantListed(t, scalingPage, "measured", m.tables())
	got, err := os.ReadFile(capacityFile)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	wantWritten(t, capacityFile, string(got), m.json(t))
}

func TestCapacityIsWorkedOutWithWhatWasMeasured(t *testing.T) {
	var m measurement
	outcomes := strings.Count(m.outcomeTable(), notMeasured)
	if text := m.tables(); strings.Count(text, notMeasured) != len(measurable)+len(m.factors())+outcomes ||
		!strings.Contains(text, "| database cores for messages | 86.1 | "+notMeasured+" |") {
		t.Errorf("of nothing the tables are\n%s", text)
	}
	text := `{"about": {"commit": "abc", "date": "2026-11-22"}, "model": {"Ds": 500, "Dc": 700},
		"nodes": [{"nodes": 1, "scenario": "send", "times_the_first": {"median": 1}},
			{"nodes": 4, "scenario": "send", "times_the_first": {"median": 3}}],
		"stored": [{"stored_messages": 10, "scenario": "send", "times_the_first": {"median": 1}},
			{"stored_messages": 100, "scenario": "send", "times_the_first": {"median": 0.8}}]}`
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Measured on 2026-11-22 at commit abc.", "| Ds | PostgreSQL CPU of a send | 250 µs | 500 µs | 2 |",
		"| Ns | server CPU of a send | 130 µs | " + notMeasured + " |  |",
		"| | sends a second of 4 servers, beside one | 4 | 3 | 0.75 |",
		"| | sends a second with the most messages stored, beside the fewest | 1 | 0.8 | 0.8 |",
		"| database cores for messages | 86.1 | 172 |",
	} {
		if got := m.tables(); !strings.Contains(got, want+"\n") && !strings.Contains(got, want) {
			t.Errorf("the tables lack %q:\n%s", want, got)
		}
	}
	if got := m.json(t); !strings.Contains(got, `"measured": 500`) || !strings.Contains(got, `"measured": null`) {
		t.Errorf("for programs it is\n%s", got)
	}
}
