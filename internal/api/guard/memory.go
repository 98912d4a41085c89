package guard

import (
	"sync"
	"time"

	"signet/internal/model"
)

// Memory bounds what the bodies of all calls, or of all answers, take of the server's memory
// together. A client that sends or reads slowly keeps it there for minutes, and one of HTTP/2
// may send thousands of bodies at a time. It is safe for concurrent use.
type Memory struct {
	most  int64 // bytes; 0: no limit
	share int64 // the part of it that the keys of one counter may hold

	mu   sync.Mutex // guards what follows
	used int64
	by   map[string]int64 // the part of each counter of keys
}

const (
	// freeBytes is how much of each body is not counted, so that what most calls send
	// is taken even where others have filled the memory.
	freeBytes = 8 << 10
)

// NewMemory returns a memory of so many bytes, of which the keys of one counter may hold one of
// so many parts: few keys do not keep the large bodies of all others out. 0 bytes are no limit.
func NewMemory(most, parts int64) *Memory {
	return &Memory{most: most, share: max(most/parts, 1), by: map[string]int64{}}
}

// Used returns how many bytes are counted at the moment.
func (m *Memory) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// Crowded reports whether more than half of it is taken.
func (m *Memory) Crowded() bool { return m.most > 0 && m.Used() > m.most/2 }

// Held is what the body of one call has taken. Its zero value has taken nothing. It is
// not safe for concurrent use.
type Held struct {
	memory *Memory
	by     string
	taken  int64 // bytes, those that are not counted included
}

// Hold returns the part of a call whose key counts by this.
func (m *Memory) Hold(counter string) Held { return Held{memory: m, by: counter} }

// Take takes so many bytes more, or refuses.
func (h *Held) Take(bytes int) error {
	before := h.counted()
	h.taken += int64(bytes)
	more := h.counted() - before
	m := h.memory
	if more == 0 || m.most == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used+more > m.most || m.by[h.by]+more > m.share {
		h.taken -= int64(bytes)
		return Busy()
	}
	m.used += more
	m.by[h.by] += more
	return nil
}

// Busy is the answer where other large requests, or answers, have the memory.
func Busy() *model.Error {
	return &model.Error{Kind: model.Unavailable, Code: CodeTooManyBodies, RetryAfter: time.Second,
		Message: "The server is busy with other large requests, please try again later."}
}

func (h *Held) counted() int64 { return max(h.taken-freeBytes, 0) }

// Release gives all of it back.
func (h *Held) Release() {
	counted := h.counted()
	h.taken = 0
	m := h.memory
	if counted == 0 || m.most == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= counted
	if m.by[h.by] -= counted; m.by[h.by] == 0 {
		delete(m.by, h.by)
	}
}
