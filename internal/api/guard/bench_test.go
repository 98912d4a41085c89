package guard

import (
	"testing"

	"signet/internal/model"
	"signet/internal/testclock"
)

func BenchmarkPassword(b *testing.B) {
	t := NewAttempts(testclock.New().Now, 10, 100, 100)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := t.Password(here, "alice", "secret", func() error { return nil }); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkRate(b *testing.B) {
	t := NewRates(testclock.New().Now, 1e6, 1e6)
	key := &model.Key{Counter: "alice"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Take(key); err != nil {
			b.Fatal(err)
		}
	}
}
