package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

// TestHandOverWaitsForRequestsThatTakeLong: while somebody uploads over a slow link the server serves all
// others, and hands over then. A poll that waits is ended, and holds nobody up.
func TestHandOverWaitsForRequestsThatTakeLong(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const waits = "requests take long: the hand-over waits until they are done"
	s := mustServe(t, freshDirectory(t), unlimited...)
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]
	kept := mustIdle(t, s.address())
	kept.call()
	inFlight := func(n int) func() bool {
		return func() bool { return s.mustReadMetrics()["signet_http_requests_in_flight"] == n }
	}

	polled := make(chan error, 1)
	go func() {
		events, err := bob.Poll(t.Context(), client.PollOptions{Wait: time.Minute})
		if err == nil && len(events) > 0 {
			err = fmt.Errorf("it has %d events", len(events))
		}
		polled <- err
	}()
	eventually(t, "the poll waits", inFlight(1))
	s.mustUpgrade()
	if err := <-polled; err != nil {
		t.Errorf("the poll that waited: %v", err)
	}
	if strings.Contains(s.log.String(), waits) {
		t.Error("the hand-over waited for the poll")
	}

	body := fmt.Sprintf(`{"recipient": "bob", "body": %q}`, strings.Repeat("x", 20_000))
	reader, writer := io.Pipe()
	upload := alice.request(t, "POST", "/v2/message", "application/json", "")
	upload.Body, upload.GetBody, upload.ContentLength = reader, nil, int64(len(body))
	sent := make(chan error, 1)
	go func() {
		answer, err := s.http.Do(upload)
		if err == nil {
			err = answer.Body.Close()
			if answer.StatusCode != http.StatusNoContent {
				err = fmt.Errorf("it is answered %s", answer.Status)
			}
		}
		sent <- err
	}()
	half := len(body) / 2
	if _, err := io.WriteString(writer, body[:half]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the upload has begun", inFlight(1))
	upgraded := make(chan error, 1)
	go func() {
		out, err := exec.Command(program, "upgrade", "--data", s.dir).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		upgraded <- err
	}()
	eventually(t, "the hand-over waits", func() bool { return strings.Contains(s.log.String(), waits) })
	kept.call()
	if _, err := bob.Roster(t.Context()); err != nil {
		t.Errorf("a call meanwhile: %v", err)
	}
	select {
	case err := <-upgraded:
		t.Errorf("the hand-over did not wait for the upload: %v", err)
	default:
	}
	if _, err := io.WriteString(writer, body[half:]); err != nil {
		t.Error(err)
	}
	if err := <-sent; err != nil {
		t.Errorf("the upload: %v", err)
	}
	if err := <-upgraded; err != nil {
		t.Errorf("signet upgrade: %v", err)
	}
	kept.call()
	wantPauses(t, s, 2)
	s.endChain()
	s.wantQuietLog()
}
