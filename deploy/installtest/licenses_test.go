package installtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// mit is a licence that fits.
const mit = `MIT License

Copyright (c) 2026 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

// TestALicenceThatDoesNotFitIsRefused in a module that the program is linked of, and in a package
// of the pages.
func TestALicenceThatDoesNotFitIsRefused(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	system := func(name string) string {
		content, err := os.ReadFile("/usr/share/common-licenses/" + name) // Debian's
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	more := strings.Repeat("Whoever earns money with the Software shall give half of it to the authors. ", 6)
	for name, test := range map[string]struct{ module, npm, want string }{
		"both fit":          {mit, mit, ""},
		"another in module": {system("GPL-3"), mit, "example.com/dep/LICENSE: GPL-3.0 is not a licence that"},
		"another in npm":    {mit, system("MPL-2.0"), "npm:pretty 1.2.3: npm:pretty/LICENSE: MPL-2.0 is not a licence that"},
		"none":              {"", mit, "example.com/dep: no licence was found"},
		"unknown":           {"Ask us, and we may let you use it.", mit, "nobody knows which licence it is"},
		"more than one":     {mit + "\n" + more, mit, "example.com/dep/LICENSE: it is MIT, and says more than that"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := projectOf(t, test.module, test.npm)
			out, err := exec.Command(built.licenses, root).CombinedOutput()
			if test.want == "" {
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				wantNotices(t, root)
				return
			}
			if err == nil || !strings.Contains(string(out), test.want) {
				t.Errorf("it ends with %v, want %q:\n%s", err, test.want, out)
			}
			if _, err := os.Stat(notices(root)); err == nil {
				t.Error("the notices were written all the same")
			}
		})
	}
}

// projectOf makes a repository that has a module and a package of npm with these licences, where
// they are not empty.
func projectOf(t *testing.T, module, npm string) (root string) {
	t.Helper()
	root = t.TempDir()
	files := map[string]string{
		"go.mod": "module signet\n\ngo 1.26.0\n\nrequire example.com/dep v1.0.0\n\n" +
			"replace example.com/dep => ./dep\n",
		"cmd/signet/main.go":              "package main\n\nimport _ \"example.com/dep\"\n\nfunc main() {}\n",
		"dep/go.mod":                      "module example.com/dep\n\ngo 1.26.0\n",
		"dep/dep.go":                      "package dep\n",
		"dep/LICENSE":                     module,
		"web/node_modules/pretty/LICENSE": npm,
		"web/package-lock.json": `{"packages": {"": {}, "node_modules/tool": {"version": "1.0.0", "dev": true},
			"node_modules/pretty": {"version": "1.2.3"}}}`,
		"internal/licenses/doc.go": "package licenses\n",
	}
	for _, name := range []string{"LICENSE", "internal/access/common_passwords.txt",
		"deploy/release/licenses/unicode.txt"} {
		content, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	for name, content := range files {
		if content != "" {
			mustWrite(t, filepath.Join(root, name), content)
		}
	}
	return root
}

// notices is where those of a repository are.
func notices(root string) string { return filepath.Join(root, "internal", "licenses", "notices.txt") }

// wantNotices looks at the notices that were written, and at the check of them.
func wantNotices(t *testing.T, root string) {
	t.Helper()
	content, err := os.ReadFile(notices(root))
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, "the notices", string(content), "==== MIT\n  example.com/dep\n  npm:pretty 1.2.3\n\n"+mit,
		"==== Apache-2.0\n  signet\n  data:libphonenumber\n", "==== BSD-3-Clause\n  std\n")
	if out, err := exec.Command(built.licenses, "-check", root).CombinedOutput(); err != nil {
		t.Errorf("the notices that were just written are refused: %s", out)
	}
	mustWrite(t, filepath.Join(root, "dep", "LICENSE"), strings.Replace(mit, "Somebody", "Somebody else", 1))
	out, err := exec.Command(built.licenses, "-check", root).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "run make generate") {
		t.Errorf("notices of another licence are taken: %s", out)
	}
}

func mustWrite(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
