package completion

import (
	"fmt"
	"slices"
	"strings"
)

// Shells are those for which there is a script.
var Shells = []string{"bash", "zsh", "fish"}

// The lines by which a program tells a shell to complete names of files by itself.
const (
	files       = ":files"
	directories = ":directories"
)

// Text is an offer in the form that the scripts read: a word a line, and its help after a
// tab.
func (o Offer) Text() string {
	switch {
	case o.Files:
		return files + "\n"
	case o.Directories:
		return directories + "\n"
	}
	var b strings.Builder
	for _, word := range o.Words {
		fmt.Fprintf(&b, "%s\t%s\n", word.Text, word.Help)
	}
	return b.String()
}

// Words returns the words of a command line as a shell hands them over. Bash takes an equals
// sign for a word of its own, so that --flag=val is three of them: they are put together, and
// cut is what bash does not want to see again in front of an offer.
func Words(shell string, words []string) (joined []string, cut string) {
	if shell != "bash" {
		return words, ""
	}
	for i, word := range words {
		last := len(joined) - 1
		switch {
		case i > 0 && last >= 0 && strings.HasPrefix(joined[last], "--") && word == "=":
			joined[last] += "="
		case i > 0 && last >= 0 && strings.HasPrefix(joined[last], "--") && words[i-1] == "=":
			joined[last] += word
		default:
			joined = append(joined, word)
		}
	}
	if len(joined) > 0 && len(joined) < len(words) {
		name, _, whole := strings.Cut(joined[len(joined)-1], "=")
		at := len(words) - 1
		if whole && (words[at] == "=" || at > 0 && words[at-1] == "=") {
			cut = name + "="
		}
	}
	return joined, cut
}

// Without takes away what a shell has already in front of each word.
func (o Offer) Without(front string) Offer {
	o.Words = slices.Clone(o.Words)
	for i := range o.Words {
		o.Words[i].Text = strings.TrimPrefix(o.Words[i].Text, front)
	}
	return o
}

// Script returns the script by which a shell asks a program to complete its command lines:
// "PROGRAM complete SHELL WORD...". The shell is one of Shells.
func Script(shell, program string) string {
	return strings.NewReplacer("PROGRAM", program, "FILES", files, "DIRECTORIES", directories).Replace(scripts[shell])
}

var scripts = map[string]string{
	"bash": `# Completion of PROGRAM for bash: to /usr/share/bash-completion/completions/PROGRAM, or
# source <(PROGRAM completion bash)
_PROGRAM() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		FILES) compopt -o default; return ;;
		DIRECTORIES) compopt -o dirnames; return ;;
		esac
		COMPREPLY+=("${line%%$'\t'*}")
	done < <("${COMP_WORDS[0]}" complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _PROGRAM PROGRAM
`,
	"zsh": `#compdef PROGRAM
# Completion of PROGRAM for zsh: to a directory of $fpath, as _PROGRAM, or
# source <(PROGRAM completion zsh)
_PROGRAM() {
	local line
	local -a offered
	for line in "${(@f)$("${words[1]}" complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		FILES) _files; return ;;
		DIRECTORIES) _files -/; return ;;
		?*) offered+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
		esac
	done
	_describe -t commands PROGRAM offered
}
if [ "${funcstack[1]}" = _PROGRAM ]; then
	_PROGRAM "$@"
else
	compdef _PROGRAM PROGRAM
fi
`,
	"fish": `# Completion of PROGRAM for fish: to ~/.config/fish/completions/PROGRAM.fish, or
# PROGRAM completion fish | source
function __PROGRAM_complete
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	for line in ($words[1] complete fish $words[2..-1] "$current" 2>/dev/null)
		switch $line
			case FILES
				__fish_complete_path "$current"
			case DIRECTORIES
				__fish_complete_directories "$current"
			case '*'
				echo -- $line
		end
	end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
`,
}
