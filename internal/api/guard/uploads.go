package guard

import (
	"sync"
	"time"

	"signet/internal/model"
)

// Uploads bounds how many uploads the keys of one counter have under way (contract, section
// 1): each lies on the disk before anybody knows what becomes of it. It is safe for
// concurrent use; its zero value is ready.
type Uploads struct {
	mu sync.Mutex // guards by
	by map[string]int
}

// MostUploads is how many that are.
const MostUploads = 8

// UnderWay returns how many uploads all keys have under way.
func (u *Uploads) UnderWay() (all int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, some := range u.by {
		all += some
	}
	return all
}

// Enter begins an upload, which ends when leave is called, or refuses it.
func (u *Uploads) Enter(counter string) (leave func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by[counter] >= MostUploads {
		return nil, &model.Error{Kind: model.Unavailable, Code: CodeUploadsBusy, RetryAfter: time.Second,
			Message: "The key has as many uploads under way as it may, please wait for one of them."}
	}
	if u.by == nil {
		u.by = map[string]int{}
	}
	u.by[counter]++
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.by[counter]--; u.by[counter] == 0 {
			delete(u.by, counter)
		}
	}, nil
}
