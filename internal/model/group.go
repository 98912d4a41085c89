package model

import "time"

// Group is a set of accounts of one organization that a message can be sent to.
type Group struct {
	ID            GroupID
	Organization  OrganizationID
	Name          string
	Description   string
	Avatar        string
	Members       []AccountID // in the order in which they joined
	CreatedBy     AccountID
	Created       time.Time
	ReplayHistory bool
	Public        bool
	Deleted       bool
}

// Entity returns the group's identifier as that of something to send to.
func (g *Group) Entity() EntityID { return EntityID(g.ID) }
