package scim

// Version is the entity tag of the person, wherever it is asked for.
func (u User) Version() string {
	u.Location = ""
	return Version(u.Object())
}

// Version is the entity tag of the group, whatever its members are called.
func (g Group) Version() string {
	g.Location, g.People = "", ""
	members := make([]Member, len(g.Members))
	for i, m := range g.Members {
		members[i] = Member{ID: m.ID}
	}
	g.Members = members
	return Version(g.Object())
}
