package wire

import (
	"signet/internal/model"
)

type Email struct {
	Address  string `json:"address"`
	Verified bool   `json:"verified"`
}

type Phone struct {
	Number   string `json:"number"`
	Verified bool   `json:"verified"`
}

// User is a User.
type User struct {
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
	Emails            []Email              `json:"emails"`
	Phones            []Phone              `json:"phones"`
	CreatedTime       Time                 `json:"created_time,omitzero"`
	Title             *string              `json:"title,omitempty"`
	Department        *string              `json:"department,omitempty"`
	OrganizationKey   model.OrganizationID `json:"organization_key,omitempty"`
	OrganizationToken model.OrganizationID `json:"organization_token,omitempty"`
	Metadata          map[string]string    `json:"metadata,omitzero"`
	Disabled          bool                 `json:"disabled,omitempty"`
}

// CreatedUser is a User with its first key, where one was asked for.
type CreatedUser struct {
	User
	APIKey    string `json:"api_key,omitempty"`
	APISecret string `json:"api_secret,omitempty"`
}

// User shows an account.
func (v *View) User(e model.Entity) User {
	account := e.Account
	u := User{
		Token: account.ID, XMLNS: v.accountType(),
		DisplayName: account.DisplayName, FirstName: account.FirstName, LastName: account.LastName,
		Username: account.Username,
		Avatar:   v.AvatarURL(account.Avatar), Status: account.Status, DND: account.DND, DNDText: account.DNDText,
		Emails: make([]Email, len(account.Emails)), Phones: make([]Phone, len(account.Phones)),
		CreatedTime: Time(account.Created), Disabled: account.Disabled,
	}
	for i, email := range account.Emails {
		u.Emails[i] = Email{email.Address, email.Verified}
	}
	for i, phone := range account.Phones {
		u.Phones[i] = Phone{phone.Number, phone.Verified}
	}
	if e.Organization != "" {
		u.Title, u.Department = &e.Title, &e.Department
		u.OrganizationKey, u.OrganizationToken = e.Organization, e.Organization
	}
	return u
}

// AvatarURL shows an avatar: a stored one at the server's own address.
func (v *View) AvatarURL(avatar string) string {
	if id, stored := model.StoredAvatar(avatar); stored {
		return v.Base + "/v2/avatar/" + id
	}
	return avatar
}

// Group is a Group.
type Group struct {
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
	CreatedTime     Time                 `json:"created_time,omitzero"`
	ReplayHistory   bool                 `json:"replay_history"`
	IsPublic        bool                 `json:"is_public"`
	Everyone        bool                 `json:"everyone,omitempty"` // which published clients never see; likewise the next two
	Duty            bool                 `json:"duty,omitempty"`
	Directory       bool                 `json:"directory,omitempty"`
	Metadata        map[string]string    `json:"metadata,omitzero"`
}

// Group shows a group. Very many members of one of everybody are only counted.
func (v *View) Group(g *model.Group) Group {
	members, count := g.Members, max(len(g.Members), g.Count)
	if members == nil || g.Everyone && count > model.MostMembersShown {
		members = []model.AccountID{}
	}
	return Group{
		Token: g.ID, XMLNS: v.groupType(), Name: g.Name, DisplayName: g.Name, Description: g.Description,
		Avatar: v.AvatarURL(g.Avatar), OrganizationKey: g.Organization, Members: members,
		NumMembers: count,
		CreatedBy:  g.CreatedBy, CreatedTime: Time(g.Created),
		ReplayHistory: g.ReplayHistory, IsPublic: g.Public, Everyone: g.Everyone, Duty: g.Duty,
		Directory: g.Directory,
	}
}

// Entity shows an account or a group in an event.
func (v *View) Entity(e model.Entity) any {
	if e.Group == nil {
		return v.User(e)
	}
	w := v.Group(e.Group)
	if w.NumMembers > model.MostMembersTold {
		w.Members = nil
	}
	return w
}

// EntityType is the xmlns of an entity.
func (v *View) EntityType(group bool) string {
	if group {
		return v.groupType()
	}
	return v.accountType()
}
