package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// mustFindModules returns the modules of a program with their versions and sums.
func mustFindModules(t *testing.T, program string) (all []string) {
	t.Helper()
	told, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(told)) {
		switch f := strings.Fields(line); {
		case len(f) == 4 && f[0] == "dep":
			all = append(all, f[1]+" "+f[2]+" "+f[3])
		case len(f) == 3 && f[0] == "dep": // it is built from a directory
			all = append(all, f[1]+" "+f[2]+" changed")
		}
	}
	return all
}

// The list has each module that "go version -m" finds in the program, with its version and
// sum, and no other one.
func TestListHasTheModulesOfTheProgram(t *testing.T) {
	program, err := testenv.Build(t.TempDir())
	if err == nil {
		program, err = filepath.EvalSymlinks(program) // "go version" follows none
	}
	if err != nil {
		t.Fatal(err)
	}
	want := mustFindModules(t, program)
	var got []string
	var text, again bytes.Buffer
	if err := list(&text, program); err != nil {
		t.Fatal(err)
	}
	var made document
	if err := json.Unmarshal(text.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	var others []string
	for _, c := range made.Components {
		if len(c.Licenses) != 1 || c.Licenses[0].Expression == "" {
			t.Errorf("%s has the licences %v", c.Ref, c.Licenses)
		}
		switch {
		case c.PURL != "pkg:golang/"+c.Name+"@"+c.Version, c.Name == "std":
			others = append(others, c.Type+" "+c.Ref)
		case c.Pedigree != nil:
			got = append(got, c.Name+" "+c.Version+" changed")
		default:
			got = append(got, c.Name+" "+c.Version+" "+c.Properties[0].Value)
		}
	}
	for _, want := range []string{"library pkg:golang/std@", "library pkg:npm/preact@",
		"library pkg:npm/%40preact/signals@", "library pkg:npm/uplot@", "data data:unicode", "data data:libphonenumber",
		"data data:common-passwords"} {
		if !slices.ContainsFunc(others, func(one string) bool { return strings.HasPrefix(one, want) }) {
			t.Errorf("%s... is not among %q", want, others)
		}
	}
	if len(want) < 20 || !slices.Equal(got, want) || made.Metadata.Component.Name != "signet" {
		t.Errorf("the list of %s is\n%q, want\n%q", made.Metadata.Component.Name, got, want)
	}
	if err := list(&again, program); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
		t.Errorf("a second list is another one (%v)", err)
	}
}
