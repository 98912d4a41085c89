package config

import (
	"errors"
	"fmt"
)

// Sources is where settings may come from, beside the defaults.
type Sources struct {
	File    string            // path of the file; empty: what the variable SIGNET_CONFIG says, else none
	Environ []string          // "NAME=value" each, as os.Environ gives them
	Flags   map[string]string // text by key of the setting; lists are comma-separated
}

// Path returns the configuration file that Load reads, or "" for none.
func (s Sources) Path() string {
	if s.File != "" {
		return s.File
	}
	return variables(s.Environ)[fileVariable]
}

// Load puts together the settings from all sources: a flag before the
// environment, the environment before the file, the file before the default.
// The error has one line for each thing that is wrong, naming the key and where
// it was found.
func Load(from Sources) (*Config, error) {
	c := Default()
	problems := c.load(from, c.settings())
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return c, nil
}

// LogOf returns the settings of the log, even where other settings are wrong, so that
// those errors can be logged. Settings of the log that cannot be read have their
// defaults.
func LogOf(from Sources) Log {
	c := Default()
	_ = c.load(from, c.settings()) // which Load tells
	usual := Default().Log
	if oneOf(logFormats...)(c.Log.Format) != nil {
		c.Log.Format = usual.Format
	}
	return c.Log
}

// load sets what it can read, and returns what is wrong. all are the settings of c.
func (c *Config) load(from Sources, all []*setting) []error {
	known := make(map[string]*setting, len(all))
	for _, s := range all {
		known[s.key] = s
	}

	var problems []error
	if path := from.Path(); path != "" {
		problems = append(problems, loadFile(path, known)...)
	}
	problems = append(problems, loadEnvironment(variables(from.Environ), all)...)
	for key := range from.Flags {
		if known[key] == nil {
			problems = append(problems, fmt.Errorf("unknown setting %s%s", key, didYouMean(nearestKey(key, known))))
		}
	}
	for _, s := range all {
		if text, given := from.Flags[s.key]; given {
			read := func() error { return s.value.parse(text) }
			problems = append(problems, s.set(origin{FromFlag, "flag " + flagName(s.key)}, read))
		}
	}
	c.origins = make(map[string]origin)
	for _, s := range all {
		problems = append(problems, s.check())
		if s.origin.text != "" {
			c.origins[s.key] = s.origin
		}
	}
	if errors.Join(problems...) == nil { // about values that are wrong there is nothing more to say
		problems = c.conflicts()
	}
	return problems
}
