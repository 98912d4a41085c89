package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"signet/client"
	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/webpush/webpushtest"
)

// BenchmarkPush is how soon a push service on this machine has a push: from the beginning of the call that sends
// the message, so with its commit. SIGNET_TEST_ENGINE says on which engine. Each usual message is to a subscription
// that was not told a moment ago, since it would rest.
func BenchmarkPush(b *testing.B) {
	for name, priority := range map[string]int{"usual": 0, "important": 1} {
		b.Run(name, func(b *testing.B) {
			service := webpushtest.NewService(b)
			cast := apptest.Start(b, pushing, func(cfg *config.Config) {
				cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
			}).People()
			took := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				mustUnsubscribe(b, cast.Bob)
				mustSubscribe(b, cast.Bob, service, fmt.Sprintf("/bob/%d", i))
				begun := time.Now()
				m := client.Outgoing{Recipient: cast.Bob.Token, Body: "hello", Priority: priority}
				if _, err := cast.Alice.Client.Send(b.Context(), m); err != nil {
					b.Fatal(err)
				}
				<-service.Told()
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

func mustUnsubscribe(b *testing.B, p *apptest.Person) {
	b.Helper()
	all, err := p.Client.Subscriptions(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for i := range all {
		if err := p.Client.Unsubscribe(b.Context(), all[i].ID); err != nil {
			b.Fatal(err)
		}
	}
}
