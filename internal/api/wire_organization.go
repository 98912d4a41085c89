package api

import (
	"strings"

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
	w := wireOrganization{Token: o.ID, Name: o.Name, Members: o.Members, TTL: ttl, DOR: s.DOR != nil && *s.DOR, Paid: true, LegalHold: o.LegalHold}
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
	for _, name := range sortedKeys(s.Other) {
		put(name, s.Other[name])
	}
	return w
}

// organizationCommand reads a name and settings, in snake_case or camelCase. Any
// other field is a setting that is kept as given.
func (a *API) organizationCommand(c *call) (service.OrganizationCommand, error) {
	f := &c.fields
	var out service.OrganizationCommand
	s := &out.Settings
	for _, given := range f.Names() {
		switch name := snakeCase(given); name {
		case "name":
			out.Name = f.OptionalText(given)
		case "ttl":
			s.TTL = f.OptionalInt(given)
		case "max_ttl":
			s.MaxTTL = f.OptionalInt(given)
		case "dor":
			s.DOR = f.OptionalBool(given)
		case "forward":
			s.Forward = f.OptionalBool(given)
		case "priority_messaging":
			s.PriorityMessaging = f.OptionalBool(given)
		case "allow_public_groups":
			s.AllowPublicGroups = f.OptionalBool(given)
		case "attachments":
			s.Attachments = f.OptionalBool(given)
		case "autologout_time":
			s.AutologoutTime = f.OptionalInt(given)
		case "pin_lock":
			s.PinLock = f.OptionalBool(given)
		default:
			if err := keepSetting(f, s, given, a.vendor.organizationKey); err != nil {
				return out, err
			}
		}
	}
	return out, c.err()
}

// Limits of settings that are only kept.
const (
	maxSettings      = 64
	maxSettingName   = 64
	maxSettingLength = 4096
)

// keepSetting keeps a setting that the server knows nothing of. Lists and objects
// are no settings, and ignored.
func keepSetting(f *fields, s *model.Settings, name, organizationField string) error {
	if kind := f.get(name).kind; kind == listKind || kind == objectKind || strings.EqualFold(name, organizationField) {
		return nil
	}
	if s.Other == nil {
		s.Other = map[string]string{}
	}
	value := f.Scalar(name)
	if name == "" || len(name) > maxSettingName || len(value) > maxSettingLength || len(s.Other) >= maxSettings {
		return model.Invalidf("setting_invalid", shownName(name),
			"A setting has a name of at most %d and a value of at most %d bytes, and there are at most %d.", maxSettingName, maxSettingLength, maxSettings)
	}
	s.Other[name] = value
	return nil
}
