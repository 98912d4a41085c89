package client

import (
	"context"
	"encoding/json"
	"iter"
)

// Criterion is one condition of a search: every word of Text begins some word of
// Field. The fields are any, display_name, first_name, last_name, username,
// email, phone, title, department, name, token, or several with commas between,
// which means any of them.
type Criterion struct {
	Field string
	Text  string
}

// MarshalJSON writes {FIELD: TEXT}.
func (c Criterion) MarshalJSON() ([]byte, error) { return marshal(map[string]string{c.Field: c.Text}) }

// Search says what to look for (contract, section 5.2).
type Search struct {
	Types           []EntityKind `json:"type"`                   // KindAccount, KindGroup; none: both
	Directory       []string     `json:"directory,omitempty"`    // organization tokens; none: all of the caller's
	Must            []Criterion  `json:"-"`                      // all hold
	MustNot         []Criterion  `json:"-"`                      // none holds
	Sort            []string     `json:"sort,omitempty"`         // "-" in front for descending; none: by display name
	PageSize        int          `json:"page_size,omitempty"`    // 1 to 200; 0: 50
	Continuation    string       `json:"continuation,omitempty"` // of the page before
	ReturnFields    []string     `json:"return_fields,omitempty"`
	RenderMetadata  bool         `json:"render_metadata,omitempty"`
	IncludeDisabled bool         `json:"include_disabled"`
	IncludeTotal    bool         `json:"include_total,omitempty"` // count past 1,000 hits
}

type searchBool struct {
	Must    []Criterion `json:"must,omitempty"`
	MustNot []Criterion `json:"must_not,omitempty"`
}

func (s Search) request(format string) *request {
	if len(s.Types) == 0 {
		s.Types = []EntityKind{KindAccount, KindGroup}
	}
	return post(struct {
		Search
		Bool          searchBool `json:"bool"`
		ResultsFormat string     `json:"results_format"`
	}{s, searchBool{s.Must, s.MustNot}, format}, "search").harmless()
}

// Hit is one result of a search.
type Hit struct {
	Type           string `json:"type"`
	OrganizationID string `json:"organization_id"`
	Entity         Entity `json:"entity"`
}

// UnmarshalJSON reads a hit. Where return_fields left xmlns out, its type says
// what the entity is.
func (h *Hit) UnmarshalJSON(text []byte) error {
	var head struct {
		Type           string          `json:"type"`
		OrganizationID string          `json:"organization_id"`
		Entity         json.RawMessage `json:"entity"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	h.Type, h.OrganizationID = head.Type, head.OrganizationID
	return h.Entity.read(entityKind(head.Type), head.Entity)
}

// PageInfo tells where a page of results lies.
type PageInfo struct {
	TotalHits    int    `json:"total_hits"` // exact up to 1,000, or with IncludeTotal
	FirstHit     int    `json:"first_hit"`
	Continuation string `json:"continuation,omitempty"` // for the next page; empty on the last
}

// SearchPage is a page of results.
type SearchPage struct {
	Results  []Hit    `json:"results"`
	Metadata PageInfo `json:"metadata"`
}

// TokenPage is a page of results as mere tokens.
type TokenPage struct {
	Results  []string `json:"results"`
	Metadata PageInfo `json:"metadata"`
}

// Search returns a page of the users and groups that match (POST /search).
func (c *Client) Search(ctx context.Context, s Search) (*SearchPage, error) {
	return fetch[SearchPage](ctx, c, s.request("entities"))
}

// SearchTokens is [Client.Search] for the tokens only.
func (c *Client) SearchTokens(ctx context.Context, s Search) (*TokenPage, error) {
	return fetch[TokenPage](ctx, c, s.request("tokens"))
}

// SearchAll yields all that match, page after page. After an error it ends.
func (c *Client) SearchAll(ctx context.Context, s Search) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for {
			page, err := c.Search(ctx, s)
			if err != nil {
				yield(Hit{}, err)
				return
			}
			for _, hit := range page.Results {
				if !yield(hit, nil) {
					return
				}
			}
			if s.Continuation = page.Metadata.Continuation; s.Continuation == "" {
				return
			}
		}
	}
}
