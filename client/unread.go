package client

import "context"

// Unread counts the messages that an account got and has not read.
type Unread struct {
	Count    int `json:"unread_count"`
	Priority int `json:"unread_priority_count"` // of these, with high priority
}

// Unread returns the counts of an account (GET /user/:user/message/unread_count):
// of oneself, or to an administrator of a shared organization.
func (c *Client) Unread(ctx context.Context, user string) (*Unread, error) {
	return fetch[Unread](ctx, c, get("user", user, "message", "unread_count"))
}

// UnreadIn returns the counts of an account in one organization (GET
// /user/:user/organization/:organization/message/unread_count).
func (c *Client) UnreadIn(ctx context.Context, user, organization string) (*Unread, error) {
	return fetch[Unread](ctx, c, get("user", user, "organization", organization, "message", "unread_count"))
}
