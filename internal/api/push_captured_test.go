package api_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/webpush/webpushtest"
)

// Whoever reads what push services get learns nothing of a message, of who wrote it or of who is told, in 10,000
// pushes; nor does the browser that opens one.
func TestNothingIsToldInTenThousandPushes(t *testing.T) {
	t.Parallel()
	rounds, told := 200, 50
	if testing.Short() {
		rounds = 4
	}
	c := startClinic(t)
	service := webpushtest.NewService(t)
	names := make([]string, told)
	for i := range names {
		names[i] = fmt.Sprintf("nurse-of-ward-%d", i)
	}
	people := c.mustCreateAll(c.org, names...)
	group := c.alice.mustCreateGroup("Haematology at night", people...)
	c.settle()
	tokens := []string{c.org, group, c.alice.token}
	for _, p := range people {
		tokens = append(tokens, p.token)
	}
	secrets := [][]byte{[]byte("Haematology"), []byte("nurse-of-ward"), []byte("potassium"), []byte("@example.com")}
	for _, token := range tokens {
		secrets = append(secrets, []byte(token))
		if id, err := uuid.Parse(token); err == nil { // as the store has it
			secrets = append(secrets, id[:])
		}
	}
	browsers := map[string]*browser{}
	for i, p := range people {
		b := p.mustSubscribe(service, fmt.Sprintf("/%d", i))
		browsers[b.path] = b
	}
	for round := range rounds {
		c.clock.Advance(time.Minute)
		id := c.alice.mustSend(group, fmt.Sprintf("the potassium of bed %d is high", round), "priority", round%2)
		c.mustPush()
		pushes := service.Take()
		if len(pushes) != told {
			t.Fatalf("message %d: %d were pushed, want %d", round, len(pushes), told)
		}
		for _, push := range pushes {
			opened, err := browsers[push.Path].Open(push.Body)
			if err != nil {
				t.Fatal(err)
			}
			all := fmt.Append(nil, push.Path, push.Header, opened, string(push.Body))
			for _, secret := range append(secrets, []byte(id)) {
				if bytes.Contains(all, secret) {
					t.Errorf("message %d: a push tells %q: %q", round, secret, all)
				}
			}
		}
	}
}
