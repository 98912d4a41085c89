package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"signet/internal/config"
)

// settingsGroup is the heading of the settings' flags in help texts.
var settingsGroup = kong.Group{
	Key:   "settings",
	Title: "Settings:",
	Description: `A flag overrides the environment variable named beside it, which overrides the configuration file.
"signet config describe" explains all settings.`,
}

// serverSettings are the flags of commands that take the settings of a server as it does.
type serverSettings struct {
	File     string       `name:"config" placeholder:"FILE" help:"The server's configuration file [SIGNET_CONFIG]."`
	Settings kong.Plugins `embed:""`
}

func (s *serverSettings) sources(con *console) config.Sources {
	return config.Sources{File: s.File, Environ: con.env, Flags: settingTexts(s.Settings)}
}

// ProvideConfig reads the settings for the Run of a command.
func (s *serverSettings) ProvideConfig(con *console) (*config.Config, error) {
	return loadConfig(s.sources(con))
}

func loadConfig(from config.Sources) (*config.Config, error) {
	cfg, err := config.Load(from)
	if err != nil {
		return nil, wrongConfiguration{err}
	}
	return cfg, nil
}

// newSettingFlags returns a struct with a flag for each setting of the server,
// for a command to embed. It is made from the settings themselves, so that none
// can be forgotten.
func newSettingFlags() kong.Plugins {
	var fields []reflect.StructField
	for i, s := range config.Settings() {
		// A pointer tells a flag that was given empty from one that was not
		// given at all.
		kind := reflect.TypeFor[*string]()
		switch {
		case s.List:
			kind = reflect.TypeFor[[]string]()
		case s.Toggle:
			kind = reflect.TypeFor[*bool]()
		}
		tag := fmt.Sprintf("name:%q placeholder:%q group:%q help:%q sep:%q",
			strings.TrimPrefix(s.Flag, "--"), s.Hint, settingsGroup.Key, flagHelp(s), "none")
		if aliases := flagAliases(s); len(aliases) > 0 {
			tag += fmt.Sprintf(" aliases:%q", strings.Join(aliases, ","))
		}
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("Setting%d", i), Type: kind, Tag: reflect.StructTag(tag),
		})
	}
	return kong.Plugins{reflect.New(reflect.StructOf(fields)).Interface()}
}

// flagAliases are other ways to write a flag: the key as it is, and with dashes
// throughout, as in --tls-cert.
func flagAliases(s config.Setting) []string {
	name := strings.TrimPrefix(s.Flag, "--")
	aliases := []string{s.Key, strings.ReplaceAll(name, ".", "-")}
	return slices.Compact(slices.DeleteFunc(aliases, func(alias string) bool { return alias == name }))
}

// flagHelp is the first sentence of a setting's documentation, with its default
// and its variable.
func flagHelp(s config.Setting) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(s.Doc, "\n", " "), ". ")
	more := s.Variable
	if s.Default != "" {
		more += ", default " + s.Default
	}
	return fmt.Sprintf("%s [%s].", strings.TrimSuffix(first, "."), more)
}

// settingTexts returns what the flags of newSettingFlags were given, by key.
func settingTexts(flags kong.Plugins) map[string]string {
	texts := make(map[string]string)
	given := reflect.ValueOf(flags[0]).Elem()
	for i, s := range config.Settings() {
		switch text := given.Field(i).Interface().(type) {
		case *string:
			if text != nil {
				texts[s.Key] = *text
			}
		case []string:
			if text != nil {
				texts[s.Key] = strings.Join(text, ",")
			}
		case *bool:
			if text != nil {
				texts[s.Key] = strconv.FormatBool(*text)
			}
		}
	}
	return texts
}
