package model

import (
	"slices"
	"strings"
	"time"
)

// Account is a person or a program on the platform.
type Account struct {
	ID          AccountID
	Username    string // as given; unique without regard to case
	DisplayName string // never empty
	FirstName   string
	LastName    string
	Avatar      string // URL, or a stored avatar's reference, or empty
	Status      string // free text
	DND         bool
	DNDText     string
	Emails      []Email
	Phones      []Phone
	Operator    bool
	Disabled    bool           // nothing opens it
	CreatedBy   OrganizationID // the organization that created it; empty for operators
	Created     time.Time
}

// Email is an address of an account, in lower case.
type Email struct {
	Address  string `json:"address"`
	Verified bool   `json:"verified"`
	Type     string `json:"type,omitempty"` // what a directory says it is for: work, home; published clients never see it
}

// Phone is a number of an account, in E.164.
type Phone struct {
	Number   string `json:"number"`
	Verified bool   `json:"verified"`
	Type     string `json:"type,omitempty"` // likewise
}

// Membership is an account's place in an organization.
type Membership struct {
	Organization OrganizationID
	Account      AccountID
	Title        string
	Department   string
	Roles        []string // granted ones, sorted
	Joined       time.Time
	Since        int64 // queue position at the joining: what came before stays out of sight
}

// RoleAdmin is the role that makes a member an administrator of its organization.
const RoleAdmin = "admin"

// Has reports whether the member holds the role.
func (m Membership) Has(role string) bool { return slices.Contains(m.Roles, role) }

// ValidRole reports whether a role has a name of 1 to 64 of [a-z0-9_].
func ValidRole(role string) bool {
	return len(role) >= 1 && len(role) <= 64 && strings.Trim(role, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Addresses returns what names the account besides its token, folded.
func (a *Account) Addresses() (out []Address) {
	if a.Username != "" {
		out = append(out, Address{Kind: UsernameAddress, Value: FoldUsername(a.Username)})
	}
	for _, e := range a.Emails {
		out = append(out, Address{Kind: EmailAddress, Value: e.Address})
	}
	for _, p := range a.Phones {
		out = append(out, Address{Kind: PhoneAddress, Value: p.Number})
	}
	return out
}

// ComposeDisplayName returns the first of these that shows something: the display
// name, the first and last name together, the username, the local part of the
// e-mail address, the phone number.
func (a *Account) ComposeDisplayName() string {
	local := ""
	if len(a.Emails) > 0 {
		local, _, _ = strings.Cut(a.Emails[0].Address, "@")
	}
	phone := ""
	if len(a.Phones) > 0 {
		phone = a.Phones[0].Number
	}
	for _, name := range []string{a.DisplayName, a.FirstName + " " + a.LastName, a.Username, local, phone} {
		if name = TidyName(name); name != "" {
			return name
		}
	}
	return a.ID.String()
}
