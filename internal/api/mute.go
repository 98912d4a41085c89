package api

import (
	"context"
	"time"

	"signet/internal/model"
)

// wireMute is something that the caller muted. A whole organization has no sender.
type wireMute struct {
	SenderType         string               `json:"sender_type,omitempty"`
	SenderToken        model.EntityID       `json:"sender_token,omitzero"`
	OrganizationID     model.OrganizationID `json:"organization_id"`
	CallerOrganization model.OrganizationID `json:"caller_organization"`
	MuteDuration       int                  `json:"mute_duration"` // minutes
	MuteStart          int64                `json:"mute_start"`    // seconds since 1970
}

func mute(m *model.Mute) wireMute {
	w := wireMute{SenderToken: m.Entity, OrganizationID: m.Organization, CallerOrganization: m.Organization,
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

// wireMuteChange is the event conversation_mute.
type wireMuteChange struct {
	Token  model.AccountID `json:"token"`
	Action string          `json:"action"`
	*wireMute
}

func wireMuteEvent(m *model.MuteChange) any {
	change := wireMuteChange{Token: m.Account, Action: m.Action}
	if m.Mute != nil {
		w := mute(m.Mute)
		change.wireMute = &w
	}
	return change
}

// getMutes: GET /mute.
func (a *API) getMutes(ctx context.Context, c *call) (answer, error) {
	mutes, err := a.service.Mutes(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	out := make([]wireMute, len(mutes))
	for i := range mutes {
		out[i] = mute(&mutes[i])
	}
	return reply(out), nil
}

// muted reads what a mute is about: an address, or, for an organization, none.
func (c *call) muted() (address string, organization model.OrganizationID) {
	f := &c.body.Fields
	organization = organizationField(f, "receiver_organization")
	for _, other := range []model.OrganizationID{organizationField(f, "sender_organization"), c.organization()} {
		if organization == "" {
			organization = other
		}
	}
	switch {
	case c.path("group") != "":
		return c.path("group"), organization
	case c.path("organization") != "":
		return "", c.organizationPath()
	default:
		return f.RequiredText("sender_token"), organization
	}
}

// startMute: POST /mute/p2p, /mute/group/:group, /mute/organization/:organization.
func (a *API) startMute(ctx context.Context, c *call) (answer, error) {
	address, organization := c.muted()
	minutes := c.body.Int("duration")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.Mute(ctx, c.actor, address, organization, minutes)
}

// stopMute: DELETE of the same.
func (a *API) stopMute(ctx context.Context, c *call) (answer, error) {
	address, organization := c.muted()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.service.Unmute(ctx, c.actor, address, organization)
}

// stopAllMutes: DELETE /mute.
func (a *API) stopAllMutes(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.service.UnmuteAll(ctx, c.actor)
}
