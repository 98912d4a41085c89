package api

import (
	"context"
	"net/http"

	"signet/internal/access"
	"signet/internal/api/output"
)

// list begins a long answer, which goes on while its caller may still ask for it.
func (a *API) list(ctx context.Context, c *call, begin string) *output.List {
	return output.NewList(&c.writer, begin, func() error {
		actor, err := a.authenticator.Current(ctx, c.actor)
		if err == nil {
			err = access.WantSecondFactor(actor)
		}
		return err
	})
}

// endList ends a long answer, with what comes after the last entry.
func (a *API) endList(c *call, l *output.List, end string, err error) (answer, error) {
	short, bytes, err := l.End(end, err)
	switch {
	case err != nil:
		return answer{}, err
	case short != nil:
		return answer{status: http.StatusOK, encoded: short}, nil
	}
	a.charge(c, costOfAnswer(bytes))
	return written(), nil
}

// replyEach answers with entries, each as show shows it: with a list that has no continuation, and may be longer than
// an answer that is made whole.
func replyEach[E any](ctx context.Context, a *API, c *call, begin, end string, entries []E,
	show func(E) any) (answer, error) {
	l := a.list(ctx, c, begin)
	var err error
	for i := 0; i < len(entries) && err == nil; i++ {
		err = l.Add(show(entries[i]))
	}
	return a.endList(c, l, end, err)
}
