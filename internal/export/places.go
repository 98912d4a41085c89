package export

import (
	"sync"
	"time"

	"signet/internal/model"
)

const (
	// mostRunning is how many archives a server makes at a time. Each takes up to half a
	// core: after a page it pauses for as long as the page took.
	mostRunning = 8
	// kept is how many of these places are for administrators: those who have to answer a
	// request for data do not wait for people who take theirs slowly.
	kept = 2
	// restTime is how long an account waits after an archive that it did not take to its end.
	restTime = time.Minute
)

// places are where archives are made. They are safe for concurrent use.
type places struct {
	clock func() time.Time

	mu      sync.Mutex                    // guards all below
	running map[model.AccountID]bool      // whether that is an administrator
	resting map[model.AccountID]time.Time // until when
}

func newPlaces(clock func() time.Time) places {
	return places{clock: clock, running: map[model.AccountID]bool{}, resting: map[model.AccountID]time.Time{}}
}

// taken is how many places are.
func (p *places) taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.running)
}

// enter lets an actor make an archive, one at a time, until leave is called.
func (p *places) enter(actor *model.Actor) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	for account, until := range p.resting {
		if !until.After(now) {
			delete(p.resting, account)
		}
	}
	if until, rests := p.resting[actor.Account]; rests {
		return nil, tooMany("The last archive that was made for this account was not taken to its end: please wait.",
			until.Sub(now))
	}
	administers := actor.AdministersAny()
	others := 0
	for _, administrator := range p.running {
		if !administrator {
			others++
		}
	}
	full := len(p.running) >= mostRunning || !administers && others >= mostRunning-kept
	if _, runs := p.running[actor.Account]; runs || full {
		return nil, tooMany("An archive is being made for this account, or several for others: please try again when "+
			"it is done.", time.Minute)
	}
	p.running[actor.Account] = administers
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.running, actor.Account)
	}, nil
}

// pause has an account wait before it begins another archive.
func (p *places) pause(account model.AccountID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resting[account] = p.clock().Add(restTime)
}

func tooMany(message string, wait time.Duration) *model.Error {
	return &model.Error{Kind: model.TooMany, Code: "too_many_exports", RetryAfter: wait, Message: message}
}
