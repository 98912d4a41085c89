package wire

import (
	"encoding/json"
	"fmt"
	"strconv"

	"signet/internal/service"
)

// usualHit is how many bytes a hit of a search takes, more often than not.
const usualHit = 640

// FoundText is a page of a search as an answer. Of its hits it shows some fields, or all
// where shown is nil.
func (v *View) FoundText(found *service.SearchResult, shown map[string]bool) Text {
	return Text{usualHit * (len(found.Hits) + 1), func(b []byte) (_ []byte, err error) {
		b = append(b, `{"results":[`...)
		for i := range found.Hits {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = v.appendHit(b, &found.Hits[i], shown); err != nil {
				return b, err
			}
		}
		return appendFoundEnd(b, found), nil
	}}
}

// FoundTokensText is a page of a search as an answer that has the tokens of its hits alone.
func FoundTokensText(found *service.SearchResult) Text {
	return Text{usualHit + len(found.Hits)*len(`"00000000-0000-0000-0000-000000000000",`), func(b []byte) ([]byte, error) {
		b = append(b, `{"results":[`...)
		for i := range found.Hits {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendID(b, found.Hits[i].Token)
		}
		return appendFoundEnd(b, found), nil
	}}
}

func (v *View) appendHit(b []byte, h *service.SearchHit, shown map[string]bool) ([]byte, error) {
	b = appendString(append(b, `{"type":`...), v.EntityType(h.Group))
	b = appendString(append(b, `,"organization_id":`...), string(h.Organization))
	b = append(b, `,"entity":`...)
	from := len(b)
	if h.Group {
		g := v.Group(h.Entity.Group)
		g.Metadata = h.Metadata
		b = g.appendJSON(b)
	} else {
		u := v.User(h.Entity)
		u.Metadata = h.Metadata
		b = u.appendJSON(b)
	}
	if shown != nil {
		some, err := onlyFields(b[from:], shown)
		if err != nil {
			return b, err
		}
		b = append(b[:from], some...)
	}
	return append(b, '}'), nil
}

// onlyFields returns an object with some of its fields.
func onlyFields(object []byte, shown map[string]bool) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, fmt.Errorf("read an entity that was just written: %w", err)
	}
	for name := range all {
		if !shown[name] {
			delete(all, name)
		}
	}
	return Marshal(all)
}

// appendFoundEnd ends the results, and appends what is said of the page.
func appendFoundEnd(b []byte, found *service.SearchResult) []byte {
	b = strconv.AppendInt(append(b, `],"metadata":{"total_hits":`...), int64(found.Total), 10)
	b = strconv.AppendInt(append(b, `,"first_hit":`...), int64(found.First), 10)
	if found.Continuation != "" {
		b = appendString(append(b, `,"continuation":`...), found.Continuation)
	}
	return append(b, "}}"...)
}
