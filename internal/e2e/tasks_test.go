package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// tasks is the page whose commands are run.
const tasks = "../../docs/operate/tasks.md"

// chore is what a section of the page is tried with.
type chore struct {
	before func(w *workplace)
	want   []string // patterns, in multiline mode, for what its commands print
	after  func(w *workplace)
}

// chores are all sections that have commands, by their titles.
var chores = map[string]chore{
	"Everyday tasks": {},
	"Organizations":  {want: []string{`^\w{24} +General Hospital +1 member +0 groups +0 requests +0 messages `}},
	"Two hundred people from a file": {before: (*workplace).writePeople, want: []string{
		`^signet: 200 people are new, 0 are members already$`, `(?:^row \d+ +[0-9a-f-]+ +made\n){200}`,
		`(?:^row \d+ +[0-9a-f-]+ +made before\n){200}`}},
	"Who belongs to an organization": {want: []string{`^[0-9a-f-]{36} +Bob Brown +- +no keys +seen never$`},
		after: func(w *workplace) {
			w.wantFile("members.csv", `(?m)^Ann Ames,ann,ann@example\.com,.*,Ward 3,`, `(?:.*\n){202}`)
		}},
	"People without keys, and keys that nobody uses": {want: []string{`(?:^[0-9a-f-]+ .* no keys +seen never\n){200}`}},
	"A key for a program, and its limits": {want: []string{`^KEY +KIND `, `^\S+ +regular .*Nurse call, ward 3`},
		after: (*workplace).wantKey},
	"A new password": {before: (*workplace).writePassword, after: func(w *workplace) {
		w.signIn("bob@example.com", w.password, true)
	}},
	"Somebody is away, is back, or leaves": {after: func(w *workplace) {
		w.signIn("bob@example.com", w.password, true)
		w.signIn("last@example.com", "whatever it was", false)
	}},
	"Who is stuck": {before: (*workplace).sendToBob, want: []string{`^[0-9a-f-]{36} +Bob Brown +\d+ events? +since `}},
	"A message to everybody": {want: []string{`^[0-9a-f-]{36}$`}, after: func(w *workplace) {
		w.wantQueued("The lifts are out of order until noon.")
	}},
	"What is urgent, and nobody reads": {want: []string{`^night +until confirmed +2 steps$`}},
	"Who is on duty": {want: []string{`^time zone +Europe/Berlin$`, `^on duty +[0-9a-f-]{36} +(Ann Ames|Bob Brown)$`,
		`^turn +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +\S+ +[0-9a-f-]{36} +(Ann Ames|Bob Brown)$`}},
	"A person's data": {want: []string{`^ann\.zip$`}, after: func(w *workplace) {
		w.wantFile("ann.zip", `(?s)^PK.*README\.txt`)
	}},
	"A message that should not have been sent": {want: []string{`^[0-9a-f-]{36} +from \S+ +to \S+ +\S+ +recalled$`},
		after: (*workplace).wantTakenBack},
	"Why a login failed": {before: (*workplace).failToSignIn,
		want: []string{`^\d+ .* login +credentials_invalid .*Bob Brown.* wrong password`, `^\d+ .* login .* unknown name`}},
	"Who changed that":              {want: []string{`^\d+ .* password\.set +ok .*Bob Brown`, `^\d+ .* user\.disable +ok .*Bob Brown`}},
	"How the installation is doing": {want: []string{`(?i)ready`, `^time +active_people +sent$`}},
	"In scripts": {want: []string{`^\{"error":\{"exit":4,"message":"404 not_found: .*","status":404,"code":"not_found",` +
		`"request_id":"[^"]+"\}\}\nexit code 4$`}},
}

// TestEverydayTasksWorkAsPrinted pastes the commands of docs/operate/tasks.md into a shell, section by section.
func TestEverydayTasksWorkAsPrinted(t *testing.T) {
	testenv.Long(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		runTasks(t, mustServe(t, freshDirectory(t), unlimited...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		runTasks(t, mustServe(t, freshDirectory(t), append([]string{"--database", postgrestest.URL(t)}, unlimited...)...))
	})
}

func runTasks(t *testing.T, s *server) {
	w := newWorkplace(t, s)
	page, err := os.ReadFile(tasks)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, section := range regexp.MustCompile(`(?m)^##? `).Split(string(page), -1)[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		var script strings.Builder
		for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(rest, -1) {
			script.WriteString(block[1])
		}
		if script.Len() == 0 {
			continue
		}
		c, known := chores[title]
		if !known {
			t.Errorf("nothing is known of what the commands of %q do", title)
		}
		tried++
		w.section = rest
		if c.before != nil {
			c.before(w)
		}
		printed := w.mustRun(title, strings.ReplaceAll(script.String(), "/var/lib/signet", s.dir))
		for _, want := range c.want {
			if !regexp.MustCompile("(?m)" + want).MatchString(printed) {
				t.Errorf("%s: the commands do not print %s but\n%s", title, want, head(printed))
			}
		}
		if c.after != nil {
			c.after(w)
		}
	}
	if tried != len(chores) {
		t.Errorf("%d sections have commands, want %d", tried, len(chores))
	}
	w.end()
	s.stop()
	s.wantQuietLog()
}

// head is the beginning of a long text.
func head(text string) string { return text[:min(len(text), 2000)] }

// workplace is a person's shell, in a directory of its own.
type workplace struct {
	t        *testing.T
	server   *server
	dir      string
	section  string // of the page, which is tried
	password string // the new one, of the page's file

	shell  *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	ann    *client.Client // with the key that the page makes
	wrong  string         // the message that ann should not have sent
}

func newWorkplace(t *testing.T, s *server) *workplace {
	t.Helper()
	w := &workplace{t: t, server: s, dir: t.TempDir()}
	if err := os.Symlink(program, filepath.Join(w.dir, "signet")); err != nil {
		t.Fatal(err)
	}
	w.shell = exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail")
	w.shell.Dir = w.dir
	w.shell.Env = []string{"PATH=" + w.dir + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + w.dir}
	var err error
	if w.stdin, err = w.shell.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := w.shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.stdout = bufio.NewReader(stdout)
	w.shell.Stderr = w.shell.Stdout // in the order in which it is printed
	if err := w.shell.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// end ends the shell.
func (w *workplace) end() {
	w.t.Helper()
	_ = w.stdin.Close()
	if err := w.shell.Wait(); err != nil {
		w.t.Errorf("the shell: %v", err)
	}
}

// done is what the shell prints behind the commands of a section.
const done = "--- done ---"

// mustRun has the shell run commands, and returns what they print. The shell ends at the first that fails.
func (w *workplace) mustRun(title, script string) string {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.stdin, "%s\necho '%s'\n", script, done); err != nil {
		w.t.Fatal(err)
	}
	var printed strings.Builder
	for {
		line, err := w.stdout.ReadString('\n')
		if strings.TrimSpace(line) == done {
			return printed.String()
		}
		printed.WriteString(line)
		if err != nil {
			w.t.Fatalf("%s: the commands end with %v:\n%s", title, err, printed.String())
		}
	}
}

func (w *workplace) mustWrite(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workplace) wantFile(name string, patterns ...string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).Match(text) {
			w.t.Errorf("%s has no %s but\n%s", name, pattern, head(string(text)))
		}
	}
}

// writePeople writes the file of the page, with so many more rows that there are two hundred.
func (w *workplace) writePeople() {
	_, rest, _ := strings.Cut(w.section, "```csv\n")
	file, _, found := strings.Cut(rest, "```")
	if !found {
		w.t.Fatal("the section has no ```csv")
	}
	for n := strings.Count(file, "\n") - 1; n < 199; n++ {
		file += fmt.Sprintf("person%d,person%d@example.com,Person %d,Nurse,Ward %d\n", n, n, n, n%9)
	}
	w.mustWrite("people.csv", file+"last,last@example.com,Last Person,Nurse,Ward 1\n")
}

func (w *workplace) writePassword() {
	w.password = "a long enough sentence"
	w.mustWrite("new-password.txt", w.password+"\n")
}

// wantKey takes the key that the page makes, with its limits.
func (w *workplace) wantKey() {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "nurse-call.txt"))
	if err != nil {
		w.t.Fatal(err)
	}
	found := regexp.MustCompile(`api_key +(\S+)\napi_secret +(\S+)`).FindSubmatch(text)
	if found == nil {
		w.t.Fatalf("the new key is %s", text)
	}
	w.ann = w.server.client(string(found[1]), string(found[2]))
	keys, err := w.ann.Keys(w.t.Context(), "me")
	if err != nil || len(keys) != 1 || keys[0].MessagesPerDay == nil || *keys[0].MessagesPerDay != 10000 ||
		keys[0].ExpiresTime.IsZero() {
		w.t.Errorf("the keys are %+v, %v", keys, err)
	}
}

// signIn signs somebody in with a password, or wants to be refused.
func (w *workplace) signIn(name, password string, works bool) {
	w.t.Helper()
	_, _, err := client.SignIn(w.t.Context(), anyServer, client.Login{User: name, Password: password},
		client.WithHTTPClient(w.server.http))
	if works && err != nil || !works && !errors.Is(err, client.ErrUnauthorized) {
		w.t.Errorf("signing in as %s: %v", name, err)
	}
}

// sendToBob sends what bob does not read.
func (w *workplace) sendToBob() {
	w.t.Helper()
	sent, err := w.ann.Send(w.t.Context(), client.Outgoing{Recipient: "bob@example.com", Body: "The results of bed 12."})
	if err != nil {
		w.t.Fatal(err)
	}
	w.wrong = sent.MessageID
}

// wantQueued checks that ann has a message in her queue.
func (w *workplace) wantQueued(body string) {
	w.t.Helper()
	for _, e := range kinds(mustQueue(w.t, person{Client: w.ann}), client.EventGroupMessage) {
		if m, err := e.Message(); err == nil && m.Body == body {
			return
		}
	}
	w.t.Errorf("ann has no message %q", body)
}

func (w *workplace) wantTakenBack() {
	w.t.Helper()
	m, err := w.ann.Message(w.t.Context(), w.wrong)
	if err != nil || !m.IsRecalled || m.Body != "" {
		w.t.Errorf("the message is %+v, %v", m, err)
	}
}

func (w *workplace) failToSignIn() {
	w.signIn("bob@example.com", "not his password", false)
	w.signIn("nobody@example.com", "any password", false)
}
