package completion

import (
	"os"
	"slices"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); os.Exit(m.Run()) }

// Bash takes an equals sign for a word of its own. What it is offered then is what comes after.
func TestWordsThatBashHasTakenApart(t *testing.T) {
	for _, test := range []struct {
		shell        string
		given, words []string
		cut          string
	}{
		{"bash", []string{"serve", "--log.format", "=", "js"}, []string{"serve", "--log.format=js"}, "--log.format="},
		{"bash", []string{"serve", "--log.format", "="}, []string{"serve", "--log.format="}, "--log.format="},
		{"bash", []string{"serve", "--log.format", "=", "json", "--"}, []string{"serve", "--log.format=json", "--"}, ""},
		{"bash", []string{"serve", "--log.format", "js"}, []string{"serve", "--log.format", "js"}, ""},
		{"bash", []string{"describe", "data", "=", "x"}, []string{"describe", "data", "=", "x"}, ""},
		{"bash", []string{""}, []string{""}, ""},
		{"zsh", []string{"serve", "--log.format=js"}, []string{"serve", "--log.format=js"}, ""},
		{"fish", []string{"--a", "=", "b"}, []string{"--a", "=", "b"}, ""},
	} {
		words, cut := Words(test.shell, test.given)
		if !slices.Equal(words, test.words) || cut != test.cut {
			t.Errorf("%s gives %q: %q without %q, want %q without %q", test.shell, test.given, words, cut, test.words, test.cut)
		}
	}
	offer := Offer{Words: []Word{{Text: "--log.format=json"}}}
	if got := offer.Without("--log.format=").Text(); got != "json\t\n" {
		t.Errorf("the offer is %q", got)
	}
}
