package sqlite

import "sync"

// changes are the pages that were written since a Feed last took them: a bit for each page of the
// file, however long nobody takes them. The writer notes them after each of its transactions, from
// the numbers in the log's index, so that they are known before the log can start again.
type changes struct {
	on   bool     // somebody wants to know; the writer's own, as is seen
	seen logState // up to where the log's pages are noted

	mu   sync.Mutex // guards all below
	set  pageSet
	lost bool // pages were written that are not known: all are to be taken for written

	wake chan struct{} // receives when there is something new
}

func newChanges() changes { return changes{wake: make(chan struct{}, 1)} }

// note adds the pages that came to the log since the last time. It costs a look into shared memory.
func (w *writer) note() {
	c := &w.changes
	if !c.on {
		return
	}
	state, pages, err := w.written()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.lost = true
		c.seen = logState{}
	} else {
		for _, page := range pages {
			c.set.add(page)
		}
		if c.lost { // it can be known now how many there are
			c.lost = false
			c.set.addAll(state.pages)
		}
		if state.commits == c.seen.commits {
			return
		}
		c.seen = state
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// written returns the pages that came to the log since it was last seen, and the state in which it
// is now. Where another process wrote some at the end of a log that has started again since, it
// returns all pages: nobody knows which they were.
func (w *writer) written() (state logState, pages []uint32, err error) {
	c := &w.changes
	if state, err = w.files.steadyState(); err != nil {
		return state, nil, err
	}
	from := c.seen.frames
	if state.salt != c.seen.salt || state.frames < from {
		from = 0
		here, err := w.files.logCommits(state.frames)
		if err != nil {
			return state, nil, err
		}
		if state.commits-c.seen.commits != here {
			return state, allPages(state.pages), nil
		}
	}
	w.checkpoints.pages, err = w.files.logPages(w.checkpoints.pages[:0], from, state.frames)
	if err != nil {
		return state, nil, err
	}
	now, err := w.files.steadyState()
	if err == nil && now.salt != state.salt { // another process has written over the numbers meanwhile
		return now, allPages(max(state.pages, now.pages)), nil
	}
	return state, w.checkpoints.pages, err
}

func allPages(last uint32) []uint32 {
	pages := make([]uint32, last)
	for i := range pages {
		pages[i] = uint32(i) + 1
	}
	return pages
}

// follow begins to note pages.
func (w *writer) follow() error {
	c := &w.changes
	if c.on {
		return nil
	}
	state, err := w.files.steadyState()
	if err == nil {
		c.on, c.seen = true, state
	}
	return err
}

// add marks pages as written.
func (c *changes) add(pages []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, page := range pages {
		c.set.add(page)
	}
}

// take takes up to n pages, the lowest ones.
func (c *changes) take(n int) []uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set.take(nil, n)
}

// size is how many pages are marked.
func (c *changes) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set.size
}
