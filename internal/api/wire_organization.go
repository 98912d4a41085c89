package api

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"signet/internal/api/input"
	"signet/internal/model"
	"signet/internal/service"
)

// wireSetting is one entry of an organization's settings.
type wireSetting struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// wireOrganization is an Organization.
type wireOrganization struct {
	Token    model.OrganizationID `json:"token"`
	Name     string               `json:"name"`
	Members  int                  `json:"members"`
	TTL      int                  `json:"ttl"`
	DOR      bool                 `json:"dor"`
	Pending  bool                 `json:"pending"`
	Paid     bool                 `json:"paid"`
	Settings []wireSetting        `json:"settings"`

	LegalHold bool `json:"legal_hold,omitempty"` // for administrators
}

// organization shows an organization with the settings in force.
func organization(o model.Organization) wireOrganization {
	s := &o.Settings
	ttl, _ := s.Lifetime(nil) // only a lifetime that is asked for can be refused
	w := wireOrganization{Token: o.ID, Name: o.Name, Members: o.Members, TTL: ttl, DOR: s.DOR != nil && *s.DOR, Paid: true,
		LegalHold: o.LegalHold}
	put := func(name string, value any) { w.Settings = append(w.Settings, wireSetting{name, value}) }
	put("ttl", ttl)
	put("dor", w.DOR)
	if s.MaxTTL != nil {
		put("max_ttl", *s.MaxTTL)
	}
	put("forward", model.Allows(s.Forward))
	put("priority_messaging", model.Allows(s.PriorityMessaging))
	put("allow_public_groups", model.Allows(s.AllowPublicGroups))
	put("attachments", model.Allows(s.Attachments))
	if s.AutologoutTime != nil {
		put("autologout_time", *s.AutologoutTime)
	}
	if s.PinLock != nil {
		put("pin_lock", *s.PinLock)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Other)) {
		put(name, s.Other[name])
	}
	return w
}

// organizationCommand reads a name and settings, in snake_case or camelCase. Any
// other field is a setting that is kept as given.
func (a *API) organizationCommand(c *call) (service.OrganizationCommand, error) {
	f := &c.body.Fields
	var out service.OrganizationCommand
	s := &out.Settings
	s.Other = map[string]json.RawMessage{}
	numbers, switches := s.Numbers(), s.Switches()
	known := map[string]bool{}
	for _, given := range f.Names() {
		name := input.SnakeCase(given)
		if known[name] {
			f.RefuseRepeated(given)
		}
		known[name] = true
		switch name {
		case "name":
			out.Name = f.OptionalText(given)
		case "token", "members", "pending", "paid", "settings", "legal_hold":
			// What an Organization shows of itself is no setting: a client may send back
			// all that it was shown.
		default:
			if number := numbers[name]; number != nil {
				*number = f.OptionalInt(given)
				continue
			}
			if on := switches[name]; on != nil {
				*on = f.OptionalBool(given)
				continue
			}
			known[name] = false // `a_b` and `aB` are two
			if strings.EqualFold(given, a.vendor.organizationKey) || !f.Storable(given, given) {
				continue
			}
			if value := f.Scalar(given); value != nil {
				s.Other[given] = value
			}
		}
	}
	return out, c.err()
}
