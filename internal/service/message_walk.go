package service

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/threads"
)

// messageWalk goes through the messages of an account's conversations, the newest first, whatever
// conversation they are of. It looks into a conversation once it has come to the time of its last
// message, and keeps the places of a few messages of each.
type messageWalk struct {
	reader        *historyReader
	organizations []model.OrganizationID
	from          *threads.Place // behind which it begins; nil: with the newest
	since         int64          // it ends before what has a sort up to this one

	open    openThreads
	waiting []store.Conversation // which were last written in before the places of those that are open
	cleared map[placed]int64     // of the groups among them
	after   store.ConversationCursor
	asked   int
	ended   bool // nothing comes after those that wait
}

// The fewest and the most conversations, and places of a conversation, that are read together.
const (
	fewConversations, manyConversations = 64, 1024
	fewPlaces, manyPlaces               = 4, 512
)

// step is a message on the way.
type step struct {
	threads.Place
	thread *threads.Thread
}

// openThread is a conversation that the walk looks into.
type openThread struct {
	threads.Thread
	places []threads.Place
	asked  int
	ended  bool // nothing comes after the places
}

// openThreads are a heap, the one with the newest message on top.
type openThreads []*openThread

func (o openThreads) Len() int           { return len(o) }
func (o openThreads) Less(i, j int) bool { return before(o[i].places[0], o[j].places[0]) }
func (o openThreads) Swap(i, j int)      { o[i], o[j] = o[j], o[i] }
func (o *openThreads) Push(x any)        { *o = append(*o, x.(*openThread)) }

func (o *openThreads) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// before reports whether a place is newer than another one. Few messages have the same sort: it is
// one of other accounts where a message came with a group's history.
func before(a, b threads.Place) bool {
	return cmp.Or(cmp.Compare(b.Sort, a.Sort), slices.Compare(b.Message[:], a.Message[:])) < 0
}

// only has the walk go through one conversation.
func (w *messageWalk) only(t *threads.Thread) error {
	w.ended = true
	return w.enter(*t)
}

// next goes on by up to n messages. There are fewer only at the end.
func (w *messageWalk) next(n int) ([]step, error) {
	steps := make([]step, 0, n)
	for len(steps) < n {
		if err := w.admit(); err != nil {
			return nil, err
		}
		if len(w.open) == 0 {
			break
		}
		top := w.open[0]
		steps = append(steps, step{top.places[0], &top.Thread})
		top.places = top.places[1:]
		if err := w.refill(top); err != nil {
			return nil, err
		}
		if len(top.places) > 0 {
			heap.Fix(&w.open, 0)
		} else {
			heap.Pop(&w.open)
		}
	}
	return steps, nil
}

// more reports whether there is anything behind where the walk has come.
func (w *messageWalk) more() (bool, error) {
	err := w.admit()
	return len(w.open) > 0, err
}

// admit looks into all conversations that may have a newer message than those that are open.
func (w *messageWalk) admit() error {
	for {
		if len(w.waiting) == 0 && !w.ended {
			if err := w.list(); err != nil {
				return err
			}
		}
		if len(w.waiting) == 0 || len(w.open) > 0 && w.waiting[0].LastSort < w.open[0].places[0].Sort {
			return nil
		}
		c := &w.waiting[0]
		w.waiting = w.waiting[1:]
		if err := w.enter(w.reader.threadOf(c, w.cleared[placed{c.Organization, c.Entity}])); err != nil {
			return err
		}
	}
}

// list reads the next conversations. Those in which nothing was sent come last, and end it.
func (w *messageWalk) list() (err error) {
	if w.asked == 0 {
		w.asked, w.after = fewConversations, store.ConversationCursor{LastSort: math.MaxInt64}
	} else {
		w.asked = min(2*w.asked, manyConversations)
	}
	tx, account := w.reader.tx, w.reader.actor.Account
	if w.waiting, err = tx.Conversations(account, w.organizations, w.after, w.asked); err != nil {
		return err
	}
	if n := len(w.waiting); n < w.asked {
		w.ended = true
	} else {
		c := &w.waiting[n-1]
		w.after = store.ConversationCursor{LastSort: c.LastSort, Organization: c.Organization, Entity: c.Entity}
	}
	if old := slices.IndexFunc(w.waiting, func(c store.Conversation) bool { return c.LastSort <= w.since }); old >= 0 {
		w.waiting, w.ended = w.waiting[:old], true
	}
	w.cleared, err = w.reader.clearedGroups(w.organizations, w.waiting)
	return err
}

// enter looks into a conversation, from where the walk begins.
func (w *messageWalk) enter(t threads.Thread) error {
	t.After = max(t.After, w.since)
	if w.from != nil && w.from.Sort < t.Before {
		t.Before = w.from.Sort + 1
	}
	o := &openThread{Thread: t, ended: t.After >= t.Before}
	err := w.refill(o)
	if err == nil && len(o.places) > 0 {
		heap.Push(&w.open, o)
	}
	return err
}

// refill reads the next places of a conversation, if it has none left.
func (w *messageWalk) refill(o *openThread) (err error) {
	for len(o.places) == 0 && !o.ended {
		o.asked = min(max(2*o.asked, fewPlaces), manyPlaces)
		if o.places, err = threads.Places(w.reader.tx, &o.Thread, o.asked); err != nil {
			return err
		}
		if o.ended = len(o.places) < o.asked; !o.ended {
			o.Before = o.places[len(o.places)-1].Sort
		}
		o.places = slices.DeleteFunc(o.places, func(p threads.Place) bool { return w.from != nil && !before(*w.from, p) })
	}
	return nil
}
