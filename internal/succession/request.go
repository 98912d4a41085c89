package succession

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"signet/internal/home"
	"signet/internal/model"
)

const (
	// requestLook is how often a standby looks for a request, and a command for its answer.
	requestLook = 100 * time.Millisecond

	// answerTime is how long a command waits for the answer.
	answerTime = time.Minute
)

// request is what promote.json says.
type request struct {
	ID        string     `json:"id"`
	Answered  bool       `json:"answered"`
	Problem   string     `json:"problem,omitempty"` // why the standby was not promoted
	Promotion *Promotion `json:"promotion,omitempty"`
}

// Ask has the standby that runs on a data directory become the server, and returns what became of it. It
// is for a command on the same machine, which may write to the directory.
func Ask(ctx context.Context, dir string) (p Promotion, err error) {
	note, err := readNote(dir)
	if err == nil && (note == nil || note.Stage != following) {
		err = fmt.Errorf("the server that runs on %s is no standby", dir)
	}
	if err != nil {
		return p, err
	}
	path := filepath.Join(home.Absolute(dir), requestFile)
	asked := request{ID: model.RandomText(12)}
	if err := writeJSON(path, asked); err != nil {
		return p, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	defer func() { err = errors.Join(err, removeFile(path)) }()
	tick := time.NewTicker(requestLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return p, fmt.Errorf("the standby on %s does not answer; its log may say why: %w", dir, ctx.Err())
		}
		var said request
		found, err := readJSON(path, &said)
		switch {
		case err != nil:
			return p, err
		case !found || said.ID != asked.ID:
			return p, errors.New("another command asks the same: wait for it")
		case !said.Answered:
		case said.Problem != "":
			return p, errors.New(said.Problem)
		case said.Promotion != nil:
			return *said.Promotion, nil
		}
	}
}

// Requests calls promote for each request, until ctx ends or one succeeded: then it returns true.
func Requests(ctx context.Context, dir string, promote func() (Promotion, error)) bool {
	path := filepath.Join(dir, requestFile)
	tick := time.NewTicker(requestLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		if ctx.Err() != nil { // both at a time
			return false
		}
		var asked request
		if found, err := readJSON(path, &asked); err != nil || !found || asked.Answered {
			continue // half of a file is none: it is written in one step
		}
		p, err := promote()
		asked.Answered = true
		if err != nil {
			asked.Problem = err.Error()
		} else {
			asked.Promotion = &p
		}
		_ = writeJSON(path, asked) // the command may be gone, and the outcome stays what it is
		if err == nil {
			return true
		}
	}
}

// ClearRequest removes a request that nobody has answered: that of a command which ended with the standby.
func ClearRequest(dir string) error { return removeFile(filepath.Join(dir, requestFile)) }
