package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Organization is a tenant: people see only those who share one with them.
type Organization struct {
	ID       OrganizationID
	Name     string
	Settings Settings
	Members  int
	Created  time.Time

	LegalHold bool // nothing of its messages is erased
}

// Settings are an organization's rules for its messages, and further ones that
// are kept as given (contract, section 3).
type Settings struct {
	TTL               *int  `json:"ttl,omitempty"`                // minutes; nil: the platform's 43200
	MaxTTL            *int  `json:"max_ttl,omitempty"`            // minutes; nil: none
	DOR               *bool `json:"dor,omitempty"`                // delete on read, for messages that do not say
	Forward           *bool `json:"forward,omitempty"`            // nil is true, here and below
	PriorityMessaging *bool `json:"priority_messaging,omitempty"` //
	AllowPublicGroups *bool `json:"allow_public_groups,omitempty"`
	Attachments       *bool `json:"attachments,omitempty"`
	AutologoutTime    *int  `json:"autologout_time,omitempty"` // minutes, for clients
	PinLock           *bool `json:"pin_lock,omitempty"`        // for clients

	DisplayNames *string `json:"display_names,omitempty"` // who changes the names of its members; nil is NamesOwn

	// SecondFactor says whether a password alone opens the accounts that the organization created; nil is
	// SecondFactorOptional.
	SecondFactor *string `json:"second_factor,omitempty"`

	Other map[string]json.RawMessage `json:"other,omitempty"` // texts, numbers and booleans
}

// Who changes the names of an organization's members.
const (
	NamesOwn            = "own"            // each its own
	NamesAdministrators = "administrators" // nobody its own
)

// Whether a password alone opens the accounts that an organization created.
const (
	SecondFactorOptional = "optional" // it does
	SecondFactorRequired = "required" // it lets them make a passkey, or use one
)

// RequiresSecondFactor reports whether a password alone opens nothing but the making of a passkey.
func (s *Settings) RequiresSecondFactor() bool {
	return s.SecondFactor != nil && *s.SecondFactor == SecondFactorRequired
}

// FixesNames reports whether members may not change their own names.
func (s *Settings) FixesNames() bool {
	return s.DisplayNames != nil && *s.DisplayNames == NamesAdministrators
}

// Limits of the settings that are only kept.
const (
	maxOtherSettings      = 64
	maxOtherSettingName   = 64        // bytes
	maxOtherSettingsBytes = 256 << 10 // of names and values together
)

// TTL limits in minutes (contract, section 4).
const (
	NoTTL      = -1
	MinTTL     = 1
	MaxTTL     = 525600
	DefaultTTL = 43200
)

// ValidTTL reports whether a lifetime in minutes is one the contract allows.
func ValidTTL(minutes int) bool {
	return minutes == NoTTL || minutes >= MinTTL && minutes <= MaxTTL
}

// Lifetime returns the lifetime in force, in minutes, for a message that asks
// for one, or for none (nil). Only a lifetime over the organization's max_ttl is
// an error; -1 and the defaults are lowered to it (contract, section 4).
func (s *Settings) Lifetime(asked *int) (int, error) {
	ttl := DefaultTTL
	switch {
	case asked != nil:
		if !ValidTTL(*asked) {
			return 0, Invalidf("ttl_invalid", "ttl", "The ttl is -1 (never) or 1 to 525600 minutes.")
		}
		ttl = *asked
		if ttl != NoTTL && s.MaxTTL != nil && *s.MaxTTL != NoTTL && ttl > *s.MaxTTL {
			return 0, Invalidf("ttl_too_long", "ttl", "The organization allows a ttl of at most %d minutes.", *s.MaxTTL)
		}
	case s.TTL != nil:
		ttl = *s.TTL
	}
	if s.MaxTTL != nil && *s.MaxTTL != NoTTL && (ttl == NoTTL || ttl > *s.MaxTTL) {
		ttl = *s.MaxTTL
	}
	return ttl, nil
}

// Numbers are the settings that are numbers, by name.
func (s *Settings) Numbers() map[string]**int {
	return map[string]**int{"ttl": &s.TTL, "max_ttl": &s.MaxTTL, "autologout_time": &s.AutologoutTime}
}

// Switches are the settings that are on or off, by name.
func (s *Settings) Switches() map[string]**bool {
	return map[string]**bool{"dor": &s.DOR, "forward": &s.Forward, "priority_messaging": &s.PriorityMessaging,
		"allow_public_groups": &s.AllowPublicGroups, "attachments": &s.Attachments, "pin_lock": &s.PinLock}
}

// Words are the settings that are one of some words, by name.
func (s *Settings) Words() map[string]**string {
	return map[string]**string{"display_names": &s.DisplayNames, "second_factor": &s.SecondFactor}
}

// FitWords refuses words that are not one of a setting's.
func (s *Settings) FitWords() error {
	if w := s.DisplayNames; w != nil && *w != NamesOwn && *w != NamesAdministrators {
		return Invalidf("display_names_invalid", "display_names", "Names are changed by %q or %q.", NamesOwn,
			NamesAdministrators)
	}
	if w := s.SecondFactor; w != nil && *w != SecondFactorOptional && *w != SecondFactorRequired {
		return Invalidf("second_factor_invalid", "second_factor", "A second factor is %q or %q.", SecondFactorOptional,
			SecondFactorRequired)
	}
	return nil
}

// Changed names the settings that are there, with the values of those that are
// numbers, switches and words, for the audit log: what others hold may be anything.
func (s *Settings) Changed() string {
	var out []string
	for name, value := range s.Numbers() {
		if *value != nil {
			out = append(out, fmt.Sprintf("%s=%d", name, **value))
		}
	}
	for name, value := range s.Switches() {
		if *value != nil {
			out = append(out, fmt.Sprintf("%s=%t", name, **value))
		}
	}
	for name, value := range s.Words() {
		if *value != nil {
			out = append(out, name+"="+**value)
		}
	}
	slices.Sort(out)
	if len(s.Other) > 0 {
		out = append(out, fmt.Sprintf("others=%d", len(s.Other)))
	}
	return strings.Join(out, " ")
}

// Allows returns a switch that is on unless it was turned off.
func Allows(setting *bool) bool { return setting == nil || *setting }

// Apply puts the settings of a change over those in force. An empty text removes one
// that is only kept.
func (s *Settings) Apply(change Settings) {
	apply(s.Numbers(), change.Numbers())
	apply(s.Switches(), change.Switches())
	apply(s.Words(), change.Words())
	for name, value := range change.Other {
		if s.Other == nil {
			s.Other = map[string]json.RawMessage{}
		}
		s.Other[name] = value
		if string(value) == `""` {
			delete(s.Other, name)
		}
	}
}

// FitOther refuses settings of which too many, or too much, are only kept, names that are
// too long, and alert routes that are none. It is asked about what a change leaves, so that many calls get no
// further than one.
func (s *Settings) FitOther() error {
	size := 0
	for name, value := range s.Other {
		if name == "" || len(name) > maxOtherSettingName {
			return Invalidf("setting_invalid", "settings", "The name of a setting has 1 to %d bytes.", maxOtherSettingName)
		}
		size += len(name) + len(value)
	}
	if len(s.Other) > maxOtherSettings || size > maxOtherSettingsBytes {
		return Invalidf("settings_too_large", "", "There are more than %d further settings, or more than %d KiB of them.",
			maxOtherSettings, maxOtherSettingsBytes>>10)
	}
	_, err := s.AlertRoutes()
	return err
}

func apply[T any](settings, changes map[string]**T) {
	for name, change := range changes {
		if *change != nil {
			*settings[name] = *change
		}
	}
}
