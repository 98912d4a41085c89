package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/internal/span"

	"go.yaml.in/yaml/v3"
)

// setting is one documented value of a Config.
type setting struct {
	key    string
	hint   string // what a value looks like, for help texts
	doc    string // lines of prose
	many   bool   // the value is a list
	toggle bool   // the value is on or off
	value  value
	limits func() error // says what is wrong with the value as it is
	origin origin       // where the value came from
	broken bool         // that source could not be read
}

// origin is where a value came from.
type origin struct {
	source Source
	text   string // for messages; empty: the default
}

// value is a field of a Config seen through its text forms.
type value interface {
	reset()                       // to the default
	parse(text string) error      // from a flag or a variable
	decode(node *yaml.Node) error // from the file
	text() string                 // as a flag would give it
	encode() *yaml.Node           // as the file would give it
}

// set takes a value from one source. Where it cannot be read, the value that
// was there stays.
func (s *setting) set(from origin, read func() error) error {
	s.origin = from
	err := read()
	s.broken = err != nil
	return s.blame(err)
}

// check reports what is wrong with the value, naming key and origin. A value that
// could not be read has been reported already.
func (s *setting) check() error {
	if s.broken {
		return nil
	}
	return s.blame(s.limits())
}

// blame says which setting, from where, an error is about.
func (s *setting) blame(err error) error {
	switch {
	case err == nil:
		return nil
	case s.origin.text == "":
		return fmt.Errorf("%s: %w", s.key, err)
	}
	return fmt.Errorf("%s: %s: %w", s.origin.text, s.key, err)
}

// field is a value of type T.
type field[T any] struct {
	target  *T
	initial T
	read    func(string) (T, error)
	write   func(T) string
	tags    []string // the YAML types that a scalar may have
	wrong   string   // what to say of another one
}

func (f *field[T]) reset()       { *f.target = f.initial }
func (f *field[T]) text() string { return f.write(*f.target) }

func (f *field[T]) parse(text string) error {
	v, err := f.read(text)
	if err == nil {
		*f.target = v
	}
	return err
}

func (f *field[T]) decode(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode {
		return errors.New(f.wrong + ", not a list or section")
	}
	switch tag := node.ShortTag(); {
	case slices.Contains(f.tags, tag):
		return f.parse(node.Value)
	case tag == "!!null":
		return errors.New("has no value; leave the line out for the default")
	case f.tags[0] == "!!str":
		return fmt.Errorf("%s; put %q in quotes to make it text", f.wrong, node.Value)
	}
	return fmt.Errorf("%s, not %q", f.wrong, node.Value)
}

func (f *field[T]) encode() *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: f.tags[0], Value: f.text()}
	if node.Value == "" {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

func text(target *string, key, initial, hint string, check func(string) error, doc string) *setting {
	f := &field[string]{target: target, initial: initial, tags: []string{"!!str"}, wrong: "want text",
		write: func(s string) string { return s }, read: func(s string) (string, error) { return s, nil }}
	limits := func() error { return check(*target) }
	return &setting{key: key, hint: hint, doc: strings.TrimSpace(doc), value: f, limits: limits}
}

func toggle(target *bool, key, doc string) *setting {
	f := &field[bool]{
		target: target, write: strconv.FormatBool, tags: []string{"!!bool"}, wrong: "want true or false",
		read: func(s string) (bool, error) {
			on, err := strconv.ParseBool(strings.TrimSpace(s))
			if err != nil {
				return false, fmt.Errorf("want true or false, not %q", s)
			}
			return on, nil
		},
	}
	return &setting{key: key, hint: "BOOL", doc: strings.TrimSpace(doc), value: f, limits: func() error { return nil },
		toggle: true}
}

// toggledOn is a toggle that is on by default.
func toggledOn(target *bool, key, doc string) *setting {
	s := toggle(target, key, doc)
	s.value.(*field[bool]).initial = true
	return s
}

func number[T int | int64](target *T, key string, initial, least, most T, doc string) *setting {
	f := &field[T]{
		target: target, initial: initial, tags: []string{"!!int"}, wrong: "want a whole number",
		write: func(n T) string { return strconv.FormatInt(int64(n), 10) },
		read: func(s string) (T, error) {
			n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
			if err != nil || int64(T(n)) != n {
				return 0, fmt.Errorf("want a whole number, not %q", s)
			}
			return T(n), nil
		},
	}
	limits := func() error {
		if *target < least || *target > most {
			return fmt.Errorf("want a number from %d to %d, not %d", least, most, *target)
		}
		return nil
	}
	return &setting{key: key, hint: "N", doc: strings.TrimSpace(doc), value: f, limits: limits}
}

// fraction is a share of a whole.
func fraction(target *float64, key string, initial float64, doc string) *setting {
	f := &field[float64]{
		target: target, initial: initial, tags: []string{"!!float", "!!int"}, wrong: "want a number from 0 to 1",
		write: func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) },
		read: func(s string) (float64, error) {
			n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if err != nil {
				return 0, fmt.Errorf("want a number from 0 to 1, not %q", s)
			}
			return n, nil
		},
	}
	limits := func() error {
		if !(*target >= 0 && *target <= 1) { // what is no number is neither
			return fmt.Errorf("want a number from 0 to 1, not %s", f.text())
		}
		return nil
	}
	return &setting{key: key, hint: "SHARE", doc: strings.TrimSpace(doc), value: f, limits: limits}
}

func duration(target *time.Duration, key string, initial, least, most time.Duration, doc string) *setting {
	f := &field[time.Duration]{
		// An integer is let through to the parser, whose message names the unit.
		target: target, initial: initial, tags: []string{"!!str", "!!int"},
		wrong: "want a duration such as 500ms, 90s, 8h or 30d",
		write: formatDuration, read: span.Parse,
	}
	limits := func() error {
		if *target < least || *target > most {
			return fmt.Errorf("want a duration from %s to %s, not %s",
				formatDuration(least), formatDuration(most), formatDuration(*target))
		}
		return nil
	}
	return &setting{key: key, hint: "DURATION", doc: strings.TrimSpace(doc), value: f, limits: limits}
}

// formatDuration writes 720h where time.Duration writes 720h0m0s.
func formatDuration(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}
