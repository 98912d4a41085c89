package e2e

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"signet/client"
	"signet/internal/blob/s3test"
	"signet/internal/testenv"
)

// impatient is a person who asks once.
func (s *server) impatient(p person) person {
	p.Client = s.client(p.key, p.secret, client.WithRetry(client.NoRetry()))
	return p
}

// wantFilesAway reports an answer that is not the one to give while files can
// neither be kept nor read.
func wantFilesAway(t *testing.T, what string, err error) {
	t.Helper()
	refusal, ok := errors.AsType[*client.Error](err)
	if !ok || refusal.Status != http.StatusServiceUnavailable || refusal.Code != "attachments_unavailable" ||
		refusal.RetryAfter == 0 {
		t.Errorf("%s: %v, want 503 attachments_unavailable with Retry-After", what, err)
	}
}

func fileTo(recipient string, content []byte) client.Outgoing {
	return client.Outgoing{Recipient: recipient, Body: "with a file", TTL: -1,
		Attachment: &client.Upload{Name: "scan.bin", ContentType: "application/x-scan", Content: bytes.NewReader(content)}}
}

func mustSend(t *testing.T, p person, out client.Outgoing) string {
	t.Helper()
	sent, err := p.Send(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	return sent.MessageID
}

func mustMessage(t *testing.T, p person, id string) *client.Message {
	t.Helper()
	m, err := p.Message(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFilesInABucket(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	s := mustServe(t, freshDirectory(t), "--blobs", bucket.Location("prefix=signet"), "--expiry.sweep", "200ms")
	people := s.mustPeople("alice", "bob", "carol")
	alice, bob, carol := people[0], people[1], people[2]
	file := make([]byte, 12<<20)
	rand.Read(file)

	id := mustSend(t, alice, fileTo("bob", file))
	small := mustSend(t, alice, fileTo("bob", file[:1000]))
	wantAttachment(t, bob, mustMessage(t, bob, id), file)
	wantAttachment(t, bob, mustMessage(t, bob, small), file[:1000])
	for header, want := range map[string]struct {
		status   int
		from, to int
	}{
		"bytes=0-9":          {http.StatusPartialContent, 0, 10},
		"bytes=8000000-":     {http.StatusPartialContent, 8_000_000, len(file)},
		"bytes=-5":           {http.StatusPartialContent, len(file) - 5, len(file)},
		"bytes=1000-6000000": {http.StatusPartialContent, 1000, 6_000_001},
		"bytes=90000000-":    {http.StatusRequestedRangeNotSatisfiable, 0, 0},
	} {
		r := bob.request(t, "GET", "/v2/message/"+id+"/attachment/1", "", "")
		r.Header.Set("Range", header)
		answer, err := s.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != want.status || want.to > 0 && !bytes.Equal(got, file[want.from:want.to]) {
			t.Errorf("%s: %d with %d bytes, error %v, want %d with %d", header, answer.StatusCode, len(got), err, want.status,
				want.to-want.from)
		}
	}

	forwarded, err := bob.Forward(t.Context(), id, client.Forwarding{Recipient: "carol"})
	if err != nil {
		t.Fatal(err)
	}
	if names := bucket.Contents(t); len(names) != 2 ||
		slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, "signet/") }) {
		t.Errorf("the bucket holds %q, want the two files", names)
	}
	// The bytes go with the last message that refers to them.
	for _, recall := range []struct {
		by   person
		id   string
		left int
	}{{alice, small, 1}, {alice, id, 1}, {bob, forwarded.MessageID, 0}} {
		if recall.left == 1 && recall.id == id {
			wantAttachment(t, carol, mustMessage(t, carol, forwarded.MessageID), file)
		}
		if err := recall.by.Recall(t.Context(), recall.id); err != nil {
			t.Fatal(err)
		}
		bucket.WaitUntil(t, "a recalled file is erased", func(names []string) bool { return len(names) == recall.left })
	}
	if up := s.mustReadMetrics()["signet_blobs_up"]; up != 1 {
		t.Errorf("signet_blobs_up is %d, want 1", up)
	}
	s.stop()
	s.wantQuietLog()
	if strings.Contains(s.log.String(), s3test.SecretKey) {
		t.Error("the log holds the bucket's secret")
	}
}

func TestBucketThatIsAway(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	files := s3test.Start(t)
	bucket := files.Bucket(t)
	proxy := s3test.NewProxy(t, files.Addr())
	s := mustServe(t, freshDirectory(t), "--blobs", bucket.Through(proxy.Addr()), "--expiry.sweep", "200ms")
	people := s.mustPeople("alice", "bob")
	alice, bob := s.impatient(people[0]), s.impatient(people[1])
	content := make([]byte, 20<<20)
	rand.Read(content)
	id := mustSend(t, alice, fileTo("bob", content))
	recalled := mustSend(t, alice, fileTo("bob", content[:1000]))

	// A download and an upload are half-way when it goes away. What the machine holds of a
	// connection may be all of a file: no more than half of it leaves the bucket.
	upload := mustBeginUpload(t, alice, "bob", content)
	proxy.StallAfter(int64(len(content) / 2))
	download, err := s.http.Do(bob.request(t, "GET", "/v2/message/"+id+"/attachment/1", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer download.Body.Close()
	head := make([]byte, 100)
	if _, err := io.ReadFull(download.Body, head); err != nil {
		t.Fatal(err)
	}
	files.Stop(t)
	proxy.Open()
	rest, err := io.ReadAll(download.Body)
	if got := append(head, rest...); err == nil || !bytes.HasPrefix(content, got) {
		t.Errorf("the download ended after %d bytes with error %v, want to be broken off", len(got), err)
	}
	_ = upload.rest() // the server may have answered by now
	wantFilesAway(t, "the upload that was under way", <-upload.done)

	_, err = alice.Send(t.Context(), fileTo("bob", content[:1000]))
	wantFilesAway(t, "sending a file", err)
	_, err = bob.OpenAttachment(t.Context(), id)
	wantFilesAway(t, "fetching a file", err)
	_, err = alice.CreateGroup(t.Context(),
		client.NewGroup{Name: "with a picture",
			Avatar: &client.Upload{Name: "a.png", Content: strings.NewReader("\x89PNG\r\n\x1a\nxxxxxxxx")}})
	wantFilesAway(t, "a picture", err)
	// Everything else goes on, a recall among it.
	text := mustSend(t, alice, client.Outgoing{Recipient: "bob", Body: "text"})
	if err := alice.Recall(t.Context(), recalled); err != nil {
		t.Errorf("recalling a message with a file: %v", err)
	}
	if queued := kinds(mustPoll(t, bob), client.EventMessage); len(queued) != 2 {
		t.Errorf("the queue has %d messages, want the file's and the text's", len(queued))
	}
	mustMessage(t, bob, text)
	wantProbe(t, s, "/readyz", http.StatusOK)

	// It is away when the server starts.
	s.stop()
	s.mustStart()
	wantProbe(t, s, "/readyz", http.StatusOK)
	eventually(t, "the metrics tell that the files are away",
		func() bool { return strings.Contains(s.log.String(), "does not answer") })
	if up := s.mustReadMetrics()["signet_blobs_up"]; up != 0 {
		t.Errorf("signet_blobs_up is %d, want 0", up)
	}
	mustSend(t, alice, client.Outgoing{Recipient: "bob", Body: "text"})

	files.Restart(t)
	wantAttachment(t, bob, mustMessage(t, bob, id), content)
	bucket.WaitUntil(t, "what was recalled is erased", func(names []string) bool {
		objects := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, "unfinished ") })
		return len(objects) == 1
	})
	again := mustSend(t, alice, fileTo("bob", content[:1000]))
	wantAttachment(t, bob, mustMessage(t, bob, again), content[:1000])
	s.stop()
	s.wantQuietLogBut("the store of attachments does not answer")
}

func wantProbe(t *testing.T, s *server, path string, want int) {
	t.Helper()
	answer, err := s.http.Get(anyServer + path)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != want {
		t.Errorf("%s answers %d, want %d", path, answer.StatusCode, want)
	}
}
