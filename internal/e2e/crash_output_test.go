package e2e

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/client"
)

// TestCrashOutputTellsNothingThatPeopleWrote ends a server by the signal at which a
// program says where each of its goroutines is, as it does when it crashes, while it
// reads and writes what people say.
func TestCrashOutputTellsNothingThatPeopleWrote(t *testing.T) {
	t.Parallel()
	const canary = "Canary-0d1a"
	s := mustServe(t, freshDirectory(t))
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]
	events := mustFollow(t, s, bob)
	file := bytes.Repeat([]byte(canary), 2<<20)
	if _, err := alice.Send(t.Context(), client.Outgoing{Recipient: "bob", Body: canary,
		Data:       []client.DataItem{{MimeType: "text/plain", Namespace: canary, Payload: canary}},
		Attachment: &client.Upload{Name: canary, Content: strings.NewReader(canary)}}); err != nil {
		t.Fatal(err)
	}
	for line := ""; !strings.Contains(line, canary); line = events.Text() {
		if !events.Scan() {
			t.Fatalf("the stream ends: %v", events.Err())
		}
	}
	mustBeginUpload(t, alice, "bob", file)
	eventually(t, "the upload is under way", func() bool { return s.inFlight(t) == 2 })

	p := s.signal(syscall.SIGQUIT)
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
	said := s.log.String()
	for _, want := range []string{"SIGQUIT", "goroutine ", "stream.(*Stream)"} {
		if !strings.Contains(said, want) {
			t.Errorf("the output does not say %q: this test looks at the wrong place", want)
		}
	}
	if strings.Contains(said, canary) {
		t.Error("the output holds what people wrote")
	}
	for _, secret := range []string{alice.secret, bob.secret} {
		if strings.Contains(said, secret) {
			t.Error("the output holds a secret")
		}
	}
}
