package client

import (
	"context"
	"strconv"
	"time"
)

// Mute is a conversation, or an organization, that the caller has muted.
type Mute struct {
	SenderType         string `json:"sender_type"`  // account or group
	SenderToken        string `json:"sender_token"` // of the user or group
	OrganizationID     string `json:"organization_id"`
	CallerOrganization string `json:"caller_organization"` // the same as OrganizationID
	MuteDuration       int    `json:"mute_duration"`       // minutes
	MuteStart          int64  `json:"mute_start"`          // seconds since 1970
}

// Until returns when the mute ends.
func (m Mute) Until() time.Time {
	return time.Unix(m.MuteStart, 0).Add(time.Duration(m.MuteDuration) * time.Minute)
}

// muting is the body of the calls that mute and unmute.
type muting struct {
	SenderToken          string `json:"sender_token,omitempty"`
	SenderOrganization   string `json:"sender_organization,omitempty"`
	ReceiverOrganization string `json:"receiver_organization,omitempty"`
	Duration             string `json:"duration,omitempty"` // minutes, as the published clients write them
}

// minutes rounds up to a whole number; the server takes 1 to 525600.
func minutes(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Minute-1)/time.Minute), 10)
}

// Mutes lists what the caller has muted (GET /mute).
func (c *Client) Mutes(ctx context.Context) ([]Mute, error) {
	return list[Mute](ctx, c, get("mute"))
}

// MuteUser mutes the conversation with a user, for 1 minute to 365 days (POST
// /mute/p2p). Its messages still come and count.
func (c *Client) MuteUser(ctx context.Context, user, organization string, d time.Duration) error {
	return c.run(ctx, post(muting{user, organization, organization, minutes(d)}, "mute", "p2p").harmless())
}

// UnmuteUser ends MuteUser (DELETE /mute/p2p).
func (c *Client) UnmuteUser(ctx context.Context, user, organization string) error {
	r := remove("mute", "p2p")
	r.body = muting{SenderToken: user, SenderOrganization: organization, ReceiverOrganization: organization}
	return c.run(ctx, r)
}

// MuteGroup mutes a group, for 1 minute to 365 days (POST /mute/group/:group).
func (c *Client) MuteGroup(ctx context.Context, group, organization string, d time.Duration) error {
	return c.run(ctx, post(muting{ReceiverOrganization: organization, Duration: minutes(d)}, "mute", "group",
		group).harmless())
}

// UnmuteGroup ends MuteGroup (DELETE /mute/group/:group).
func (c *Client) UnmuteGroup(ctx context.Context, group, organization string) error {
	r := remove("mute", "group", group)
	r.body = muting{ReceiverOrganization: organization}
	return c.run(ctx, r)
}

// MuteOrganization mutes all of an organization, for 1 minute to 365 days (POST
// /mute/organization/:organization).
func (c *Client) MuteOrganization(ctx context.Context, organization string, d time.Duration) error {
	return c.run(ctx, post(muting{ReceiverOrganization: organization, Duration: minutes(d)}, "mute", "organization",
		organization).harmless())
}

// UnmuteOrganization ends MuteOrganization (DELETE /mute/organization/:organization).
func (c *Client) UnmuteOrganization(ctx context.Context, organization string) error {
	r := remove("mute", "organization", organization)
	r.body = muting{ReceiverOrganization: organization}
	return c.run(ctx, r)
}

// UnmuteAll ends every mute (DELETE /mute).
func (c *Client) UnmuteAll(ctx context.Context) error { return c.run(ctx, remove("mute")) }
