package wire

import (
	"signet/internal/identity"
	"signet/internal/model"
)

// Identity is the provider of an organization as its administrators see it, without the secret.
type Identity struct {
	ID               model.OrganizationID `json:"id"`
	Issuer           string               `json:"issuer"`
	ClientID         string               `json:"client_id"`
	HasSecret        bool                 `json:"has_secret"`
	Name             string               `json:"name"`
	Domains          []string             `json:"domains"`
	ConfirmedDomains []string             `json:"confirmed_domains"`
	Claims           model.ClaimNames     `json:"claims"`
	AdminGroups      []string             `json:"admin_groups"`
	Provision        bool                 `json:"provision"`
	Passwords        bool                 `json:"passwords"`
	PasswordsOff     bool                 `json:"passwords_off"` // that they are not wanted holds
	Enabled          bool                 `json:"enabled"`
	Shown            bool                 `json:"shown"`
	Tried            bool                 `json:"tried"`
	CreatedTime      Time                 `json:"created_time"`
	RedirectURI      string               `json:"redirect_uri"`
	LogoutURI        string               `json:"backchannel_logout_uri"`
}

// ShownIdentity shows a provider.
func ShownIdentity(s *identity.Shown) Identity {
	return Identity{ID: s.Organization, Issuer: s.Issuer, ClientID: s.ClientID, HasSecret: s.HasSecret, Name: s.Name,
		Domains: listed(s.Domains), ConfirmedDomains: listed(s.Confirmed), Claims: s.Claims,
		AdminGroups: listed(s.AdminGroups), Provision: s.Provision, Passwords: s.Passwords,
		PasswordsOff: !s.Passwords && s.Enabled && s.Tried, Enabled: s.Enabled, Shown: s.Provider.Shown, Tried: s.Tried,
		CreatedTime: Time(s.Created)}
}

// listed is a list as JSON writes it, which is no null.
func listed(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// IdentityChoice is a provider as whoever signs in sees it.
type IdentityChoice struct {
	ID   model.OrganizationID `json:"id"`
	Name string               `json:"name"`
}

// ShownChoices shows providers.
func ShownChoices(all []identity.Choice) []IdentityChoice {
	out := make([]IdentityChoice, len(all))
	for i, c := range all {
		out[i] = IdentityChoice(c)
	}
	return out
}

// IdentityTest is what came of trying a provider.
type IdentityTest struct {
	State   string `json:"state"` // waiting, passed or failed
	Code    string `json:"code,omitempty"`
	Problem string `json:"problem,omitempty"`

	Subject       string          `json:"subject,omitempty"`
	Email         string          `json:"email,omitempty"`
	EmailVerified bool            `json:"email_verified"`
	Username      string          `json:"username,omitempty"`
	DisplayName   string          `json:"display_name,omitempty"`
	Groups        []string        `json:"groups"`
	Outcome       string          `json:"outcome,omitempty"` // known, linked or made
	Account       model.AccountID `json:"account,omitzero"`
	Administrator bool            `json:"administrator"`
}

// ShownTest shows it; nil is one that is not over.
func ShownTest(t *identity.Tried) IdentityTest {
	if t == nil {
		return IdentityTest{State: "waiting", Groups: []string{}}
	}
	out := IdentityTest{State: "failed", Code: t.Code, Problem: t.Problem, Subject: t.Subject, Email: t.Email,
		EmailVerified: t.Verified, Username: t.Username, DisplayName: t.DisplayName, Groups: listed(t.Groups),
		Outcome: t.Outcome, Account: t.Account, Administrator: t.Admin}
	if t.Passed {
		out.State = "passed"
	}
	return out
}
