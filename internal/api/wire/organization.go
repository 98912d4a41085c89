package wire

import (
	"maps"
	"slices"

	"signet/internal/model"
)

// Setting is one entry of an organization's settings.
type Setting struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Organization is an Organization.
type Organization struct {
	Token    model.OrganizationID `json:"token"`
	Name     string               `json:"name"`
	Members  int                  `json:"members"`
	TTL      int                  `json:"ttl"`
	DOR      bool                 `json:"dor"`
	Pending  bool                 `json:"pending"`
	Paid     bool                 `json:"paid"`
	Settings []Setting            `json:"settings"`

	LegalHold bool `json:"legal_hold,omitempty"` // for administrators
}

// ShownOrganization shows an organization with the settings in force.
func ShownOrganization(o model.Organization) Organization {
	s := &o.Settings
	ttl, _ := s.Lifetime(nil) // only a lifetime that is asked for can be refused
	w := Organization{Token: o.ID, Name: o.Name, Members: o.Members, TTL: ttl, DOR: s.DOR != nil && *s.DOR, Paid: true,
		LegalHold: o.LegalHold}
	put := func(name string, value any) { w.Settings = append(w.Settings, Setting{name, value}) }
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
	if s.DisplayNames != nil {
		put("display_names", *s.DisplayNames)
	}
	if s.SecondFactor != nil {
		put("second_factor", *s.SecondFactor)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Other)) {
		put(name, s.Other[name])
	}
	return w
}
