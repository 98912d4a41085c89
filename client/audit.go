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

	// Of user.rename the names that were changed, by field, until the account is erased.
	Old map[string]string `json:"old,omitempty"`
	New map[string]string `json:"new,omitempty"`
}

// AuditQuery says which entries to read; the zero value of a field does not restrict.
type AuditQuery struct {
	Limit        int    // 1 to 1000; 0: 100
	Before       int64  // only smaller numbers, the newest first
	After        *int64 // only greater numbers, in their order; not with Before
	Since, Until time.Time
	Action       string
	Actions      []string // any of these, and of Action
	Account      string   // by this account, or on it
	Outcome      string   // "ok", the code of an error, or "refused" for any code
	NoReads      bool     // leaves out what was only read
}

// AuditPage is a part of the audit log.
type AuditPage struct {
	Entries []AuditEntry      `json:"results"`
	Names   map[string]string `json:"names"` // by token, of whom and what they name, as far as the caller may see them

	// Next is the number to go on with, as Before or, where After was given, as After; 0: here
	// the log ends. A page may have fewer entries than its limit, or none, and the log go on.
	Next int64 `json:"-"`
}

// Audit reads an organization's part of the audit log (GET /organization/:organization/audit),
// for its administrators and operators; or the platform's (GET /audit), for operators, where the
// organization is empty. It makes further calls where the server looks for entries longer than it
// does in one.
func (c *Client) Audit(ctx context.Context, organization string, q AuditQuery) ([]AuditEntry, error) {
	q.Limit = cmp.Or(q.Limit, defaultAuditLimit)
	var all []AuditEntry
	for {
		page, err := c.auditPage(ctx, organization, q, false)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Entries...)
		if q.Limit -= len(page.Entries); q.Limit <= 0 || page.Next == 0 {
			return all, nil
		}
		q.goOn(page.Next)
	}
}

// AuditPage is Audit in one call, with the names of whom and what the entries name.
func (c *Client) AuditPage(ctx context.Context, organization string, q AuditQuery) (*AuditPage, error) {
	return c.auditPage(ctx, organization, q, true)
}

// defaultAuditLimit is how many entries the server answers with where a call does not say.
const defaultAuditLimit = 100

// goOn has the query continue at a number.
func (q *AuditQuery) goOn(next int64) {
	if q.After != nil {
		q.After = &next
	} else {
		q.Before = next
	}
}

func (c *Client) auditPage(ctx context.Context, organization string, q AuditQuery, names bool) (*AuditPage, error) {
	r := get(auditPath(organization)...)
	r.query = q.values()
	var page AuditPage
	if !names {
		got, err := c.do(ctx, r, &page.Entries)
		if err != nil {
			return nil, err
		}
		return &page, page.goesOn(got.header.Get(c.header("Continuation")))
	}
	r.query.Set("names", "true")
	var out struct {
		AuditPage
		Metadata struct {
			Continuation string `json:"continuation"`
		} `json:"metadata"`
	}
	if _, err := c.do(ctx, r, &out); err != nil {
		return nil, err
	}
	page = out.AuditPage
	return &page, page.goesOn(out.Metadata.Continuation)
}

// goesOn notes where the log goes on; an empty text: nowhere.
func (p *AuditPage) goesOn(next string) (err error) {
	if next != "" {
		if p.Next, err = strconv.ParseInt(next, 10, 64); err != nil {
			err = fmt.Errorf("audit log: %w: continuation %q", ErrProtocol, next)
		}
	}
	return err
}

// values are the query of a call.
func (q *AuditQuery) values() url.Values {
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
		values.Add("action", q.Action)
	}
	for _, action := range q.Actions {
		values.Add("action", action)
	}
	if q.Account != "" {
		values.Set("account", q.Account)
	}
	if q.Outcome != "" {
		values.Set("outcome", q.Outcome)
	}
	if q.NoReads {
		values.Set("reads", "false")
	}
	return values
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
