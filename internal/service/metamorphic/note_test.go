package metamorphic

import (
	"cmp"
	"slices"

	"pgregory.net/rapid"

	"signet/internal/model"
	"signet/internal/service"
)

// note is what was written down of a change of a group. Who sees it is as with a message that was
// sent to the group then.
type note struct {
	group    *group
	event    model.NoteEvent
	caller   *account
	subjects []*account
	replay   bool
	made     tick
	got      map[*account]tick
}

// note writes down what somebody did to a group, which is as it is since.
func (w *world) note(g *group, event model.NoteEvent, caller *account, subjects []*account, members []*account) {
	n := &note{group: g, event: event, caller: caller, subjects: slices.Clone(subjects), replay: g.replay, made: w.next(),
		got: map[*account]tick{}}
	for _, a := range members {
		n.got[a] = n.made
	}
	w.notes = append(w.notes, n)
}

// noteMoves writes down who left a group and who entered it.
func (w *world) noteMoves(caller *account, g *group, leaving, entering []*account) {
	own := slices.Contains(leaving, caller)
	others := slices.DeleteFunc(slices.Clone(leaving), func(a *account) bool { return a == caller })
	staying := slices.DeleteFunc(slices.Clone(g.members), func(a *account) bool { return slices.Contains(leaving, a) })
	if len(others) > 0 {
		w.note(g, model.NoteRemoved, caller, others, staying)
	}
	if own {
		w.note(g, model.NoteLeft, caller, []*account{caller}, staying)
	}
	if len(entering) > 0 {
		w.note(g, model.NoteAdded, caller, entering, append(staying, entering...))
	}
}

// noteFlags writes down what changed of a group's flags.
func (w *world) noteFlags(caller *account, g *group, replay, public bool) {
	for _, flag := range []struct {
		was, is bool
		on, off model.NoteEvent
	}{{replay, g.replay, model.NoteHistoryOn, model.NoteHistoryOff},
		{public, g.public, model.NotePublic, model.NotePrivate}} {
		if flag.was == flag.is {
			continue
		}
		event := flag.off
		if flag.is {
			event = flag.on
		}
		w.note(g, event, caller, nil, g.members)
	}
}

// replayNotes gives a group's earlier notes to those who entered it with its history.
func (w *world) replayNotes(g *group, entering []*account) {
	for _, n := range w.notes {
		for _, a := range entering {
			if n.group == g && n.replay && n.got[a] == 0 {
				n.got[a] = w.next()
			}
		}
	}
}

// forgetNotes takes what an account had of an organization's notes from it.
func (w *world) forgetNotes(a *account, o *organization) {
	for _, n := range w.notes {
		if n.group.organization == o {
			delete(n.got, a)
		}
	}
}

func (w *world) seesNote(a *account, n *note) bool {
	got := n.got[a]
	c := a.roster[n.group.subject()]
	return got != 0 && !n.group.deleted && a.memberOf(n.group.organization) && (c == nil || got > c.removed)
}

// entry is a message or a note of a conversation.
type entry struct {
	at      tick
	message *message
	note    *note
}

// historyWithNotes is what an account sees of a group, the newest first.
func (w *world) historyWithNotes(a *account, p subject) (out []entry) {
	for _, m := range w.history(a, p) {
		out = append(out, entry{at: m.sent, message: m})
	}
	for _, n := range w.notes {
		if n.group.subject() == p && w.seesNote(a, n) {
			out = append(out, entry{at: n.made, note: n})
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(b.at, a.at) })
	return out
}

// seenNote is what is compared of a note.
type seenNote struct {
	event    model.NoteEvent
	caller   model.AccountID
	subjects [persons + 1]model.AccountID
	count    int
}

func (n *note) seen() (out seenNote) {
	out = seenNote{event: n.event, count: len(n.subjects)}
	if n.caller != nil {
		out.caller = n.caller.id
	}
	for i, a := range n.subjects {
		out.subjects[i] = a.id
	}
	return out
}

func asSeenNote(n *model.Note) (out seenNote) {
	out = seenNote{event: n.Event, caller: n.Caller.Account, count: n.Count}
	for i, s := range n.Subjects {
		out.subjects[i] = s.Account
	}
	return out
}

// compareNotes pages through messages and notes together, in both directions.
func (p *play) compareNotes(t *rapid.T, what string, a *account, actor *model.Actor, ask service.HistoryCommand,
	of subject) {
	t.Helper()
	ask.Notes = true
	want := p.world.historyWithNotes(a, of)
	if ask.After != nil {
		slices.Reverse(want)
	}
	last := int64(0)
	for {
		got, err := p.service.History(t.Context(), actor, ask)
		agree(t, what, err, fine)
		part := want[:min(len(want), ask.Limit)]
		want = want[len(part):]
		wantSame(t, what+" has more", got.More, len(want) > 0)
		wantSame(t, what+": messages and notes of a page", len(got.Messages)+len(got.Notes), len(part))
		messages, notes := got.Messages, got.Notes
		for _, e := range part {
			var sort int64
			if e.message != nil && len(messages) > 0 {
				wantSame(t, what, asSeen(&messages[0]), p.world.shown(a, e.message))
				sort, messages = messages[0].Sort, messages[1:]
			} else if e.note != nil && len(notes) > 0 {
				wantSame(t, what, asSeenNote(&notes[0]), e.note.seen())
				sort, notes = notes[0].Sort, notes[1:]
			} else {
				t.Fatalf("%s: a page has %d messages and %d notes, and not %+v", what, len(got.Messages), len(got.Notes), e)
			}
			if last != 0 && (sort > last) != (ask.After != nil) {
				t.Fatalf("%s: %d follows on %d", what, sort, last)
			}
			last = sort
		}
		if len(want) == 0 {
			return
		}
		sort := last
		if ask.After != nil {
			ask.After = &sort
		} else {
			ask.Before = &sort
		}
	}
}
