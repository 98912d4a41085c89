package notes

import (
	"slices"

	"signet/internal/model"
	"signet/internal/store"
)

// Span is a part of a group's order of which a reader may see the notes: those from one sort on, up
// to another one.
type Span struct {
	From, To int64 // To is not in it
	Replay   bool  // only those that were written while the group's history was on
}

// Spans are the parts of a group's order in which an account may see notes, where the group was not
// deleted: it could see a message that was sent then. What it had when it removed the group from its
// roster is in none of them.
func Spans(tx *store.Tx, group model.GroupID, account model.AccountID) ([]Span, error) {
	var stays []store.Stay
	now := store.Stay{Until: store.StayOpen}
	var past string
	in, err := tx.One(`SELECT p.notes, p.notes_history FROM group_members p JOIN groups g ON g.group_token = p.group_token
		WHERE p.group_token = ? AND p.account = ? AND g.deleted = 0`, []any{group, account}, &now.From, &now.History)
	if err != nil {
		return nil, err
	}
	if in {
		if now.Removed = now.History < 0; now.Removed {
			now.History = -1 - now.History
		}
		stays = append(stays, now)
	}
	found, err := tx.One(`SELECT p.stays FROM past_members p JOIN groups g ON g.group_token = p.group_token
		WHERE p.account = ? AND p.group_token = ? AND g.deleted = 0`, []any{account, group}, &past)
	if err != nil {
		return nil, err
	}
	if found {
		stays = append(stays, store.ParseStays(past)...)
	}
	return united(stays), nil
}

// united are the spans of stays, which may overlap: between two of their ends the reader sees all,
// or what was written while the history was on, or nothing. What it has removed it does not get again
// with the history.
func united(stays []store.Stay) (out []Span) {
	var ends []int64
	for _, s := range stays {
		ends = append(ends, s.History+1, s.From, s.Until)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for i := 1; i < len(ends); i++ {
		from, to := ends[i-1], ends[i]
		var all, replayed, removed bool
		for _, s := range stays {
			during, before := s.From <= from && to <= s.Until, s.History < from && to <= s.From
			all = all || during && !s.Removed
			replayed = replayed || before && !s.Removed
			removed = removed || (during || before) && s.Removed
		}
		replayed = replayed && !removed // it had them already
		if last := len(out) - 1; all || replayed {
			if last >= 0 && out[last].To == from && out[last].Replay == !all {
				out[last].To = to
				continue
			}
			out = append(out, Span{From: from, To: to, Replay: !all})
		}
	}
	return out
}
