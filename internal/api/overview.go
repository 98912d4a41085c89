package api

import (
	"context"
	"time"

	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/overview"
)

// maxDays is the longest time, in days, that a filter of a list names.
const maxDays = 36500

// asked reads which page of a list a call wants.
func (c *call) asked() overview.Ask {
	q := c.readQuery()
	return overview.Ask{Size: q.IntBetween("page_size", 1, maxPageSize, defaultPageSize),
		Continuation: q.Text("continuation")}
}

// listed answers with a page.
func listed[E, W any](a *API, c *call, page overview.Page[E], err error, show func(*E) W) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfList(len(page.Results)))
	out := wire.Page[W]{Results: make([]W, len(page.Results))}
	out.Metadata.Continuation = page.Continuation
	for i := range page.Results {
		out.Results[i] = show(&page.Results[i])
	}
	return reply(out), nil
}

// wireListedOrganization is an Organization with its counts and its usage.
type wireListedOrganization struct {
	wire.Organization
	CreatedTime wire.Time `json:"created_time"`
	Groups      int       `json:"groups"`
	Requests    int       `json:"requests"`

	Usage *wireUsage `json:"usage,omitempty"`
}

// wireUsage is what an organization has stored.
type wireUsage struct {
	Messages        int   `json:"messages"`
	Attachments     int   `json:"attachments"`
	AttachmentBytes int64 `json:"attachment_bytes"`
}

func shownUsage(u *overview.Usage) *wireUsage {
	if u == nil {
		return nil
	}
	return &wireUsage{u.Messages, u.Attachments, u.Bytes}
}

// listOrganizations: GET /organization.
func (a *API) listOrganizations(ctx context.Context, c *call) (answer, error) {
	ask, name, usage := c.asked(), c.readQuery().Text("name"), c.readQuery().Bool("render_usage")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	page, err := a.overview.Organizations(ctx, c.actor, name, usage, ask)
	return listed(a, c, page, err, func(o *overview.Organization) wireListedOrganization {
		return wireListedOrganization{wire.ShownOrganization(o.Organization), wire.Time(o.Created), o.Groups, o.Requests,
			shownUsage(o.Usage)}
	})
}

// wireMember is a User as its organization's administrators see it.
type wireMember struct {
	wire.User
	Roles        []string  `json:"roles"`
	PendingRoles []string  `json:"pending_roles"`
	JoinedTime   wire.Time `json:"joined_time"`
	LastSeenTime wire.Time `json:"last_seen_time,omitzero"`
	HasKeys      bool      `json:"has_keys"`
	Managed      bool      `json:"managed,omitempty"`
	Directory    string    `json:"directory,omitempty"`
}

// listMembers: GET /organization/:organization/member.
func (a *API) listMembers(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	ask := c.asked()
	filter := overview.MemberFilter{Query: q.Text("q"), Role: q.Text("role"), WithoutKeys: q.Bool("without_keys"),
		Disabled: q.OptionalBool("disabled"), Account: q.Text("account"),
		IdleDays: q.IntBetween("idle_days", 1, maxDays, 0)}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	page, err := a.overview.Members(ctx, c.actor, c.organizationPath(), filter, ask)
	return listed(a, c, page, err, func(m *overview.Member) wireMember {
		return wireMember{c.User(m.Entity), notNull(m.Roles), notNull(m.Pending), wire.Time(m.Joined), wire.Time(m.Seen),
			m.HasKeys, m.Managed, m.Directory}
	})
}

func notNull(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// wireListedGroup is a Group without its members.
type wireListedGroup struct {
	wire.Group
	LastMessageTime wire.Time `json:"last_message_time,omitzero"`
}

// listGroups: GET /organization/:organization/group.
func (a *API) listGroups(ctx context.Context, c *call) (answer, error) {
	ask, query := c.asked(), c.readQuery().Text("q")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	page, err := a.overview.Groups(ctx, c.actor, c.organizationPath(), query, ask)
	return listed(a, c, page, err, func(g *overview.Group) wireListedGroup {
		w := wireListedGroup{c.Group(&g.Group), wire.Time(g.LastMessage)}
		w.Members = nil
		return w
	})
}

// wireRequest is a request that an administrator has to decide on.
type wireRequest struct {
	Kind           overview.RequestKind `json:"kind"`
	Account        wire.User            `json:"account"`
	OrganizationID model.OrganizationID `json:"organization_id"`
	Role           string               `json:"role,omitempty"`
	CreatedTime    wire.Time            `json:"created_time"`
}

// listRequests: GET /organization/:organization/request.
func (a *API) listRequests(ctx context.Context, c *call) (answer, error) {
	ask := c.asked()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	page, err := a.overview.Requests(ctx, c.actor, c.organizationPath(), ask)
	return listed(a, c, page, err, func(r *overview.Request) wireRequest {
		return wireRequest{r.Kind, c.User(r.Account), r.Organization, r.Role, wire.Time(r.Created)}
	})
}

// wireListedKey is a Key with its owner.
type wireListedKey struct {
	wire.Key
	AccountID   model.AccountID `json:"account_id"`
	Username    string          `json:"username"`
	DisplayName string          `json:"display_name"`
	Managed     bool            `json:"managed,omitempty"`
}

// listOrganizationKeys: GET /organization/:organization/key, and GET /key for those of the
// whole installation.
func (a *API) listOrganizationKeys(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	ask := c.asked()
	filter := overview.KeyFilter{Query: q.Text("q"), Account: q.Text("account"), Session: q.OptionalBool("session"),
		IdleDays: q.IntBetween("idle_days", 1, maxDays, 0)}
	switch kind := q.Text("kind"); kind {
	case "":
	case model.Regular.String():
		filter.Kind = new(model.Regular)
	case model.Administrative.String():
		filter.Kind = new(model.Administrative)
	default:
		q.Wrong("kind", "regular or administrative")
	}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var page overview.Page[overview.Key]
	var err error
	if id := c.organizationPath(); id != "" {
		page, err = a.overview.Keys(ctx, c.actor, id, filter, ask)
	} else {
		page, err = a.overview.AllKeys(ctx, c.actor, filter, ask)
	}
	return listed(a, c, page, err, func(k *overview.Key) wireListedKey {
		return wireListedKey{wire.ShownKey(&k.Key), k.Account, k.Username, k.DisplayName, k.Managed}
	})
}

// maxMinutes is the longest time, in minutes, that a filter of a list names: the longest
// lifetime of a message.
const maxMinutes = model.MaxTTL

// wireQueue is a queue that holds something.
type wireQueue struct {
	AccountID       model.AccountID `json:"account_id"`
	Username        string          `json:"username"`
	DisplayName     string          `json:"display_name"`
	Depth           int             `json:"depth"`
	OldestEventTime wire.Time       `json:"oldest_event_time"`
	LastSeenTime    wire.Time       `json:"last_seen_time,omitzero"`
	Streams         int             `json:"streams"`
}

// listQueues: GET /organization/:organization/queue, and GET /queue for those of the whole
// installation.
func (a *API) listQueues(ctx context.Context, c *call) (answer, error) {
	ask := c.asked()
	older := time.Duration(c.readQuery().IntBetween("older_than", 1, maxMinutes, 0)) * time.Minute
	if err := c.err(); err != nil {
		return answer{}, err
	}
	var page overview.Page[overview.Queue]
	var err error
	if id := c.organizationPath(); id != "" {
		page, err = a.overview.Queues(ctx, c.actor, id, older, ask)
	} else {
		page, err = a.overview.AllQueues(ctx, c.actor, older, ask)
	}
	return listed(a, c, page, err, func(q *overview.Queue) wireQueue {
		return wireQueue{q.Account, q.Username, q.DisplayName, q.Depth, wire.Time(q.Oldest), wire.Time(q.Seen), q.Streams}
	})
}

// wireUndelivered is a message that is New, without what it says.
type wireUndelivered struct {
	MessageID      model.MessageID `json:"message_id"`
	SenderToken    model.AccountID `json:"sender_token"`
	RecipientToken model.EntityID  `json:"recipient_token"`
	GroupToken     model.GroupID   `json:"group_token,omitzero"`
	CreatedTime    wire.Time       `json:"created_time"`
	ExpiresTime    wire.Time       `json:"expires_time,omitzero"`
	Priority       int             `json:"priority"`
	Waiting        int             `json:"waiting,omitempty"` // of a group's
}

// listUndelivered: GET /organization/:organization/undelivered.
func (a *API) listUndelivered(ctx context.Context, c *call) (answer, error) {
	ask := c.asked()
	after := time.Duration(c.readQuery().IntBetween("minutes", 1, maxMinutes, 15)) * time.Minute
	if err := c.err(); err != nil {
		return answer{}, err
	}
	page, err := a.overview.Undelivered(ctx, c.actor, c.organizationPath(), after, ask)
	return listed(a, c, page, err, func(u *overview.Undelivered) wireUndelivered {
		w := wireUndelivered{MessageID: u.ID, SenderToken: u.Sender, RecipientToken: u.Recipient,
			CreatedTime: wire.Time(u.Created), ExpiresTime: wire.Time(u.Expires), Priority: u.Priority}
		if u.Group {
			w.GroupToken, w.Waiting = model.GroupID(u.Recipient), u.Waiting
		}
		return w
	})
}

// wireListedMessage is a message of an organization, without what it says.
type wireListedMessage struct {
	MessageID      model.MessageID `json:"message_id"`
	SenderToken    model.AccountID `json:"sender_token"`
	RecipientToken model.EntityID  `json:"recipient_token"`
	GroupToken     model.GroupID   `json:"group_token,omitzero"`
	CreatedTime    wire.Time       `json:"created_time"`
	ExpiresTime    wire.Time       `json:"expires_time,omitzero"`
	Priority       int             `json:"priority"`
	IsRecalled     bool            `json:"is_recalled,omitempty"`
}

// listMessages: GET /organization/:organization/message.
func (a *API) listMessages(ctx context.Context, c *call) (answer, error) {
	q := c.readQuery()
	ask := c.asked()
	filter := overview.MessageFilter{Sender: q.Text("sender"), Recipient: q.Text("recipient"), Since: q.Time("since"),
		Until: q.Time("until")}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	page, err := a.overview.Messages(ctx, c.actor, c.organizationPath(), filter, ask)
	return listed(a, c, page, err, func(m *model.Message) wireListedMessage {
		w := wireListedMessage{MessageID: m.ID, SenderToken: m.Sender, RecipientToken: m.Recipient,
			CreatedTime: wire.Time(m.Created), ExpiresTime: wire.Time(m.Expires), Priority: m.Priority,
			IsRecalled: m.Recalled}
		if m.Group {
			w.GroupToken = model.GroupID(m.Recipient)
		}
		return w
	})
}
