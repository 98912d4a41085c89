package api

import (
	"signet/internal/model"
	"signet/internal/service"
)

// The shapes of contract section 3. They are a promise: a field is never renamed
// and never changes its type.

type wireEmail struct {
	Address  string `json:"address"`
	Verified bool   `json:"verified"`
}

type wirePhone struct {
	Number   string `json:"number"`
	Verified bool   `json:"verified"`
}

// wireUser is a User.
type wireUser struct {
	Token             model.AccountID      `json:"token"`
	XMLNS             string               `json:"xmlns"`
	DisplayName       string               `json:"display_name"`
	FirstName         string               `json:"first_name"`
	LastName          string               `json:"last_name"`
	Username          string               `json:"username"`
	Avatar            string               `json:"avatar"`
	Status            string               `json:"status"`
	DND               bool                 `json:"dnd"`
	DNDText           string               `json:"dnd_text"`
	Emails            []wireEmail          `json:"emails"`
	Phones            []wirePhone          `json:"phones"`
	CreatedTime       wireTime             `json:"created_time,omitzero"`
	Title             *string              `json:"title,omitempty"`
	Department        *string              `json:"department,omitempty"`
	OrganizationKey   model.OrganizationID `json:"organization_key,omitempty"`
	OrganizationToken model.OrganizationID `json:"organization_token,omitempty"`
	Metadata          map[string]string    `json:"metadata,omitzero"`
	Disabled          bool                 `json:"disabled,omitempty"`
}

// view is how things are shown to one caller: under the vendor's names, and with links
// that the caller can follow.
type view struct {
	vendor *vendor
	base   string // what links begin with
}

func (v *view) accountType() string { return v.vendor.namespace + ":entity:account" }
func (v *view) groupType() string   { return v.vendor.namespace + ":entity:group" }

// user shows an account.
func (v *view) user(e model.Entity) wireUser {
	account := e.Account
	u := wireUser{
		Token: account.ID, XMLNS: v.accountType(),
		DisplayName: account.DisplayName, FirstName: account.FirstName, LastName: account.LastName,
		Username: account.Username,
		Avatar:   v.avatarURL(account.Avatar), Status: account.Status, DND: account.DND, DNDText: account.DNDText,
		Emails: make([]wireEmail, len(account.Emails)), Phones: make([]wirePhone, len(account.Phones)),
		CreatedTime: wireTime(account.Created), Disabled: account.Disabled,
	}
	for i, email := range account.Emails {
		u.Emails[i] = wireEmail(email)
	}
	for i, phone := range account.Phones {
		u.Phones[i] = wirePhone(phone)
	}
	if e.Organization != "" {
		u.Title, u.Department = &e.Title, &e.Department
		u.OrganizationKey, u.OrganizationToken = e.Organization, e.Organization
	}
	return u
}

// avatarURL shows an avatar: a stored one at the server's own address.
func (v *view) avatarURL(avatar string) string {
	if id, stored := service.StoredAvatar(avatar); stored {
		return v.base + "/v2/avatar/" + id
	}
	return avatar
}

// wireGroup is a Group.
type wireGroup struct {
	Token           model.GroupID        `json:"token"`
	XMLNS           string               `json:"xmlns"`
	Name            string               `json:"name"`
	DisplayName     string               `json:"display_name"`
	Description     string               `json:"description"`
	Avatar          string               `json:"avatar"`
	OrganizationKey model.OrganizationID `json:"organization_key"`
	Members         []model.AccountID    `json:"members,omitzero"`
	NumMembers      int                  `json:"num_members"`
	CreatedBy       model.AccountID      `json:"created_by,omitzero"`
	CreatedTime     wireTime             `json:"created_time,omitzero"`
	ReplayHistory   bool                 `json:"replay_history"`
	IsPublic        bool                 `json:"is_public"`
	Metadata        map[string]string    `json:"metadata,omitzero"`
}

// group shows a group.
func (v *view) group(g *model.Group) wireGroup {
	members := g.Members
	if members == nil {
		members = []model.AccountID{}
	}
	return wireGroup{
		Token: g.ID, XMLNS: v.groupType(), Name: g.Name, DisplayName: g.Name, Description: g.Description,
		Avatar: v.avatarURL(g.Avatar), OrganizationKey: g.Organization, Members: members,
		NumMembers: max(len(members), g.Count),
		CreatedBy:  g.CreatedBy, CreatedTime: wireTime(g.Created),
		ReplayHistory: g.ReplayHistory, IsPublic: g.Public,
	}
}

// entity shows an account or a group in an event.
func (v *view) entity(e model.Entity) any {
	if e.Group == nil {
		return v.user(e)
	}
	w := v.group(e.Group)
	if w.NumMembers > model.MostMembersTold {
		w.Members = nil
	}
	return w
}

// entityType is the xmlns of an entity.
func (v *view) entityType(group bool) string {
	if group {
		return v.groupType()
	}
	return v.accountType()
}
