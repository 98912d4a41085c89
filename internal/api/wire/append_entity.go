package wire

import (
	"maps"
	"slices"
	"strconv"
)

// A search shows many people and groups. So these are written by hand, as messages are;
// FuzzAppendedEntities holds this file and the tags together.

// appendJSON appends the account.
func (u *User) appendJSON(b []byte) []byte {
	b = appendID(append(b, `{"token":`...), u.Token)
	b = appendString(append(b, `,"xmlns":`...), u.XMLNS)
	b = appendString(append(b, `,"display_name":`...), u.DisplayName)
	b = appendString(append(b, `,"first_name":`...), u.FirstName)
	b = appendString(append(b, `,"last_name":`...), u.LastName)
	b = appendString(append(b, `,"username":`...), u.Username)
	b = appendString(append(b, `,"avatar":`...), u.Avatar)
	b = appendString(append(b, `,"status":`...), u.Status)
	b = strconv.AppendBool(append(b, `,"dnd":`...), u.DND)
	b = appendString(append(b, `,"dnd_text":`...), u.DNDText)
	b = append(b, `,"emails":[`...)
	for i, email := range u.Emails {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"address":`...), email.Address)
		b = strconv.AppendBool(append(b, `,"verified":`...), email.Verified)
		b = append(b, '}')
	}
	b = append(b, `],"phones":[`...)
	for i, phone := range u.Phones {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"number":`...), phone.Number)
		b = strconv.AppendBool(append(b, `,"verified":`...), phone.Verified)
		b = append(b, '}')
	}
	b = append(b, ']')
	if !u.CreatedTime.IsZero() {
		b = u.CreatedTime.appendJSON(append(b, `,"created_time":`...))
	}
	if u.Title != nil {
		b = appendString(append(b, `,"title":`...), *u.Title)
	}
	if u.Department != nil {
		b = appendString(append(b, `,"department":`...), *u.Department)
	}
	if u.OrganizationKey != "" {
		b = appendString(append(b, `,"organization_key":`...), string(u.OrganizationKey))
	}
	if u.OrganizationToken != "" {
		b = appendString(append(b, `,"organization_token":`...), string(u.OrganizationToken))
	}
	b = appendMetadata(b, u.Metadata)
	if u.Disabled {
		b = append(b, `,"disabled":true`...)
	}
	return append(b, '}')
}

// appendJSON appends the group.
func (g *Group) appendJSON(b []byte) []byte {
	b = appendID(append(b, `{"token":`...), g.Token)
	b = appendString(append(b, `,"xmlns":`...), g.XMLNS)
	b = appendString(append(b, `,"name":`...), g.Name)
	b = appendString(append(b, `,"display_name":`...), g.DisplayName)
	b = appendString(append(b, `,"description":`...), g.Description)
	b = appendString(append(b, `,"avatar":`...), g.Avatar)
	b = appendString(append(b, `,"organization_key":`...), string(g.OrganizationKey))
	if g.Members != nil {
		b = append(b, `,"members":[`...)
		for i, member := range g.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendID(b, member)
		}
		b = append(b, ']')
	}
	b = strconv.AppendInt(append(b, `,"num_members":`...), int64(g.NumMembers), 10)
	if !g.CreatedBy.IsZero() {
		b = appendID(append(b, `,"created_by":`...), g.CreatedBy)
	}
	if !g.CreatedTime.IsZero() {
		b = g.CreatedTime.appendJSON(append(b, `,"created_time":`...))
	}
	b = strconv.AppendBool(append(b, `,"replay_history":`...), g.ReplayHistory)
	b = strconv.AppendBool(append(b, `,"is_public":`...), g.IsPublic)
	if g.Everyone {
		b = append(b, `,"everyone":true`...)
	}
	if g.Duty {
		b = append(b, `,"duty":true`...)
	}
	if g.Directory {
		b = append(b, `,"directory":true`...)
	}
	return append(appendMetadata(b, g.Metadata), '}')
}

// appendMetadata appends the metadata of an entity, where it is shown.
func appendMetadata(b []byte, metadata map[string]string) []byte {
	if metadata == nil {
		return b
	}
	b = append(b, `,"metadata":{`...)
	for i, name := range slices.Sorted(maps.Keys(metadata)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, name), ':')
		b = appendString(b, metadata[name])
	}
	return append(b, '}')
}
