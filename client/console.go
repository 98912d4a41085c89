package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Page says which part of a list is wanted.
type Page struct {
	Size         int    // 1 to 200; 0: 50
	Continuation string // of the page before; empty: the first page
}

func (p Page) query() url.Values {
	q := url.Values{}
	setNumber(q, "page_size", p.Size)
	setText(q, "continuation", p.Continuation)
	return q
}

func setText(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

func setNumber(q url.Values, name string, value int) {
	if value != 0 {
		q.Set(name, strconv.Itoa(value))
	}
}

// Listing is a page of a list. It may have fewer results than were asked for, even none,
// where a filter leaves out many.
type Listing[T any] struct {
	Results  []T `json:"results"`
	Metadata struct {
		Continuation string `json:"continuation,omitempty"` // for the next page; empty on the last
	} `json:"metadata"`
}

// Pages yields all of a list, page after page, from what asks for one of them. After an
// error it ends.
func Pages[T any](ask func(Page) (*Listing[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next := Page{Size: 200}
		for {
			page, err := ask(next)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entry := range page.Results {
				if !yield(entry, nil) {
					return
				}
			}
			if next.Continuation = page.Metadata.Continuation; next.Continuation == "" {
				return
			}
		}
	}
}

// ListedOrganization is an organization with the counts that a list shows.
type ListedOrganization struct {
	Organization
	CreatedTime time.Time `json:"created_time"`
	Groups      int       `json:"groups"`
	Requests    int       `json:"requests"`        // open
	Usage       *Usage    `json:"usage,omitempty"` // where it was asked for
}

// Usage is what an organization has stored. Messages and Attachments are each counted up to 100,000.
type Usage struct {
	Messages        int   `json:"messages"`
	Attachments     int   `json:"attachments"` // one that several messages have counts once
	AttachmentBytes int64 `json:"attachment_bytes"`
}

// OrganizationFilter says which organizations are listed, and with what.
type OrganizationFilter struct {
	Name  string // each word begins some word of theirs
	Usage bool   // with it; a page has 20 at most then
}

// Organizations lists the organizations that the caller administers, for operators all, by
// name (GET /organization).
func (c *Client) Organizations(ctx context.Context, f OrganizationFilter,
	p Page) (*Listing[ListedOrganization], error) {
	r := get("organization")
	r.query = p.query()
	setText(r.query, "name", f.Name)
	if f.Usage {
		r.query.Set("render_usage", "true")
	}
	return fetch[Listing[ListedOrganization]](ctx, c, r)
}

// Member is a user as its organization's administrators see it.
type Member struct {
	User
	Roles        []string  `json:"roles"`
	PendingRoles []string  `json:"pending_roles"` // that it asks for
	JoinedTime   time.Time `json:"joined_time"`
	LastSeenTime time.Time `json:"last_seen_time,omitzero"` // to the hour; zero: never
	HasKeys      bool      `json:"has_keys"`                // that open, and act in the organization
	Managed      bool      `json:"managed,omitempty"`       // the caller may change its names and addresses
	Directory    string    `json:"directory,omitempty"`     // what a directory calls it that keeps it by SCIM
}

// MemberFilter leaves members out; the zero value none.
type MemberFilter struct {
	Query       string // each word begins some word of the member
	Role        string // that it holds
	WithoutKeys bool
	IdleDays    int    // neither seen nor joined for so many days
	Disabled    *bool  // nil: disabled or not
	Account     string // an address: only this member, whatever Query says
}

// OrganizationMembers lists the members of an organization by name (GET
// /organization/:organization/member).
func (c *Client) OrganizationMembers(ctx context.Context, organization string, f MemberFilter,
	p Page) (*Listing[Member], error) {
	r := get("organization", organization, "member")
	r.query = p.query()
	setText(r.query, "q", f.Query)
	setText(r.query, "role", f.Role)
	setText(r.query, "account", f.Account)
	setNumber(r.query, "idle_days", f.IdleDays)
	if f.WithoutKeys {
		r.query.Set("without_keys", "true")
	}
	if f.Disabled != nil {
		r.query.Set("disabled", strconv.FormatBool(*f.Disabled))
	}
	return fetch[Listing[Member]](ctx, c, r)
}

// ListedGroup is a group without its members.
type ListedGroup struct {
	Group
	LastMessageTime time.Time `json:"last_message_time,omitzero"` // zero: there was none
}

// OrganizationGroups lists the groups of an organization by name (GET
// /organization/:organization/group):
// those some word of whose name begins with each word of query.
func (c *Client) OrganizationGroups(ctx context.Context, organization, query string,
	p Page) (*Listing[ListedGroup], error) {
	r := get("organization", organization, "group")
	r.query = p.query()
	setText(r.query, "q", query)
	return fetch[Listing[ListedGroup]](ctx, c, r)
}

// Request is what the administrators of an organization have to decide on.
type Request struct {
	// Kind is "admin" where a member asks for the role, and "join" where an organization
	// wants an account that another one created.
	Kind           string    `json:"kind"`
	Account        User      `json:"account"`
	OrganizationID string    `json:"organization_id"` // in which it is to have the role, or to be
	Role           string    `json:"role,omitempty"`
	CreatedTime    time.Time `json:"created_time"`
}

// OpenRequests lists the open requests of an organization (GET
// /organization/:organization/request).
func (c *Client) OpenRequests(ctx context.Context, organization string, p Page) (*Listing[Request], error) {
	r := get("organization", organization, "request")
	r.query = p.query()
	return fetch[Listing[Request]](ctx, c, r)
}

// ListedKey is a key with its owner.
type ListedKey struct {
	Key
	AccountID   string `json:"account_id"`
	Username    string `json:"username"`
	DisplayName string `json:"display_name"`
	Managed     bool   `json:"managed,omitempty"` // the caller may rename, replace and revoke it
}

// KeyFilter leaves keys out; the zero value none.
type KeyFilter struct {
	Query    string // each word begins some word of the label or of the owner's names, or the key
	Kind     KeyKind
	Session  *bool  // nil: of browsers' sessions or not
	IdleDays int    // neither used nor made for so many days
	Account  string // an address: only its keys
}

// OrganizationKeys lists the keys that act in an organization (GET
// /organization/:organization/key). Of one that the caller does not manage there are its
// name, its kind, when it was made, and by whom.
func (c *Client) OrganizationKeys(ctx context.Context, organization string, f KeyFilter,
	p Page) (*Listing[ListedKey], error) {
	return c.listKeys(ctx, get("organization", organization, "key"), f, p)
}

// AllKeys lists the keys of the installation but those of other operators, for operators
// (GET /key).
func (c *Client) AllKeys(ctx context.Context, f KeyFilter, p Page) (*Listing[ListedKey], error) {
	return c.listKeys(ctx, get("key"), f, p)
}

func (c *Client) listKeys(ctx context.Context, r *request, f KeyFilter, p Page) (*Listing[ListedKey], error) {
	r.query = p.query()
	setText(r.query, "q", f.Query)
	setText(r.query, "kind", string(f.Kind))
	if f.Session != nil {
		r.query.Set("session", strconv.FormatBool(*f.Session))
	}
	setNumber(r.query, "idle_days", f.IdleDays)
	setText(r.query, "account", f.Account)
	return fetch[Listing[ListedKey]](ctx, c, r)
}

// Queue is an account's queue that holds something.
type Queue struct {
	AccountID       string    `json:"account_id"`
	Username        string    `json:"username"`
	DisplayName     string    `json:"display_name"`
	Depth           int       `json:"depth"` // events
	OldestEventTime time.Time `json:"oldest_event_time"`
	LastSeenTime    time.Time `json:"last_seen_time,omitzero"` // to the hour; zero: never
	Streams         int       `json:"streams"`                 // open now
}

// OrganizationQueues lists the members of an organization who have events of it queued (GET
// /organization/:organization/queue), the oldest of which is older than that; 0: all.
func (c *Client) OrganizationQueues(ctx context.Context, organization string, older time.Duration,
	p Page) (*Listing[Queue], error) {
	return c.listQueues(ctx, get("organization", organization, "queue"), older, p)
}

// AllQueues lists the queues of the installation that hold something, for operators (GET
// /queue).
func (c *Client) AllQueues(ctx context.Context, older time.Duration, p Page) (*Listing[Queue], error) {
	return c.listQueues(ctx, get("queue"), older, p)
}

func (c *Client) listQueues(ctx context.Context, r *request, older time.Duration, p Page) (*Listing[Queue], error) {
	r.query = p.query()
	setNumber(r.query, "older_than", whole(older, time.Minute))
	return fetch[Listing[Queue]](ctx, c, r)
}

// HistoryFilter says which figures over time are wanted, and of which time.
type HistoryFilter struct {
	Names []string      // empty: all
	Since time.Time     // zero: an hour, a day or 30 days before Until, by the step
	Until time.Time     // zero: now
	Step  time.Duration // a minute, an hour or a day; 0: an hour
}

// History is what figures were at times.
type History struct {
	Times  []time.Time           `json:"times"`  // when each begins
	Series map[string][]*float64 `json:"series"` // by name, a figure for each time; nil: not known
}

// OrganizationHistory returns figures of an organization over time (GET
// /organization/:organization/history).
func (c *Client) OrganizationHistory(ctx context.Context, organization string, f HistoryFilter) (*History, error) {
	return c.history(ctx, get("organization", organization, "history"), f)
}

// InstallationHistory returns figures of the installation over time, for operators (GET
// /status/history).
func (c *Client) InstallationHistory(ctx context.Context, f HistoryFilter) (*History, error) {
	return c.history(ctx, get("status", "history"), f)
}

func (c *Client) history(ctx context.Context, r *request, f HistoryFilter) (*History, error) {
	r.query = url.Values{}
	setText(r.query, "names", strings.Join(f.Names, ","))
	for name, at := range map[string]time.Time{"since": f.Since, "until": f.Until} {
		if !at.IsZero() {
			r.query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	setNumber(r.query, "step", whole(f.Step, time.Second))
	return fetch[History](ctx, c, r)
}

// ListedMessage is a message of an organization, without what it says.
type ListedMessage struct {
	MessageID      string    `json:"message_id"`
	SenderToken    string    `json:"sender_token"`
	RecipientToken string    `json:"recipient_token"`
	GroupToken     string    `json:"group_token,omitempty"` // of a message to a group
	CreatedTime    time.Time `json:"created_time"`
	ExpiresTime    time.Time `json:"expires_time,omitzero"` // zero: never
	Priority       int       `json:"priority"`
	IsRecalled     bool      `json:"is_recalled,omitempty"`
}

// MessageFilter says which messages of an organization are listed; what is zero leaves nothing out.
type MessageFilter struct {
	Sender    string // an address
	Recipient string // an address, or the token of a group
	Since     time.Time
	Until     time.Time // the first moment that is too late
}

// OrganizationMessages lists messages of an organization, the newest first (GET
// /organization/:organization/message).
func (c *Client) OrganizationMessages(ctx context.Context, organization string, f MessageFilter, p Page) (
	*Listing[ListedMessage], error) {
	r := get("organization", organization, "message")
	r.query = p.query()
	setText(r.query, "sender", f.Sender)
	setText(r.query, "recipient", f.Recipient)
	for name, at := range map[string]time.Time{"since": f.Since, "until": f.Until} {
		if !at.IsZero() {
			r.query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return fetch[Listing[ListedMessage]](ctx, c, r)
}

// Undelivered is a message that waits for its recipients, without what it says.
type Undelivered struct {
	MessageID      string    `json:"message_id"`
	SenderToken    string    `json:"sender_token"`
	RecipientToken string    `json:"recipient_token"`
	GroupToken     string    `json:"group_token,omitempty"` // of a message to a group
	CreatedTime    time.Time `json:"created_time"`
	ExpiresTime    time.Time `json:"expires_time,omitzero"` // zero: never
	Priority       int       `json:"priority"`
	Waiting        int       `json:"waiting,omitempty"` // how many of the group have it New
}

// Undelivered lists the messages of an organization that are still New some time after they
// were sent (GET /organization/:organization/undelivered); 0: 15 minutes.
func (c *Client) Undelivered(ctx context.Context, organization string, after time.Duration,
	p Page) (*Listing[Undelivered], error) {
	r := get("organization", organization, "undelivered")
	r.query = p.query()
	setNumber(r.query, "minutes", whole(after, time.Minute))
	return fetch[Listing[Undelivered]](ctx, c, r)
}
