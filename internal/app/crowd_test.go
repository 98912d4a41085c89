package app_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
)

// TestReadersPastTheLimitHearOfEverything: of six readers of an account that may have two
// streams, four are closed, once each, and poll. None closes another's again.
func TestReadersPastTheLimitHearOfEverything(t *testing.T) {
	t.Parallel()
	const limit, readers = 2, 6
	s := apptest.Start(t, func(cfg *config.Config) { cfg.Limits.StreamsPerAccount = limit })
	cast := s.People()
	type loss struct {
		err   error
		until time.Time // when the reader comes back
	}
	told := make(chan loss, 1000)
	heard := make(chan string, 1000)
	ctx := t.Context()
	var following sync.WaitGroup
	t.Cleanup(following.Wait)
	for i := range readers {
		options := client.StreamOptions{
			Transport:    []client.Transport{client.ServerSentEvents, client.WebSocket}[i%2],
			OnDisconnect: func(err error, wait time.Duration) { told <- loss{err, time.Now().Add(wait)} },
		}
		following.Go(func() {
			for event, err := range cast.Bob.Client.Events(ctx, options) {
				if err != nil {
					return
				}
				if m, err := event.Message(); err == nil {
					heard <- m.Body
				}
			}
		})
	}
	var back time.Time // the first of them
	for range readers - limit {
		lost := <-told
		if !errors.Is(lost.err, client.ErrTooManyStreams) {
			t.Fatalf("a reader was told %v", lost.err)
		}
		if back.IsZero() || lost.until.Before(back) {
			back = lost.until
		}
	}
	for _, body := range []string{"first", "second", "third"} {
		if _, err := cast.Alice.Client.Send(ctx, client.Outgoing{Recipient: cast.Bob.Token, Body: body}); err != nil {
			t.Fatal(err)
		}
		for range readers {
			if got := <-heard; got != body {
				t.Errorf("a reader heard %q, want %q", got, body)
			}
		}
	}
	if n := len(told); n > 0 && time.Now().Before(back) {
		t.Errorf("%d more connections were lost: %v", n, (<-told).err)
	}
}
