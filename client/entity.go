package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// User is an account as the caller may see it (contract, section 3).
type User struct {
	Token       string    `json:"token"`
	XMLNS       string    `json:"xmlns"`
	DisplayName string    `json:"display_name"` // never empty
	FirstName   string    `json:"first_name"`
	LastName    string    `json:"last_name"`
	Username    string    `json:"username"`
	Avatar      string    `json:"avatar"` // URL or empty; see Client.OpenAvatar
	Status      string    `json:"status"` // free text
	DND         bool      `json:"dnd"`
	Disabled    bool      `json:"disabled,omitempty"` // nothing opens it; shown to its administrators
	DNDText     string    `json:"dnd_text"`
	Emails      []Email   `json:"emails"` // shown to those who share an organization
	Phones      []Phone   `json:"phones"`
	CreatedTime time.Time `json:"created_time,omitzero"`

	// These tell of the user in the organization of the call, if there is one.
	Title             string   `json:"title,omitempty"`
	Department        string   `json:"department,omitempty"`
	OrganizationKey   string   `json:"organization_key,omitempty"`
	OrganizationToken string   `json:"organization_token,omitempty"`
	Metadata          Metadata `json:"metadata,omitempty"` // only where the call asked for it
}

// Email is an e-mail address of a user.
type Email struct {
	Address  string `json:"address"`
	Verified bool   `json:"verified"`
}

// Phone is a telephone number of a user, in E.164.
type Phone struct {
	Number   string `json:"number"`
	Verified bool   `json:"verified"`
}

// Group is a set of users of one organization (contract, section 3).
type Group struct {
	Token           string    `json:"token"`
	XMLNS           string    `json:"xmlns"`
	Name            string    `json:"name"`
	DisplayName     string    `json:"display_name"` // the same as Name
	Description     string    `json:"description"`
	Avatar          string    `json:"avatar"` // URL or empty
	OrganizationKey string    `json:"organization_key"`
	Members         []string  `json:"members"` // user token; empty once that account is gones
	NumMembers      int       `json:"num_members"`
	CreatedBy       string    `json:"created_by"` // user token
	CreatedTime     time.Time `json:"created_time,omitzero"`
	ReplayHistory   bool      `json:"replay_history"`
	Everyone        bool      `json:"everyone,omitempty"`  // all members of the organization, always
	Duty            bool      `json:"duty,omitempty"`      // a rota says who the members are; see Client.Duty
	Directory       bool      `json:"directory,omitempty"` // the organization's directory keeps it by SCIM
	IsPublic        bool      `json:"is_public"`
	Metadata        Metadata  `json:"metadata,omitempty"` // only where the call asked for it
}

// Metadata is what an organization keeps about an entity, by name: at most 11
// names of 64 characters, values of 4,096.
type Metadata map[string]string

// EntityKind is the kind of thing that an entity is: the end of its xmlns.
type EntityKind string

// The kinds of entity that a message can be sent to.
const (
	KindAccount EntityKind = "account"
	KindGroup   EntityKind = "group"
)

// entityKind reads the end of a type such as tigertext:entity:group.
func entityKind(xmlns string) EntityKind {
	return EntityKind(xmlns[strings.LastIndexByte(xmlns, ':')+1:])
}

// Entity is a user or a group: one of the two is set, or none where the server
// names a kind that this package does not know.
type Entity struct {
	Kind  EntityKind
	User  *User
	Group *Group
}

// Token returns the entity's token.
func (e Entity) Token() string {
	switch {
	case e.User != nil:
		return e.User.Token
	case e.Group != nil:
		return e.Group.Token
	}
	return ""
}

// DisplayName returns what people call the entity.
func (e Entity) DisplayName() string {
	switch {
	case e.User != nil:
		return e.User.DisplayName
	case e.Group != nil:
		return e.Group.DisplayName
	}
	return ""
}

// UnmarshalJSON reads the entity's fields by the kind that xmlns (else type) names.
func (e *Entity) UnmarshalJSON(text []byte) error {
	var head struct {
		XMLNS string `json:"xmlns"`
		Type  string `json:"type"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("entity: %w", err)
	}
	return e.read(entityKind(cmp.Or(head.XMLNS, head.Type)), text)
}

// read reads the fields of an entity of a kind.
func (e *Entity) read(kind EntityKind, text []byte) error {
	*e = Entity{Kind: kind}
	switch kind {
	case KindAccount:
		e.User = new(User)
		return json.Unmarshal(text, e.User)
	case KindGroup:
		e.Group = new(Group)
		return json.Unmarshal(text, e.Group)
	}
	return nil
}

// MarshalJSON writes the fields of the user or group.
func (e Entity) MarshalJSON() ([]byte, error) {
	switch {
	case e.User != nil:
		return marshal(e.User)
	case e.Group != nil:
		return marshal(e.Group)
	}
	return []byte("null"), nil
}
