package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"signet/client"
	"signet/internal/config"
	"signet/internal/model"
)

// drain is the receiver of a webhook that counts what comes, and sees that it comes in the order of the queue.
type drain struct {
	b    *testing.B
	want int           // events
	last int64         // the position of the last one; events come one after the other
	done chan struct{} // closed when all have come
}

func (d *drain) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var got struct {
		Data struct {
			EventID string `json:"event_id"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		d.b.Error(err)
	}
	cursor, ok := model.ParseCursor(got.Data.EventID)
	if !ok || cursor.Position <= d.last {
		d.b.Errorf("event %q came after %d", got.Data.EventID, d.last)
	}
	if d.last, d.want = cursor.Position, d.want-1; d.want == 0 {
		close(d.done)
	}
}

// BenchmarkDrainOfAWebhook delivers what was queued while a webhook was disabled, whose receiver answers at once:
// -benchtime 1000000x is a million events. events/s is how many were delivered in a second.
func BenchmarkDrainOfAWebhook(b *testing.B) {
	s := newSendBench(b, false, func(cfg *config.Config) {
		cfg.Egress.Webhooks, cfg.Egress.Networks = []string{"127.0.0.1"}, []string{"127.0.0.1"}
	})
	d := &drain{b: b, done: make(chan struct{})}
	receiver := httptest.NewServer(d)
	b.Cleanup(receiver.Close)
	made, err := s.reader.CreateWebhook(b.Context(), "me", client.NewWebhook{URL: receiver.URL, Content: "full",
		Events: []string{"message"}})
	if err != nil {
		b.Fatal(err)
	}
	enable := func(enabled bool) {
		b.Helper()
		change := client.WebhookChange{Enabled: &enabled}
		if err := s.reader.ChangeWebhook(b.Context(), "me", made.Webhook, change); err != nil {
			b.Fatal(err)
		}
	}
	enable(false)
	for d.want < b.N {
		s.round()
		d.want += benchRound
	}
	queued := d.want
	b.ResetTimer()
	enable(true)
	<-d.done
	b.StopTimer()
	b.ReportMetric(float64(queued)/b.Elapsed().Seconds(), "events/s")
}
