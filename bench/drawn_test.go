package bench

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestPlotIsXMLWithALineForEachSeries(t *testing.T) {
	p := plot{title: "a < b & c", x: "x", y: "y", series: []series{
		{"one", []point{{1, spread{5, 4, 6}}, {64, spread{50, 40, 60}}}},
		{"<two>", []point{{1, spread{1, 1, 1}}, {8, spread{2, 2, 2}}, {64, spread{3, 3, 3}}}},
	}}
	drawn := p.svg()
	lines := 0
	for decoder := xml.NewDecoder(strings.NewReader(drawn)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("it is no XML: %v\n%s", err, drawn)
		}
		if element, ok := token.(xml.StartElement); ok && element.Name.Local == "polyline" {
			lines++
		}
	}
	if lines != 2 {
		t.Errorf("%d lines are drawn, want 2", lines)
	}
	// The axis goes from 0 to 60: 5 is a twelfth of the height above its foot.
	if want := fmt.Sprintf("%.1f,%.1f %.1f,%.1f", left, plotBottom-plotHeight/12, plotRight,
		plotBottom-plotHeight*50/60); !strings.Contains(drawn, want) {
		t.Errorf("the first line is not at %s:\n%s", want, drawn)
	}
}

func TestStepsOfAnAxisAreRound(t *testing.T) {
	for x, want := range map[float64]float64{0.03: 0.05, 1: 1, 1.2: 2, 4.9: 5, 6: 10, 1700: 2000} {
		if got := niceStep(x); math.Abs(got-want) > want/1e6 {
			t.Errorf("a step of %v is %v, want %v", x, got, want)
		}
	}
}

func TestThousandsAreGrouped(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 0.5: "0.5",
		1234.5: "1,234.5"} {
		if got := grouped(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}

func TestSpreadIsTheMedianAndTheEnds(t *testing.T) {
	for _, test := range []struct {
		all  []float64
		want spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{9, 1, 5}, spread{5, 1, 9}},
		{[]float64{4, 1, 2, 8}, spread{3, 1, 8}},
	} {
		if got, ok := spreadOf(test.all); !ok || got != test.want {
			t.Errorf("of %v it is %+v, want %+v", test.all, got, test.want)
		}
	}
	if _, ok := spreadOf(nil); ok {
		t.Error("nothing has a spread")
	}
}

func TestOnlyWhatIsBetweenMarkersIsReplaced(t *testing.T) {
	text := "before\n<!-- bench: one -->\nold\n<!-- end -->\nbetween\n<!-- bench: two -->\n<!-- end -->\nafter\n"
	got, err := replacePart([]byte(text), "one", "new\n")
	if want := strings.Replace(text, "old", "new", 1); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, wrong := range []string{"nothing", "<!-- bench: one -->\nnever ends", text + text} {
		if _, err := replacePart([]byte(wrong), "one", "new\n"); err == nil {
			t.Errorf("%q was taken for a page with one such part", wrong)
		}
	}
}
