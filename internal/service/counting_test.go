package service

import (
	"context"
	"errors"
	"testing"
)

// While the sweep is behind, one at a time counts what is unread; else nobody waits for another.
func TestCountsTakeTurnsWhileTheSweepIsBehind(t *testing.T) {
	f := newFixture(t)
	o := f.organization()
	person := f.actor(f.named("ada", o))
	for name, count := range map[string]func(context.Context) error{
		"unread count": func(ctx context.Context) error {
			_, err := f.service.Unread(ctx, person, "me")
			return err
		},
		"unread count in an organization": func(ctx context.Context) error {
			_, err := f.service.UnreadIn(ctx, person, "me", o)
			return err
		},
		"roster": func(ctx context.Context) error {
			_, err := f.service.Roster(ctx, person)
			return err
		},
		"conversations": func(ctx context.Context) error {
			_, _, err := f.service.Conversations(ctx, person, ConversationsCommand{PageSize: 10})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			const untilOver = 2 // that one after the other count
			f.service.SweepBehind(true)
			for range untilOver {
				if err := count(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			<-f.service.counting.turn // another one counts
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- count(ctx) }()
			leave()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("a count beside another one ended with %v", err)
			}
			f.service.SweepBehind(false)
			if err := count(t.Context()); err != nil {
				t.Error(err)
			}
			f.service.counting.turn <- struct{}{}
		})
	}
}
