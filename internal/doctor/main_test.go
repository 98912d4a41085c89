package doctor

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

// caused are the codes of the findings that tests have caused.
var caused struct {
	sync.Mutex
	codes map[string]bool
}

// TestMain wants every finding to have been caused, where all tests ran.
func TestMain(m *testing.M) {
	testenv.Clear()
	caused.codes = map[string]bool{}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if code == 0 && !testing.Short() && flag.Lookup("test.run").Value.String() == "" {
			for _, finding := range Codes() {
				if !caused.codes[finding] {
					fmt.Fprintln(os.Stderr, "no test causes the finding", finding)
					code = 1
				}
			}
		}
		os.Exit(code)
	}))
}

// wantCodes compares the codes of findings with those that are wanted, in any order.
func wantCodes(t *testing.T, what string, found []Finding, want ...string) {
	t.Helper()
	caused.Lock()
	defer caused.Unlock()
	var got []string
	for _, f := range found {
		got = append(got, f.Code)
		caused.codes[f.Code] = true
		if _, known := kinds[f.Code]; !known || f.Problem == "" || f.Remedy == "" || f.Severity == "" {
			t.Errorf("%s: %+v is not whole", what, f)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: the findings are %q, want %q: %+v", what, got, want, found)
	}
}
