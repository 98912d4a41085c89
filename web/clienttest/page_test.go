package clienttest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"signet/client"
)

// TestPage carries out the examples of docs/api/typescript.md as a program of somebody
// who has installed the package: one after the other, with what they say they print.
func TestPage(t *testing.T) {
	t.Parallel()
	page := mustRead(t, moduleRoot+"/docs/api/typescript.md")
	var code []string
	for _, m := range regexp.MustCompile("(?ms)^```ts\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		code = append(code, m[1])
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)// prints (.*)$`).FindAllStringSubmatch(strings.Join(code, ""), -1) {
		want = append(want, m[1])
	}
	if len(code) < 8 || len(want) < 8 {
		t.Fatalf("found %d examples that print %d lines", len(code), len(want))
	}

	s := mustServe(t)
	alice := mustPeople(t, s)
	program := strings.NewReplacer("https://messages.example.org", s.url, `"KEY"`, quote(t, alice.Key),
		`"SECRET"`, quote(t, alice.Secret)).Replace(strings.Join(code, "\n"))

	dir := t.TempDir()
	packed, err := filepath.Glob(moduleRoot + "/bin/signet-client-*.tgz")
	if err != nil || len(packed) != 1 || !strings.Contains(page, "./bin/"+filepath.Base(packed[0])) {
		t.Fatalf("the page does not install the package that is built: %v, %v", packed, err)
	}
	mustWrite(t, dir, "package.json", `{"type": "module"}`)
	mustWrite(t, dir, "tsconfig.json", `{"compilerOptions": {"target": "es2022", "module": "nodenext", "strict": true,
		"types": [], "lib": ["es2023", "dom", "dom.asynciterable"]}}`)
	mustWrite(t, dir, "page.ts", program)
	mustRun(t, dir, "npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", mustAbs(t, packed[0]))
	mustRun(t, dir, mustAbs(t, "../node_modules/typescript-7/bin/tsc"), "-p", ".")
	if got := strings.TrimSpace(mustRun(t, dir, "node", "page.js")); got != strings.Join(want, "\n") {
		t.Errorf("the examples print\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestPackageHasTheVersionOfTheChangelog: a release changes both.
func TestPackageHasTheVersionOfTheChangelog(t *testing.T) {
	var described struct{ Version string }
	if err := json.Unmarshal([]byte(mustRead(t, "../src/client/package.json")), &described); err != nil {
		t.Fatal(err)
	}
	changelog := mustRead(t, moduleRoot+"/CHANGELOG.md")
	newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindStringSubmatch(changelog)
	if newest == nil || newest[1] != described.Version {
		t.Errorf("the package is %s, the changelog's newest version %v", described.Version, newest)
	}
}

// mustPeople makes the people of the page, and returns Alice's key.
func mustPeople(t *testing.T, s server) credentials {
	t.Helper()
	operator := mustConnect(t, s.url, s.operator)
	organization, err := operator.CreateOrganization(t.Context(), "General Hospital", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	alice, err := operator.CreateUser(t.Context(), organization,
		client.NewUser{DisplayName: "Alice", Emails: []string{"alice@example.com"}, IssueKey: true})
	if err != nil {
		t.Fatal(err)
	}
	bob := client.NewUser{DisplayName: "Bob", Emails: []string{"bob@example.com"}, Password: "correct horse battery"}
	if _, err := operator.CreateUser(t.Context(), organization, bob); err != nil {
		t.Fatal(err)
	}
	return credentials{alice.APIKey, alice.APISecret}
}

func quote(t *testing.T, text string) string { t.Helper(); return mustMarshal(t, text) }

func mustRead(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mustWrite(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mustRun runs a command in a directory and returns what it prints.
func mustRun(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	var errors strings.Builder
	command.Stderr = &errors
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, output, errors.String())
	}
	return string(output)
}
