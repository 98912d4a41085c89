package auditlog

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Filter is what lines are looked for. The zero value of a field does not restrict.
type Filter struct {
	About   model.AccountID // by this account, or on it
	Actions []model.AuditAction
	Outcome string // AuditRefused: any but AuditOK
	NoReads bool   // leaves out what was only read; what was refused was not read
}

// fits reports whether a line is one of those.
func (f *Filter) fits(m *mark) bool {
	return (f.About.IsZero() || m.account == f.About || m.onAccount == f.About) &&
		(len(f.Actions) == 0 || slices.Contains(f.Actions, m.action)) &&
		(f.Outcome == "" || m.outcome == f.Outcome || f.Outcome == model.AuditRefused && m.outcome != model.AuditOK) &&
		!(f.NoReads && m.outcome == model.AuditOK && m.action.Reads())
}

// Span is a part of a chain: the lines between two numbers, which are not of it.
type Span struct {
	Chain         model.OrganizationID
	After, Before int64
	Newest        bool // the newest first
}

// beyond is what is left of a span behind a number.
func (s Span) beyond(number int64) Span {
	if s.Newest {
		s.Before = number
	} else {
		s.After = number
	}
	return s
}

// order compares numbers by the order of a span.
func (s Span) order(a, b int64) int {
	if s.Newest {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// direction is that of the span, as statements have it.
func (s Span) direction() string {
	if s.Newest {
		return `DESC`
	}
	return `ASC`
}

// mark is what a filter looks at in a line.
type mark struct {
	number             int64
	action             model.AuditAction
	outcome            string
	account, onAccount model.AccountID
}

func scanMark(m *mark, row store.Row) error {
	var action string
	err := row.Scan(&m.number, &action, &m.outcome, &m.account, &m.onAccount)
	m.action = model.AuditAction(action)
	return err
}

// sight is what was seen of the lines that meet a condition.
type sight struct {
	marks []mark
	full  bool // there may be more
}

// looks looks at the next lines of a span, at about window of them: at those that an index finds by the
// condition of the filter which the fewest lines meet.
func (f *Filter) looks(tx *store.Tx, s Span, window int) (out []sight, err error) {
	add := func(seen sight, failed error) {
		out = append(out, seen)
		err = errors.Join(err, failed)
	}
	// The pairs tell every engine to use the index of the column: of bounds on the number alone one may think that
	// they leave as few lines.
	way := s.direction()
	switch {
	case !f.About.IsZero():
		add(look(tx, `(account, number) > (?, ?) AND (account, number) < (?, ?) ORDER BY account `+way+`, number `+way,
			window/2, s.Chain, f.About, s.After, f.About, s.Before))
		add(look(tx, `(on_account, number) > (?, ?) AND (on_account, number) < (?, ?) ORDER BY on_account `+way+`, number `+
			way, window/2, s.Chain, f.About, s.After, f.About, s.Before))
	case f.Outcome != "" && f.Outcome != model.AuditOK: // which are few, as the index says
		outcomes, err := f.outcomes(tx, s.Chain)
		if err != nil {
			return nil, err
		}
		for _, outcome := range outcomes {
			add(look(tx, `outcome <> 'ok' AND (outcome, number) > (?, ?) AND (outcome, number) < (?, ?) ORDER BY outcome `+way+
				`, number `+way, window/len(outcomes), s.Chain, outcome, s.After, outcome, s.Before))
		}
	case len(f.Actions) > 0:
		for _, action := range f.Actions {
			add(look(tx, `(action, number) > (?, ?) AND (action, number) < (?, ?) ORDER BY action `+way+`, number `+way,
				window/len(f.Actions), s.Chain, string(action), s.After, string(action), s.Before))
		}
	default:
		add(look(tx, `number > ? AND number < ? ORDER BY number `+way, window, s.Chain, s.After, s.Before))
	}
	return out, err
}

// outcomes are those that a filter wants which wants none of AuditOK: the one that it names, or all
// that the chain has. An index has the lines of each in their order, and not those of all.
func (f *Filter) outcomes(tx *store.Tx, chain model.OrganizationID) (out []string, err error) {
	if f.Outcome != model.AuditRefused {
		return []string{f.Outcome}, nil
	}
	for last := ""; ; out = append(out, last) {
		found, err := tx.One(`SELECT outcome FROM audit_entries WHERE chain = ? AND outcome <> 'ok' AND outcome > ?
			ORDER BY outcome LIMIT 1`, []any{chain, last}, &last)
		if err != nil || !found {
			return out, err
		}
	}
}

// look reads the first lines of a chain that meet a condition.
func look(tx *store.Tx, where string, limit int, args ...any) (seen sight, err error) {
	limit = max(limit, 1)
	seen.marks, err = store.List(tx, `SELECT number, action, outcome, account, on_account FROM audit_entries
		WHERE chain = ? AND `+where+` LIMIT ? + 0`, append(args, limit), scanMark)
	seen.full = len(seen.marks) == limit
	return seen, err
}

// Found is what one look at a span found.
type Found struct {
	Rows []Row
	Left Span // what is still to be looked at
	More bool // whether there is anything in it
}

// Find looks at about window lines of a span, and returns up to limit of those that fit, in the
// order of the span. However few these are, it looks at no more: its caller goes on with what is
// left.
func Find(tx *store.Tx, f *Filter, s Span, limit, window int) (found Found, err error) {
	sights, err := f.looks(tx, s, window)
	if err != nil {
		return Found{}, err
	}
	var seen []mark
	found.Left = s
	for _, of := range sights {
		seen = append(seen, of.marks...)
		if !of.full {
			continue
		}
		// What another look found behind the last of these waits for what this one will find there.
		if last := of.marks[len(of.marks)-1].number; !found.More || s.order(last, found.end()) < 0 {
			found.Left = s.beyond(last)
		}
		found.More = true
	}
	slices.SortFunc(seen, func(a, b mark) int { return s.order(a.number, b.number) })
	var numbers []int64
	for i := range seen {
		m := &seen[i]
		switch {
		case found.More && s.order(m.number, found.end()) > 0, i > 0 && m.number == seen[i-1].number, !f.fits(m):
			continue
		case len(numbers) == limit:
			found.Left, found.More = s.beyond(numbers[limit-1]), true
		default:
			numbers = append(numbers, m.number)
			continue
		}
		break
	}
	if len(numbers) == 0 {
		return found, nil
	}
	found.Rows, err = store.List(tx, `SELECT `+columns+` FROM audit_entries WHERE chain = ? AND number IN (?*)`,
		[]any{s.Chain, numbers}, scanRow)
	slices.SortFunc(found.Rows, func(a, b Row) int { return s.order(a.Number, b.Number) })
	found.Rows, err = withNames(tx, s.Chain, found.Rows, err)
	return found, err
}

// end is the last number that was looked at, where more is left.
func (f *Found) end() int64 {
	if f.Left.Newest {
		return f.Left.Before
	}
	return f.Left.After
}

// Between narrows a span to the lines from a time on, and before another one; zero is no bound. A
// line is never before the one in front of it.
func Between(tx *store.Tx, s Span, since, until time.Time) (Span, error) {
	if !since.IsZero() {
		first, found, err := firstFrom(tx, s.Chain, store.Millis(since))
		if err != nil {
			return s, err
		}
		if !found {
			first = store.Never
		}
		s.After = max(s.After, first-1)
	}
	if !until.IsZero() {
		first, found, err := firstFrom(tx, s.Chain, store.EndMillis(until))
		if err != nil {
			return s, err
		}
		if found {
			s.Before = min(s.Before, first)
		}
	}
	return s, nil
}

// firstFrom returns the number of the first line of a chain from a time on.
func firstFrom(tx *store.Tx, chain model.OrganizationID, at int64) (number int64, found bool, err error) {
	found, err = tx.One(`SELECT number FROM audit_entries WHERE chain = ? AND at >= ? ORDER BY at, number LIMIT 1`,
		[]any{chain, at}, &number)
	return number, found, err
}
