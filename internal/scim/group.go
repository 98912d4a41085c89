package scim

import (
	"time"

	"signet/internal/model"
)

// Group is a group as a directory keeps it.
type Group struct {
	ID         string
	ExternalID string
	Name       string // displayName
	Members    []Member
	Created    time.Time
	Location   string // its URL
	People     string // the URL that those of its members begin with
}

// Member is a person who is in a group.
type Member struct {
	ID   string
	Name string // as others see it; empty where it is not known
}

// Object is the group as a resource, without its version.
func (g *Group) Object() Object {
	meta := Object{"resourceType": Groups.Name}
	if g.Location != "" {
		meta["location"] = g.Location
	}
	if !g.Created.IsZero() {
		meta["created"] = g.Created.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	o := Object{"id": g.ID, "displayName": g.Name, "meta": meta, "schemas": []any{GroupSchema}}
	if g.ExternalID != "" {
		o["externalId"] = g.ExternalID
	}
	list := make([]any, len(g.Members))
	for i, m := range g.Members {
		one := Object{"value": m.ID, "type": People.Name}
		if m.Name != "" {
			one["display"] = m.Name
		}
		if g.People != "" {
			one["$ref"] = g.People + m.ID
		}
		list[i] = one
	}
	o["members"] = list
	return o
}

// Matches reports whether a filter lets the group through.
func (g *Group) Matches(f *Filter) bool {
	if f == nil {
		return true
	}
	o := g.Object()
	if len(g.Members) == 0 {
		delete(o, "members") // an empty list is no value
	}
	return f.Matches(o)
}

// ReadGroup reads a group that is to be made.
func ReadGroup(body map[string]any) (Group, error) {
	o, err := Groups.read(body)
	if err != nil {
		return Group{}, err
	}
	return groupOf(o, Group{})
}

// ReplaceGroup is what a PUT makes of a group.
func ReplaceGroup(body map[string]any) Change[Group] {
	return func(current Group) (Group, error) {
		o, err := Groups.read(body)
		if err != nil {
			return current, err
		}
		return groupOf(o, current)
	}
}

// PatchGroup is what a PATCH makes of a group.
func (p *Patch) PatchGroup(current Group) (Group, error) {
	o := current.Object()
	if err := p.apply(o); err != nil {
		return current, err
	}
	return groupOf(o, current)
}

// groupOf reads a resource. What nobody may change is as it was.
func groupOf(o Object, was Group) (g Group, err error) {
	g = Group{ID: was.ID, Created: was.Created, Location: was.Location, People: was.People}
	g.ExternalID, _ = o["externalId"].(string)
	g.Name, _ = o["displayName"].(string)
	if g.Name = model.TidyName(g.Name); g.Name == "" {
		return g, model.Invalidf(CodeValue, "displayName", "A group has a displayName.")
	}
	for field, value := range map[string]string{"displayName": g.Name, "externalId": g.ExternalID} {
		if err := model.TooLong(field, value, maxName); err != nil {
			return g, err
		}
	}
	seen := map[string]bool{}
	for _, one := range listed(o["members"]) {
		inside, _ := one.(Object)
		id, _ := inside["value"].(string)
		if kind, _ := inside["type"].(string); kind != "" && kind != People.Name {
			return g, model.Invalidf(CodeValue, "members", "The members of a group are people.")
		}
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		g.Members = append(g.Members, Member{ID: id})
	}
	return g, nil
}
