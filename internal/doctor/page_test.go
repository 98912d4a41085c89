package doctor

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestPageDescribesEveryFinding, with its severity, and no other.
func TestPageDescribesEveryFinding(t *testing.T) {
	text, err := os.ReadFile("../../docs/operate/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var described, want []string
	rows := regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| (\\w+) \\| \\S")
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		described = append(described, row[1]+" is a "+row[2])
	}
	for _, code := range Codes() {
		want = append(want, fmt.Sprintf("%s is a %s", code, SeverityOf(code)))
	}
	slices.Sort(described)
	if !slices.Equal(described, want) {
		t.Errorf("the page has\n%q\nwant\n%q", described, want)
	}
}
