package app_test

import (
	"fmt"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/webpush/webpushtest"
)

// pushing are settings that let pushes go to a service on this machine.
func pushing(cfg *config.Config) {
	cfg.Egress = config.Egress{Push: []string{"127.0.0.1"}, Networks: []string{"127.0.0.1"}}
}

// mustSubscribe has a new browser of a person's told, at a path of the service.
func mustSubscribe(t testing.TB, p *apptest.Person, service *webpushtest.Service, path string) *webpushtest.Browser {
	t.Helper()
	b := webpushtest.NewBrowser(t)
	p256dh, auth := b.Keys()
	err := p.Client.Subscribe(t.Context(), client.NewSubscription{Endpoint: service.URL + path,
		Keys: client.SubscriptionKeys{P256DH: p256dh, Auth: auth}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mustUrge sends somebody an important message.
func mustUrge(t testing.TB, sender *apptest.Person, recipient string) {
	t.Helper()
	_, err := sender.Client.Send(t.Context(), client.Outgoing{Recipient: recipient, Body: "hello", Priority: 1})
	if err != nil {
		t.Fatal(err)
	}
}

// awaitPushes waits until the service was given so many, and counts what the browser reads.
func awaitPushes(t *testing.T, service *webpushtest.Service, b *webpushtest.Browser, n int) map[string]int {
	t.Helper()
	end := time.After(apptest.Patience)
	counts := map[string]int{}
	for got := 0; got < n; {
		for _, push := range service.Take() {
			text, err := b.Open(push.Body)
			if err != nil {
				t.Fatal(err)
			}
			counts[text]++
			got++
		}
		if got >= n {
			break
		}
		select {
		case <-service.Told():
		case <-end:
			t.Fatalf("%d were pushed, want %d", got, n)
		}
	}
	return counts
}

// A running server pushes by itself, on each engine.
func TestServerPushesByItself(t *testing.T) {
	t.Parallel()
	service := webpushtest.NewService(t)
	cast := apptest.Start(t, pushing).People()
	b := mustSubscribe(t, cast.Bob, service, "/bob")
	for i := range 3 {
		mustUrge(t, cast.Alice, cast.Bob.Token)
		want := fmt.Sprintf(`{"priority":true,"unread_count":%d}`, i+1)
		if got := awaitPushes(t, service, b, 1); got[want] != 1 || len(got) != 1 {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// Of several servers one pushes, whichever the message came through, and wherever the browser subscribed.
func TestSeveralServersPushOnce(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	service := webpushtest.NewService(t)
	first := apptest.Start(t, pushing, func(cfg *config.Config) {
		cfg.Database = postgrestest.URL(t)
		cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	})
	cast := first.People()
	bob := mustSubscribe(t, cast.Bob, service, "/bob")
	nodes := []*apptest.Server{first, first.Another(), first.Another()} // these know of it from the start
	const messages = 60
	for i := range messages {
		mustUrge(t, nodes[i%len(nodes)].As(cast.Alice), cast.Bob.Token)
	}
	counts := awaitPushes(t, service, bob, messages)
	if last := fmt.Sprintf(`{"priority":true,"unread_count":%d}`, messages); counts[last] == 0 {
		t.Errorf("nobody told of the last message: %v", counts)
	}
	carol := mustSubscribe(t, nodes[1].As(cast.Carol), service, "/carol")
	eventually(t, "another server knows of the browser", func() bool {
		mustUrge(t, nodes[2].As(cast.Alice), cast.Carol.Token)
		for _, push := range service.Take() {
			if push.Path == "/bob" {
				t.Error("somebody is told twice")
			} else if _, err := carol.Open(push.Body); err != nil {
				t.Error(err)
			} else {
				return true
			}
		}
		return false
	})
}
