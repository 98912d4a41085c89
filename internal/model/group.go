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
	Count         int         // of members where Members are not all of them; else 0
	CreatedBy     AccountID
	Created       time.Time
	ReplayHistory bool
	Public        bool
	Everyone      bool   // it always holds all members of the organization, whose administrators alone write to it
	Duty          bool   // a rota says who is in it
	Directory     bool   // a directory keeps it: members change neither its name nor who is in it
	ExternalID    string // what the directory calls it; may be empty
	Deleted       bool
}

// MostMembersShown is how many members of a group an answer names at most: those of a group of
// everybody may be more, and are then counted only.
const MostMembersShown = 2000

// MostMembersTold is how many members a group has at most whose events name them
// (contract, section 6): else an event to each of them would be as long as they are many.
const MostMembersTold = 100

// Entity returns the group's identifier as that of something to send to.
func (g *Group) Entity() EntityID { return EntityID(g.ID) }
