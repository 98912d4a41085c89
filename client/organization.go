package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
)

// Organization is a tenant of the platform (contract, section 3).
type Organization struct {
	Token    string    `json:"token"`
	Name     string    `json:"name"`
	Members  int       `json:"members"`
	TTL      int       `json:"ttl"` // minutes, -1: never; for messages that do not say
	DOR      bool      `json:"dor"` // delete on read, for messages that do not say
	Pending  bool      `json:"pending"`
	Paid     bool      `json:"paid"`
	Settings []Setting `json:"settings"`

	LegalHold bool `json:"legal_hold,omitempty"` // told to administrators: nothing of its messages is erased
}

// Setting is one setting of an organization by name.
type Setting struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Setting returns a setting's value by name.
func (o *Organization) Setting(name string) (value any, ok bool) {
	for _, s := range o.Settings {
		if s.Name == name {
			return s.Value, true
		}
	}
	return nil, false
}

// OrganizationSettings are settings to set; nil leaves one as it is.
type OrganizationSettings struct {
	Name              *string `json:"name,omitempty"`
	TTL               *int    `json:"ttl,omitempty"`     // minutes, 1 to 525600, or -1: never
	MaxTTL            *int    `json:"max_ttl,omitempty"` // minutes; longer ones are refused
	DOR               *bool   `json:"dor,omitempty"`
	Forward           *bool   `json:"forward,omitempty"` // on unless set, here and below
	PriorityMessaging *bool   `json:"priority_messaging,omitempty"`
	AllowPublicGroups *bool   `json:"allow_public_groups,omitempty"`
	Attachments       *bool   `json:"attachments,omitempty"`
	AutologoutTime    *int    `json:"autologout_time,omitempty"`
	PinLock           *bool   `json:"pin_lock,omitempty"`

	// DisplayNames says who changes the names of members: "own", each its own, or "administrators".
	DisplayNames *string `json:"display_names,omitempty"`

	// SecondFactor says whether a password alone opens the accounts that the organization created: "optional", it does,
	// or "required".
	SecondFactor *string `json:"second_factor,omitempty"`

	Other map[string]any `json:"-"` // kept by the server as given
}

// MarshalJSON writes the settings that are set, the others among them.
func (s OrganizationSettings) MarshalJSON() ([]byte, error) {
	type known OrganizationSettings
	text, err := marshal(known(s))
	if err != nil || len(s.Other) == 0 {
		return text, err
	}
	all := maps.Clone(s.Other)
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return marshal(all)
}

// CreateOrganization creates an organization, with the caller as its member and
// administrator, and returns its token (POST /organization). It takes an
// administrative key of an operator or of an administrator of some organization.
func (c *Client) CreateOrganization(ctx context.Context, name string, s OrganizationSettings) (token string,
	err error) {
	s.Name = &name
	got, err := c.do(ctx, post(s, "organization"), nil)
	if err != nil {
		return "", err
	}
	if token = got.header.Get(c.header("Organization-Key")); token == "" {
		return "", fmt.Errorf("POST /organization: %w: no header %s", ErrProtocol, c.header("Organization-Key"))
	}
	return token, nil
}

// UpdateOrganization changes an organization (POST /organization/:organization).
func (c *Client) UpdateOrganization(ctx context.Context, organization string, s OrganizationSettings) error {
	return c.run(ctx, post(s, "organization", organization).harmless())
}

// AdministeredOrganization is an organization as its administrators see it.
type AdministeredOrganization struct {
	Organization
	Requests int `json:"requests"` // open
}

// Organization returns an organization to its administrators (GET
// /organization/:organization).
func (c *Client) Organization(ctx context.Context, organization string) (*AdministeredOrganization, error) {
	return fetch[AdministeredOrganization](ctx, c, get("organization", organization))
}

// DeleteOrganization erases an organization with its messages, groups and
// memberships (DELETE /organization/:organization). The name is given again, against
// mistakes.
func (c *Client) DeleteOrganization(ctx context.Context, organization, name string) error {
	r := remove("organization", organization)
	r.body = map[string]string{"name": name}
	return c.run(ctx, r)
}

// UserOrganizations returns the organizations of an account: oneself, or in
// those that the caller administers (GET /user/:user/organization).
func (c *Client) UserOrganizations(ctx context.Context, user string) ([]Organization, error) {
	return list[Organization](ctx, c, get("user", user, "organization"))
}

// UserOrganization returns one organization of an account (GET
// /user/:user/organization/:organization), to those of [Client.UserOrganizations].
func (c *Client) UserOrganization(ctx context.Context, user, organization string) (*Organization, error) {
	return fetch[Organization](ctx, c, get("user", user, "organization", organization))
}

// Membership is what an organization says about a member.
type Membership struct {
	Title      string `json:"title,omitempty"`
	Department string `json:"department,omitempty"`
}

// AddToOrganization makes an existing account a member (POST
// /user/:user/organization). Where the account, or the organization that created it,
// has to agree, pending is true; they agree with the same call.
func (c *Client) AddToOrganization(ctx context.Context, user, organization string, m Membership) (pending bool,
	err error) {
	return c.grant(ctx, post(struct {
		Organization string `json:"organization"`
		Membership
	}{organization, m}, "user", user, "organization").harmless())
}

// RemoveFromOrganization ends a membership (DELETE
// /user/:user/organization/:organization): groups are left, keys refused there at once.
func (c *Client) RemoveFromOrganization(ctx context.Context, user, organization string) error {
	return c.run(ctx, remove("user", user, "organization", organization))
}
