package scim

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"signet/internal/model"
)

// What a person may have at most.
const (
	maxName    = model.MaxName
	maxAddress = 20 // e-mail addresses, or phone numbers
	maxWord    = 32 // characters of a type
)

// User is a person as a directory keeps it.
type User struct {
	ID         string
	ExternalID string
	Name       string // userName
	// OtherNames are those by which a filter finds the person, too: of one whom no directory keeps yet, all that
	// it signs in with.
	OtherNames     []string
	GivenName      string
	FamilyName     string
	DisplayName    string
	Title          string
	Department     string
	Active         bool
	Emails, Phones []Address // the first is the primary one
	Created        time.Time
	Location       string // its URL
	formatted      string // a whole name, as a request gives it
}

// Address is an e-mail address or a phone number.
type Address struct {
	Value string
	Type  string // work, home and so on; may be empty
}

// Object is the person as a resource, without its version.
func (u *User) Object() Object {
	o := Object{"id": u.ID, "active": u.Active, "meta": Object{"resourceType": People.Name}}
	put := func(into Object, name, value string) {
		if value != "" {
			into[name] = value
		}
	}
	put(o, "externalId", u.ExternalID)
	put(o, "userName", u.Name)
	put(o, "displayName", u.DisplayName)
	put(o, "title", u.Title)
	put(o["meta"].(Object), "location", u.Location)
	if !u.Created.IsZero() {
		o["meta"].(Object)["created"] = u.Created.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	name := Object{}
	put(name, "givenName", u.GivenName)
	put(name, "familyName", u.FamilyName)
	put(name, "formatted", strings.TrimSpace(u.GivenName+" "+u.FamilyName))
	if len(name) > 0 {
		o["name"] = name
	}
	if list := addressObjects(u.Emails); list != nil {
		o["emails"] = list
	}
	if list := addressObjects(u.Phones); list != nil {
		o["phoneNumbers"] = list
	}
	schemas := []any{UserSchema}
	if u.Department != "" {
		o[EnterpriseSchema] = Object{"department": u.Department}
		schemas = append(schemas, EnterpriseSchema)
	}
	o["schemas"] = schemas
	return o
}

func addressObjects(list []Address) (out []any) {
	for i, a := range list {
		one := Object{"value": a.Value}
		if a.Type != "" {
			one["type"] = a.Type
		}
		if i == 0 {
			one["primary"] = true
		}
		out = append(out, one)
	}
	return out
}

// Matches reports whether a filter lets the person through.
func (u *User) Matches(f *Filter) bool {
	if f == nil {
		return true
	}
	o := u.Object()
	if f.Matches(o) {
		return true
	}
	return slices.ContainsFunc(u.OtherNames, func(name string) bool {
		o["userName"] = name
		return f.Matches(o)
	})
}

// Change is what becomes of a resource.
type Change[T any] func(current T) (wanted T, err error)

// ReadUser reads a person who is to be made. Without `active` it is active.
func ReadUser(body map[string]any) (User, error) {
	o, err := People.read(body)
	if err != nil {
		return User{}, err
	}
	return userOf(o, User{Active: true})
}

// ReplaceUser is what a PUT makes of a person. Without `active` that stays as it is: nobody is let in again,
// or kept out, by what a request does not say.
func ReplaceUser(body map[string]any) Change[User] {
	return func(current User) (User, error) {
		o, err := People.read(body)
		if err != nil {
			return current, err
		}
		return userOf(o, current)
	}
}

// PatchUser is what a PATCH makes of a person.
func (p *Patch) PatchUser(current User) (User, error) {
	o := current.Object()
	if err := p.apply(o); err != nil {
		return current, err
	}
	return userOf(o, current)
}

// userOf reads a resource. What nobody may change is as it was.
func userOf(o Object, was User) (u User, err error) {
	u = User{ID: was.ID, Created: was.Created, Location: was.Location, OtherNames: was.OtherNames, Active: was.Active}
	get := func(from Object, name string) string {
		value, _ := from[name].(string)
		if err == nil {
			err = model.TooLong(name, value, maxName)
		}
		return value
	}
	u.ExternalID, u.Name, u.Title = get(o, "externalId"), get(o, "userName"), get(o, "title")
	u.DisplayName = get(o, "displayName")
	if name, ok := o["name"].(Object); ok {
		u.GivenName, u.FamilyName, u.formatted = get(name, "givenName"), get(name, "familyName"), get(name, "formatted")
	}
	if extended, ok := o[EnterpriseSchema].(Object); ok {
		u.Department = get(extended, "department")
	}
	if active, ok := o["active"].(bool); ok {
		u.Active = active
	}
	if err != nil {
		return u, err
	}
	if u.Name == "" {
		return u, model.Invalidf(CodeValue, "userName", "A person has a userName.")
	}
	if u.DisplayName == "" {
		u.DisplayName = u.formatted
	}
	if u.Emails, err = addressesOf(o, "emails"); err != nil {
		return u, err
	}
	u.Phones, err = addressesOf(o, "phoneNumbers")
	return u, err
}

// addressesOf reads a list of addresses, the primary one first, each once. One that was here before may have no type:
// where it is named again with one, it gets that.
func addressesOf(o Object, name string) (out []Address, err error) {
	list := slices.Clone(listed(o[name]))
	slices.SortStableFunc(list, func(a, b any) int {
		switch x, y := isPrimary(a), isPrimary(b); {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	for _, one := range list {
		inside, _ := one.(Object)
		value, _ := inside["value"].(string)
		kind, _ := inside["type"].(string)
		if value == "" {
			continue
		}
		if err := model.TooLong(name, value, maxName); err != nil {
			return nil, err
		}
		if err := model.TooLong(name, kind, maxWord); err != nil {
			return nil, err
		}
		known := slices.IndexFunc(out, func(a Address) bool { return strings.EqualFold(a.Value, value) })
		if known >= 0 {
			out[known].Type = cmp.Or(out[known].Type, kind)
			continue
		}
		if out = append(out, Address{value, kind}); len(out) > maxAddress {
			return nil, model.Invalidf(CodeValue, name, "A person has at most %d %s.", maxAddress, name)
		}
	}
	return out, nil
}
