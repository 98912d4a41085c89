package wire

import (
	"time"

	"signet/internal/model"
)

// Mute is something that the caller muted. A whole organization has no sender.
type Mute struct {
	SenderType         string               `json:"sender_type,omitempty"`
	SenderToken        model.EntityID       `json:"sender_token,omitzero"`
	OrganizationID     model.OrganizationID `json:"organization_id"`
	CallerOrganization model.OrganizationID `json:"caller_organization"`
	MuteDuration       int                  `json:"mute_duration"` // minutes
	MuteStart          int64                `json:"mute_start"`    // seconds since 1970
}

func ShownMute(m *model.Mute) Mute {
	w := Mute{SenderToken: m.Entity, OrganizationID: m.Organization, CallerOrganization: m.Organization,
		MuteDuration: m.Minutes, MuteStart: seconds(m.Start)}
	switch {
	case m.Group:
		w.SenderType = "group"
	case !m.Entity.IsZero():
		w.SenderType = "account"
	}
	return w
}

func seconds(t time.Time) int64 {
	if t.Unix() <= 0 {
		return 0
	}
	return t.Unix()
}

// MuteChange is the event conversation_mute.
type MuteChange struct {
	Token  model.AccountID `json:"token"`
	Action string          `json:"action"`
	*Mute
}

func muteEvent(m *model.MuteChange) any {
	change := MuteChange{Token: m.Account, Action: m.Action}
	if m.Mute != nil {
		w := ShownMute(m.Mute)
		change.Mute = &w
	}
	return change
}
