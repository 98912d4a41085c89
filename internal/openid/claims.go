package openid

import (
	"cmp"
	"strings"
	"time"

	"signet/internal/model"
)

// Person is whom an issuer vouches for.
type Person struct {
	Subject     string
	Session     string // the issuer's name of its session (sid); empty: none
	Email       string
	Verified    bool // the issuer has checked that the e-mail address is the person's
	Username    string
	DisplayName string
	Groups      []string
	At          time.Time // when it proved who it is; zero: not told
}

// claims are what a token, or a UserInfo endpoint, says.
type claims map[string]any

// primaryEmail is the claim in which Microsoft Entra tells addresses that it has verified itself.
const primaryEmail = "verified_primary_email"

func emailClaim(n *model.ClaimNames) string  { return cmp.Or(n.Email, "email") }
func groupsClaim(n *model.ClaimNames) string { return cmp.Or(n.Groups, "groups") }

// find returns a claim: of that name or, along the dots of the name, of an object in an object.
func (c claims) find(name string) any {
	if value, ok := c[name]; ok {
		return value
	}
	within := map[string]any(c)
	for {
		first, rest, more := strings.Cut(name, ".")
		if !more {
			return within[name]
		}
		next, ok := within[first].(map[string]any)
		if !ok {
			return nil
		}
		within, name = next, rest
	}
}

func (c claims) has(name string) bool { return c.find(name) != nil }

// text is a claim that is a text, or the first of a list of texts; empty where it is none.
func (c claims) text(name string) string {
	value := c.find(name)
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	text, _ := value.(string)
	if !model.IsText(text) {
		return ""
	}
	return text
}

// list is a claim that is a list of texts, or a single one.
func (c claims) list(name string) (out []string) {
	switch value := c.find(name).(type) {
	case string:
		return []string{value}
	case []any:
		for _, one := range value {
			if text, ok := one.(string); ok {
				out = append(out, text)
			}
		}
	}
	return out
}

// yes reports whether a claim says so: true, and what some issuers write in its place.
func (c claims) yes(name string) bool {
	switch value := c[name].(type) {
	case bool:
		return value
	case string:
		return value == "true" || value == "1"
	case float64:
		return value == 1
	}
	return false
}

// lacks reports whether claims are missing that are asked of the UserInfo endpoint then: many issuers put these
// there alone.
func (c claims) lacks(n *model.ClaimNames, groups bool) bool {
	return !c.has(emailClaim(n)) || groups && !c.has(groupsClaim(n))
}

// add takes over what other claims say besides. That an address is verified goes with that address only.
func (c claims) add(more claims) {
	other := c.has("email") && c.text("email") != more.text("email")
	for name, value := range more {
		if _, known := c[name]; !known && (name != "email_verified" || !other) {
			c[name] = value
		}
	}
}

// person reads who it is.
func (c claims) person(n *model.ClaimNames) Person {
	return Person{
		Subject: c.text("sub"), Session: c.text("sid"), Email: c.text(emailClaim(n)), Verified: c.verified(emailClaim(n)),
		Username:    c.text(cmp.Or(n.Username, "preferred_username")),
		DisplayName: c.text(cmp.Or(n.DisplayName, "name")),
		Groups:      c.list(groupsClaim(n)),
		At:          c.time("auth_time"),
	}
}

// verified reports whether the issuer has checked that the address in a claim is the person's. What it says of the
// claim email goes for another one only where that has the same address, or none does. Entra has no email_verified:
// its xms_edov says that the owner of the domain has verified the address.
func (c claims) verified(name string) bool {
	if name == primaryEmail {
		return true
	}
	if usual := c.text("email"); name != "email" && usual != "" && !strings.EqualFold(usual, c.text(name)) {
		return false
	}
	if said, ok := c["email_verified"]; ok && said != nil {
		return c.yes("email_verified")
	}
	return c.yes("xms_edov")
}
