package cli

import (
	"maps"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"signet/internal/config"
)

// parse returns what the flags of a command line say about the settings.
func parse(t *testing.T, args ...string) map[string]string {
	t.Helper()
	line := newCommands()
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
	for _, s := range config.Settings() {
		want := map[string]string{s.Key: "text"}
		dashes := "--" + strings.NewReplacer(".", "-", "_", "-").Replace(s.Key)
		if s.Toggle {
			for flag, on := range map[string]string{s.Flag: "true", dashes + "=true": "true", "--" + s.Key + "=false": "false"} {
				if got := parse(t, flag); got[s.Key] != on {
					t.Errorf("%s gives %q, want %s", flag, got, on)
				}
			}
			continue
		}
		if got := parse(t, s.Flag, "text"); !maps.Equal(got, want) {
			t.Errorf("%s gives %q, want %q", s.Flag, got, want)
		}
		for _, flag := range []string{"--" + s.Key, dashes} {
			if got := parse(t, flag+"=text"); !maps.Equal(got, want) {
				t.Errorf("%s gives %q, want %q", flag, got, want)
			}
		}
		if got := parse(t, s.Flag+"="); !maps.Equal(got, map[string]string{s.Key: ""}) {
			t.Errorf("%s given empty gives %q, want an empty text", s.Flag, got)
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
