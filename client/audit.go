package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// AuditEntry is a line of the audit log: who did what on whom, from where, when, and
// with what outcome.
type AuditEntry struct {
	Chain          string    `json:"chain"` // organization in whose log it is; empty: the platform's
	Number         int64     `json:"number"`
	Time           time.Time `json:"time"`
	Action         string    `json:"action"`
	Outcome        string    `json:"outcome"` // "ok", or the code of the error
	Times          int64     `json:"times"`   // how often, where refusals were put together
	Account        string    `json:"account,omitempty"`
	Key            string    `json:"key,omitempty"`
	Address        string    `json:"address,omitempty"`
	RequestID      string    `json:"request_id,omitempty"`
	OnOrganization string    `json:"on_organization,omitempty"`
	OnAccount      string    `json:"on_account,omitempty"`
	OnGroup        string    `json:"on_group,omitempty"`
	OnKey          string    `json:"on_key,omitempty"`
	Detail         string    `json:"detail,omitempty"`
	Hash           string    `json:"hash"` // SHA-256, in hexadecimal
}

// AuditQuery says which entries to read; the zero value of a field does not restrict.
type AuditQuery struct {
	Limit        int    // 1 to 1000; 0: 100
	Before       int64  // only smaller numbers, the newest first
	After        *int64 // only greater numbers, in their order; not with Before
	Since, Until time.Time
	Action       string
}

// Audit reads an organization's part of the audit log (GET
// /organization/:organization/audit), for its administrators and operators; or the
// platform's (GET /audit), for operators, where the organization is empty.
func (c *Client) Audit(ctx context.Context, organization string, q AuditQuery) ([]AuditEntry, error) {
	values := url.Values{}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Before > 0 {
		values.Set("before", strconv.FormatInt(q.Before, 10))
	}
	if q.After != nil {
		values.Set("after", strconv.FormatInt(*q.After, 10))
	}
	if !q.Since.IsZero() {
		values.Set("since", q.Since.UTC().Format(time.RFC3339))
	}
	if !q.Until.IsZero() {
		values.Set("until", q.Until.UTC().Format(time.RFC3339))
	}
	if q.Action != "" {
		values.Set("action", q.Action)
	}
	r := get(auditPath(organization)...)
	r.query = values
	return list[AuditEntry](ctx, c, r)
}

// AuditFollowOptions say from where on to follow the audit log, and how.
type AuditFollowOptions struct {
	After     *int64        // only entries of greater numbers, 0: all; nil: those that are made from now on
	Heartbeat time.Duration // as of StreamOptions

	// OnDisconnect is as that of StreamOptions.
	OnDisconnect func(err error, wait time.Duration)
}

// AuditFollow follows an organization's part of the audit log, or the platform's, as Audit
// reads them: each entry once, in the order of the numbers, over as many connections as it
// takes. The sequence ends as that of [Client.Events]: with an error that no new attempt
// would change, such as that the caller may not read the log any more.
func (c *Client) AuditFollow(ctx context.Context, organization string,
	o AuditFollowOptions) iter.Seq2[AuditEntry, error] {
	return func(yield func(AuditEntry, error) bool) {
		var after int64
		if o.After != nil {
			after = *o.After
		} else if newest, err := c.Audit(ctx, organization, AuditQuery{Limit: 1}); err != nil {
			yield(AuditEntry{}, err)
			return
		} else if len(newest) > 0 {
			after = newest[0].Number
		}
		s := &stream{c: c, path: auditPath(organization), retry: streamRetry, lastID: strconv.FormatInt(after, 10),
			o: StreamOptions{Heartbeat: cmp.Or(o.Heartbeat, defaultHeartbeat), OnDisconnect: o.OnDisconnect}}
		var misread error
		err := s.run(ctx, func(e Event) bool {
			var entry AuditEntry
			if misread = json.Unmarshal(e.Payload, &entry); misread != nil {
				return false
			}
			if entry.Number <= after {
				return true // it was seen
			}
			after = entry.Number
			return yield(entry, nil)
		})
		if misread != nil {
			err = fmt.Errorf("audit log: %w: %w", ErrProtocol, misread)
		}
		if err != nil {
			yield(AuditEntry{}, err)
		}
	}
}

func auditPath(organization string) []string {
	if organization == "" {
		return []string{"audit"}
	}
	return []string{"organization", organization, "audit"}
}

// HoldOrganization puts an organization under a legal hold (POST
// /organization/:organization/hold), for operators.
func (c *Client) HoldOrganization(ctx context.Context, organization string) error {
	return c.run(ctx, post(nil, "organization", organization, "hold").harmless())
}

// ReleaseOrganization lifts a legal hold (DELETE /organization/:organization/hold),
// for operators.
func (c *Client) ReleaseOrganization(ctx context.Context, organization string) error {
	return c.run(ctx, remove("organization", organization, "hold"))
}
