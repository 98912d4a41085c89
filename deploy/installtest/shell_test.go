package installtest

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// TestShellsComplete types the beginnings of words, and the tabulator, in the shells that people
// use: with the scripts of the package, and nothing of the user's.
func TestShellsComplete(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := newMachine(t)
	m.must("dpkg -i " + m.putRelease(after, "*.deb"))
	for shell, line := range map[string]string{
		"bash": "bash --noprofile --norc -i",
		"zsh":  "zsh -f -i",
	} {
		t.Run(shell, func(t *testing.T) {
			setUp := map[string]string{
				"bash": ". /usr/share/bash-completion/completions/signet; PS1=REA'DY:'; unset PROMPT_COMMAND\n",
				"zsh":  "autoload -U compinit; compinit -u -D; PS1=REA'DY:'; unsetopt zle_bracketed_paste\n",
			}[shell]
			// What was completed is run: it prints JSON only if both words became whole.
			m.type_(t, line, setUp, "signet lice\t--js\t>/tmp/"+shell+"\n")
			out := m.must("cat /tmp/" + shell)
			wantIn(t, "what was typed", out, `"name":"signet","version":"v`+after+`"`)
		})
	}
	t.Run("fish", func(t *testing.T) {
		ask := func(line string) string { return m.must(`fish -c 'complete -C "` + line + `"'`) }
		wantIn(t, "signet org c", ask("signet org c"), "create\tCreate an organization")
		wantIn(t, "signet serve --log.f", ask("signet serve --log.f"), "--log.format\t")
		wantIn(t, "signet serve --config /etc/sig", ask("signet serve --config /etc/sig"), "/etc/signet/")
	})
	t.Run("bash, with an equals sign", func(t *testing.T) {
		out := m.must(`bash -c '. /usr/share/bash-completion/completions/signet
COMP_WORDS=(signet send --priority = h) COMP_CWORD=4; _signet; echo "${COMPREPLY[@]}"'`)
		if out != "high\n" {
			t.Errorf("it is completed to %q", out)
		}
	})
}

// type_ types into a shell on a terminal: each text after the shell has said that it is ready,
// and then its end.
func (m *machine) type_(t *testing.T, shell string, texts ...string) {
	t.Helper()
	command := m.command("env", "TERM=dumb", "script", "--quiet", "--return", "--command", shell, "/dev/null")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	screen := bufio.NewReader(io.TeeReader(out, &seen))
	for i, text := range append(texts, "exit\n") {
		if _, err := io.WriteString(in, text); err != nil {
			t.Fatal(err)
		}
		if i < len(texts) && !until(screen, "READY:") {
			break
		}
	}
	_, _ = io.Copy(io.Discard, screen) // until it ends
	in.Close()
	if err := command.Wait(); err != nil {
		t.Fatalf("%s: %v\n%q", shell, err, seen.String())
	}
	t.Logf("the terminal shows %q", seen.String())
}

// until reads up to a text.
func until(from *bufio.Reader, text string) bool {
	var read strings.Builder
	for !strings.HasSuffix(read.String(), text) {
		b, err := from.ReadByte()
		if err != nil {
			return false
		}
		read.WriteByte(b)
	}
	return true
}
