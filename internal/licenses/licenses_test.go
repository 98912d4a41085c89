package licenses

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

func TestEveryNoticeHasPartsAndText(t *testing.T) {
	notices := Notices()
	if len(notices) < 30 {
		t.Fatalf("there are %d notices", len(notices))
	}
	for _, n := range notices {
		if len(n.Parts) == 0 || len(strings.Fields(n.Text)) < 8 {
			t.Errorf("a notice of %q (%q) says %q", n.Parts, n.Licenses, n.Text)
		}
	}
}

// What is linked has the version of the build, and the rest that of the list.
func TestPartsAreThoseOfTheBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99 X:something", Main: debug.Module{Path: "signet", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "github.com/coder/websocket", Version: "v1.8.99"},
			{Path: "github.com/alecthomas/kong", Version: "v1.17.0", Replace: &debug.Module{Path: "./third_party/kong"}},
		}}
	parts, err := PartsOf(info)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range parts {
		line := p.Name + " " + p.Version + " " + strings.Join(p.Licenses, ",")
		if p.Changed {
			line += " changed"
		}
		got = append(got, line)
	}
	for _, want := range []string{"signet v1.2.3 Apache-2.0", "std go1.99 BSD-3-Clause,LicenseRef-Go-Patents",
		"github.com/coder/websocket v1.8.99 ISC", "github.com/alecthomas/kong v1.17.0 MIT changed",
		"data:unicode  Unicode-3.0", "data:libphonenumber  Apache-2.0", "data:common-passwords  MIT"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, name := range []string{"npm:preact ", "npm:uplot ", "npm:@preact/signals "} {
		if !slices.ContainsFunc(got, func(line string) bool {
			return strings.HasPrefix(line, name) && strings.HasSuffix(line, " MIT") && len(line) > len(name)+4
		}) {
			t.Errorf("%sis not among them with a version", name)
		}
	}
	if slices.ContainsFunc(parts, func(p Part) bool { return p.Name == "modernc.org/sqlite" }) {
		t.Error("a module is listed that the program does not have")
	}
}

func TestAModuleWithoutALicenceIsAnError(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Deps: []*debug.Module{{Path: "example.com/unheard", Version: "v1.0.0"}}}
	if _, err := PartsOf(info); err == nil || !strings.Contains(err.Error(), "example.com/unheard") {
		t.Errorf("the error is %v", err)
	}
}
