package app_test

import (
	"slices"
	"testing"
	"time"

	"signet/internal/app/apptest"
	"signet/internal/config"
	"signet/internal/webpush/webpushtest"
)

// BenchmarkPush is how soon a push service on this machine has a push of an important message: from the
// beginning of the call that sends it, so with its commit. SIGNET_TEST_ENGINE says on which engine.
func BenchmarkPush(b *testing.B) {
	service := webpushtest.NewService(b)
	cast := apptest.Start(b, pushing, func(cfg *config.Config) {
		cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	}).People()
	mustSubscribe(b, cast.Bob, service, "/bob")
	mustUrge(b, cast.Alice, cast.Bob.Token)
	<-service.Told()
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		begun := time.Now()
		mustUrge(b, cast.Alice, cast.Bob.Token)
		<-service.Told()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
