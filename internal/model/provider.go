package model

import (
	"net/url"
	"slices"
	"time"
)

// Limits of what organizations sign in with (contract, section 9).
const (
	MaxIssuer       = 512 // characters; of the parts of a client too
	MaxSubject      = 255 // bytes, as OpenID Connect has it
	MaxProviderList = 100 // domains of an organization, and groups of its administrators
	MaxClaimName    = 256 // characters

	// SignInLife is for how long a sign-in that was begun may be ended, and once ended may be asked about.
	SignInLife = 10 * time.Minute
	// FreshSignIn is how long ago a person may have proved who it is to a provider that elevates a session.
	FreshSignIn = 5 * time.Minute
)

// ClaimNames are by which names a provider tells who somebody is. A dot leads into an object, unless a claim has
// one in its own name. Empty: the usual name.
type ClaimNames struct {
	Username    string `json:"username,omitempty"`
	Email       string `json:"email,omitempty"`
	DisplayName string `json:"display_name,omitempty"`
	Groups      string `json:"groups,omitempty"`
}

// Provider is the provider of OpenID Connect with which the members of an organization sign in. It gives access:
// whom its issuer vouches for acts as a member of the organization.
type Provider struct {
	Organization OrganizationID
	Issuer       string // exactly as the issuer spells itself
	ClientID     string
	Name         string   // as people see it
	Domains      []string // of e-mail addresses, folded; those that an operator confirmed are looked up
	Claims       ClaimNames
	AdminGroups  []string // whose members administer the organization; empty: roles stay as they are
	Provision    bool     // makes accounts of people whom nobody knows
	Passwords    bool     // members whom the organization created may sign in with a password too
	Enabled      bool     // else it can only be tried
	Shown        bool     // on the sign-in page, to everybody
	Version      int64    // raised when the issuer, the client or its secret changes
	Created      time.Time
}

// Administers reports whether one of the groups makes its members administrators.
func (p *Provider) Administers(groups []string) bool {
	return slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(p.AdminGroups, g) })
}

// Subject is a person as a provider names it in an organization.
type Subject struct {
	Organization OrganizationID
	Issuer       string
	Subject      string // opaque, and of this issuer alone
}

// ValidIssuer reports whether a text is the URL of an issuer (OpenID Connect Discovery 1.0, section 3): https or
// http, without a user, a query or a fragment.
func ValidIssuer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= MaxIssuer && IsText(text) && (u.Scheme == "https" || u.Scheme == "http") &&
		u.Host != "" && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.Opaque == ""
}

// ValidReturn reports whether a text is a path of the server's own, to which a browser may be sent on: no scheme,
// no host, nothing that a browser takes for one.
func ValidReturn(text string) bool {
	if len(text) == 0 || len(text) > 1024 || text[0] != '/' || len(text) > 1 && text[1] == '/' {
		return false
	}
	for i := range len(text) { // browsers take a backslash for a slash, and drop tabs and line ends
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil
}
