package app

import (
	"fmt"
	"slices"
	"time"
)

// ledger is what the contract says that has become of what was said. It knows no row and
// no queue, and counts anew each time.
type ledger struct{ messages []*spoken } // in the order in which they were sent

// spoken is a message.
type spoken struct {
	id, body string
	from     int
	to       int        // whom it was sent to, unless there is
	in       *gathering // a group
	expires  time.Time
	dor      bool
	recalled bool
	copies   map[int]*copyOf
	hidden   map[int]bool // who has removed the conversation since
}

// copyOf is a recipient's.
type copyOf struct {
	read    bool
	by      time.Time // when it was read at the latest
	history bool      // came with the history of a group
	counts  bool      // where it is unread
}

// gathering is a group.
type gathering struct {
	token   string
	replay  bool
	members []int
}

func (l *ledger) send(m *spoken) {
	m.copies, m.hidden = map[int]*copyOf{}, map[int]bool{}
	to := []int{m.to}
	if m.in != nil {
		to = m.in.members
	}
	for _, p := range to {
		if p != m.from {
			m.copies[p] = &copyOf{counts: true}
		}
	}
	l.messages = append(l.messages, m)
}

// about is how sure a time that was measured here is, beside the server's.
const about = 4 * time.Second

// ended reports whether a message is gone for somebody, and whether that is sure.
func (m *spoken) ended(p int, now time.Time) (gone, sure bool) {
	end := m.expires
	if c := m.copies[p]; m.dor && c != nil && c.read {
		end = earlier(end, c.by.Add(time.Minute))
	}
	if m.dor && len(m.copies) > 0 {
		var last time.Time
		for _, c := range m.copies {
			if !c.read {
				last = m.expires
			} else if end := c.by.Add(time.Minute); end.After(last) {
				last = end
			}
		}
		end = earlier(end, last)
	}
	return end.Before(now), end.Sub(now).Abs() > about
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// has reports whether a message is, or was, one that somebody may read.
func (m *spoken) has(p int) bool { return !m.hidden[p] && (m.from == p || m.copies[p] != nil) }

// with reports whether it is of the conversation of one with another, or a group.
func (m *spoken) with(p, other int, in *gathering) bool {
	if in != nil || m.in != nil {
		return m.in == in
	}
	return m.from == p && m.to == other || m.from == other && m.to == p
}

// seen returns the messages of a conversation that somebody sees, the oldest first, and
// how many of them are unread. Those that are about to end, or have just ended, are unsure.
func (l *ledger) seen(p, other int, in *gathering, now time.Time) (out []lineShown, unread int, unsure []string) {
	for _, m := range l.messages {
		if !m.has(p) || !m.with(p, other, in) {
			continue
		}
		gone, sure := m.ended(p, now)
		switch {
		case !sure:
			unsure = append(unsure, m.id)
			continue
		case gone:
			continue
		case m.recalled:
			out = append(out, lineShown{m.id, "(recalled)"})
			continue
		}
		out = append(out, lineShown{m.id, m.body})
		if c := m.copies[p]; c != nil && c.counts && !c.read {
			unread++
		}
	}
	return out, unread, unsure
}

// read marks what somebody received in a conversation.
func (l *ledger) read(p, other int, in *gathering, before, by time.Time) {
	for _, m := range l.messages {
		c := m.copies[p]
		if c == nil || c.read || !m.has(p) || !m.with(p, other, in) || m.recalled {
			continue
		}
		if gone, sure := m.ended(p, before); !gone || !sure {
			c.read, c.by = true, by
		}
	}
}

// remove is the removal of a conversation with a person.
func (l *ledger) remove(p, other int) {
	for _, m := range l.messages {
		if m.with(p, other, nil) {
			m.hidden[p] = true
		}
	}
}

// join has somebody enter a group, which gives it the history that it never had.
func (l *ledger) join(p int, g *gathering, now time.Time) {
	if slices.Contains(g.members, p) {
		return
	}
	g.members = append(g.members, p)
	for _, m := range l.messages {
		if gone, _ := m.ended(p, now); g.replay && m.in == g && !m.recalled && !gone && m.from != p && m.copies[p] == nil {
			m.copies[p] = &copyOf{history: true, counts: true}
		}
	}
}

// leave ends a membership. What came with it stays, and counts no more.
func (l *ledger) leave(p int, g *gathering) {
	g.members = slices.DeleteFunc(g.members, func(q int) bool { return q == p })
	for _, m := range l.messages {
		if c := m.copies[p]; c != nil && m.in == g {
			c.counts = false
		}
	}
}

// tell says what is known of the messages of which two differ.
func (l *ledger) tell(p int, got, want []lineShown) (out string) {
	for _, m := range l.messages {
		same := func(s lineShown) bool { return s.id == m.id }
		i, j := slices.IndexFunc(got, same), slices.IndexFunc(want, same)
		if i < 0 && j < 0 || i >= 0 && j >= 0 && got[i] == want[j] {
			continue
		}
		out += fmt.Sprintf("message %s of user%d, which ends %v, deleted on reading: %v, recalled: %v, hidden: %v", m.body,
			m.from, m.expires, m.dor, m.recalled, m.hidden)
		for q, c := range m.copies {
			out += fmt.Sprintf(", user%d's %+v", q, *c)
		}
		out += "\n"
	}
	return out
}
