package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"signet/internal/config"
)

// parse returns what the flags of a command line say about the settings.
func parse(t *testing.T, args ...string) map[string]string {
	t.Helper()
	line := newCommands([]string{"serve"})
	parser, err := kong.New(line, kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(append([]string{"serve"}, args...)); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return settingTexts(line.Serve.Settings)
}

func TestEverySettingHasAFlag(t *testing.T) {
	dashes := func(s config.Setting) string { return "--" + strings.NewReplacer(".", "-", "_", "-").Replace(s.Key) }
	// Each row is a command line that gives every setting in one form.
	for _, form := range []struct {
		name, value, toggled string
		flag                 func(s config.Setting, value string) []string
	}{
		{"the flag", "text", "true", func(s config.Setting, value string) []string {
			if s.Toggle {
				return []string{s.Flag}
			}
			return []string{s.Flag, value}
		}},
		{"the key", "text", "false",
			func(s config.Setting, value string) []string { return []string{"--" + s.Key + "=" + value} }},
		{"dashes", "text", "true",
			func(s config.Setting, value string) []string { return []string{dashes(s) + "=" + value} }},
		{"nothing", "", "true", func(s config.Setting, value string) []string { return []string{s.Flag + "=" + value} }},
	} {
		var args []string
		want := map[string]string{}
		for _, s := range config.Settings() {
			want[s.Key] = form.value
			if s.Toggle {
				want[s.Key] = form.toggled
			}
			args = append(args, form.flag(s, want[s.Key])...)
		}
		got := parse(t, args...)
		for key, value := range want {
			if given, ok := got[key]; !ok || given != value {
				t.Errorf("%s given by %s is %q, want %q", key, form.name, given, value)
			}
		}
		if len(got) != len(want) {
			t.Errorf("by %s, %d settings are given, want %d", form.name, len(got), len(want))
		}
	}
}

func TestFlagsThatAreNotGivenSayNothing(t *testing.T) {
	if got := parse(t); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestFlagsOfAListAddUp(t *testing.T) {
	got := parse(t, "--cors.origins=https://a.example,https://b.example", "--cors.origins", "https://c.example")
	if want := "https://a.example,https://b.example,https://c.example"; got["cors.origins"] != want {
		t.Errorf("got %q, want %q", got["cors.origins"], want)
	}
}
