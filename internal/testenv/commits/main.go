// Command commits holds the messages of new commits to their form: a subject `area: verb in
// the imperative`, lower case, of at most 72 characters, without a full stop, and an empty line
// after it. Where the history is not there, such as in a shallow clone, it says so and passes.
//
//	go run ./internal/testenv/commits
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// begin is the last commit that was made before there was this check.
	begin = "1915c6448480809c8619809def07fc325743b46d"

	subjectColumns = 72
)

func main() {
	if err := run(".", begin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "commits:", err)
		os.Exit(1)
	}
}

// run checks the commits of the repository in a directory that came after one.
func run(dir, after string, out io.Writer) error {
	if git(dir, nil, "merge-base", "--is-ancestor", after, "HEAD") != nil {
		fmt.Fprintln(out, "commits: the history is not here, as in a shallow clone: their messages are not checked")
		return nil
	}
	var log bytes.Buffer
	if err := git(dir, &log, "log", "--no-merges", "--reverse", "-z", "--format=%h %B", after+"..HEAD"); err != nil {
		return err
	}
	if log.Len() == 0 {
		return nil
	}
	var all []error
	for commit := range strings.SplitSeq(strings.TrimSuffix(log.String(), "\x00"), "\x00") {
		id, message, _ := strings.Cut(commit, " ")
		for _, problem := range problems(message) {
			all = append(all, fmt.Errorf("%s: %s", id, problem))
		}
	}
	return errors.Join(all...)
}

func git(dir string, out io.Writer, args ...string) error {
	c := exec.Command("git", args...)
	c.Dir, c.Stdout = dir, out
	return c.Run()
}

var (
	subjectForm = regexp.MustCompile(`^[a-z0-9][^\s:]*(?:, [^\s:]+)*: (.+)$`)
	release     = regexp.MustCompile(`^release: v\d+\.\d+\.\d+$`)
	firstWord   = regexp.MustCompile(`^[a-z][a-z-]*`)

	// inflected is how a verb ends that is not in the imperative, and how most nouns do that
	// are put in its place; bare are verbs which end so by themselves.
	inflected = regexp.MustCompile(`(?:[^e]ed|[^s]s|ing)$`)
	bare      = []string{"bias", "bring", "canvas", "cling", "embed", "focus", "ping", "ring", "shed", "spring", "sting",
		"string", "swing", "wed", "wring"}
	// noVerbs begin a sentence about a thing.
	noVerbs = []string{"a", "all", "an", "each", "every", "fewer", "less", "more", "new", "no", "one", "several", "some",
		"the", "what", "where", "who", "whose"}
)

// problems says what is wrong with a message.
func problems(message string) (out []string) {
	subject, rest, _ := strings.Cut(strings.TrimRight(message, "\n"), "\n")
	if n := utf8.RuneCountInString(subject); n > subjectColumns {
		out = append(out, fmt.Sprintf("the subject has %d characters, more than %d: %s", n, subjectColumns, subject))
	}
	if strings.HasSuffix(subject, ".") {
		out = append(out, "the subject ends in a full stop: "+subject)
	}
	if second, _, _ := strings.Cut(rest, "\n"); second != "" {
		out = append(out, "the second line is not empty: "+subject)
	}
	m := subjectForm.FindStringSubmatch(subject)
	switch {
	case release.MatchString(subject):
	case m == nil:
		out = append(out, "the subject is not `area: verb in the imperative`: "+subject)
	case !imperative(firstWord.FindString(m[1])):
		out = append(out, "the subject does not go on with a verb in the imperative, in lower case: "+subject)
	}
	return out
}

// imperative reports whether a word may be a verb in the imperative, by its form.
func imperative(word string) bool {
	return word != "" && !slices.Contains(noVerbs, word) && (slices.Contains(bare, word) || !inflected.MatchString(word))
}
