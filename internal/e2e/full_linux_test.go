package e2e

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"signet/client"
	"signet/internal/testenv"
)

// fault is a disk that takes nothing more until it is mended.
type fault interface {
	strike(t *testing.T, s *server)
	mend(t *testing.T, s *server)
	reserved() bool // the server has a reserve against it
}

// TestFullDiskHarmsNothing fills a file system under a server.
func TestFullDiskHarmsNothing(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	// Without the right to mount, the other test still shows what a failing write does.
	if err := syscall.Mount("signet", disk, "tmpfs", 0, "size=32m,mode=0700"); err != nil {
		t.Logf("no file system of its own (%v): the writes fail by a limit on files instead", err)
		wantFaultHarmless(t, filepath.Join(disk, "data"), fileLimit{})
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	wantFaultHarmless(t, filepath.Join(disk, "data"), ballast(filepath.Join(disk, "ballast")))
}

// TestFailingWritesHarmNothing lets no file of a server grow, which needs no
// rights, and is another error of the system.
func TestFailingWritesHarmNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	wantFaultHarmless(t, freshDirectory(t), fileLimit{})
}

// ballast is a file that takes all the room there is.
type ballast string

func (b ballast) strike(t *testing.T, _ *server) {
	t.Helper()
	f, err := os.OpenFile(string(b), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func (b ballast) mend(t *testing.T, _ *server) {
	t.Helper()
	if err := os.Remove(string(b)); err != nil {
		t.Fatal(err)
	}
}

func (b ballast) reserved() bool { return true }

// fileLimit is a limit on the size of the files that the server writes.
type fileLimit struct{}

func (fileLimit) strike(t *testing.T, s *server) {
	t.Helper()
	mustLimitFiles(t, s.current().command.Process.Pid, 0)
}

func (fileLimit) reserved() bool { return false }

func (fileLimit) mend(t *testing.T, s *server) {
	t.Helper()
	mustLimitFiles(t, s.current().command.Process.Pid, ^uint64(0))
}

// mustLimitFiles sets how large files may become that a running process writes
// (prlimit(2)). The limit can be lifted again.
func mustLimitFiles(t *testing.T, pid int, size uint64) {
	t.Helper()
	limit := syscall.Rlimit{Cur: size, Max: ^uint64(0)}
	_, _, problem := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if problem != 0 {
		t.Fatalf("limit the files of process %d: %v", pid, problem)
	}
}

// TestFullDiskMakesRoomByItself fills a disk, on which new messages are refused while
// the server starts, reads, acknowledges and recalls, until what was recalled has made
// room.
func TestFullDiskMakesRoomByItself(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("signet", disk, "tmpfs", 0, "size=32m,mode=0700"); err != nil {
		t.Logf("no file system of its own (%v): internal/disk and TestFailingWritesHarmNothing show parts of it", err)
		return
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	ctx := t.Context()
	s := mustServe(t, filepath.Join(disk, "data"), append(unlimited, "--expiry.sweep", "200ms")...)
	people := s.mustPeople("alice", "bob")
	alice, bob := s.impatient(people[0]), s.impatient(people[1])
	var texts, files []string
	for n := range 20 {
		texts = append(texts, mustSend(t, alice, client.Outgoing{Recipient: "bob", Body: fmt.Sprintf("text %d", n)}))
	}
	large := make([]byte, 1<<20)
	rand.Read(large)
	for range 14 {
		files = append(files, mustSend(t, alice, fileTo("bob", large)))
	}
	if full := s.mustReadMetrics()["signet_disk_full"]; full != 0 {
		t.Errorf("signet_disk_full is %d before the disk is", full)
	}

	if held := s.mustReadMetrics()["signet_disk_reserve_bytes"]; held == 0 {
		t.Error("there is no reserve before the disk is full")
	}

	weight := ballast(filepath.Join(disk, "ballast"))
	weight.strike(t, s)
	wantFull := func() {
		t.Helper()
		eventually(t, "the operator is told",
			func() bool { return strings.Contains(s.mustProbe("/readyz"), "warning: disk: ") })
		if full := s.mustReadMetrics()["signet_disk_full"]; full != 1 {
			t.Errorf("signet_disk_full is %d once the disk is", full)
		}
		_, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: "new"})
		wantNeutralRefusal(t, "send", err)
		_, err = alice.Send(ctx, fileTo("bob", large[:100]))
		wantNeutralRefusal(t, "send with an attachment", err)
		for _, id := range texts {
			if m, err := bob.Message(ctx, id); err != nil || m.MessageID != id {
				t.Errorf("message %s: %v", id, err)
			}
		}
		wantAttachment(t, bob, mustMessage(t, bob, files[0]), large)
	}
	wantFull()
	events := wantQueue(t, bob, append(slices.Clone(texts), files...))
	if err := bob.Ack(ctx, ids(events[:10])...); err != nil {
		t.Errorf("acknowledge on a full disk: %v", err)
	}
	s.stop()
	weight.strike(t, s) // what the stop gave back
	s.mustStart()
	wantFull()
	wantQueue(t, bob, append(slices.Clone(texts[10:]), files...))
	for _, id := range files[1:] {
		if err := alice.Recall(ctx, id); err != nil {
			t.Errorf("recall on a full disk: %v", err)
		}
	}
	var again string
	eventually(t, "there is room for new messages", func() bool {
		sent, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: "there is room"})
		if err == nil {
			again = sent.MessageID
		}
		return err == nil
	})
	if text := s.mustProbe("/readyz"); text != "ok\n" {
		t.Errorf("/readyz says %q with room on the disk", text)
	}
	mustRestart(t, s)
	want := append(slices.Clone(texts[10:]), files[0], again)
	wantQueue(t, bob, want)
	for _, id := range want {
		mustMessage(t, bob, id)
	}
	wantAttachment(t, bob, mustMessage(t, bob, files[0]), large)
	s.stop()
	wantSoundFiles(t, s.dir)
}

// wantFaultHarmless runs a server into a fault and out of it, and reports where
// it does not do what it can.
func wantFaultHarmless(t *testing.T, dir string, fault fault) {
	t.Helper()
	s := mustServe(t, dir, unlimited...)
	ctx := t.Context()
	people := s.mustPeople("alice", "bob")
	alice, bob := people[0], people[1]
	alice.Client = s.client(alice.key, alice.secret, client.WithRetry(client.NoRetry()))
	bob.Client = s.client(bob.key, bob.secret, client.WithRetry(client.NoRetry()))
	file := make([]byte, 300<<10)
	rand.Read(file)
	first, err := alice.Send(ctx, client.Outgoing{
		Recipient: "bob", Body: "before 0", Attachment: &client.Upload{Name: "a.bin", Content: bytes.NewReader(file)},
	})
	if err != nil {
		t.Fatal(err)
	}
	confirmed := []string{first.MessageID}
	for i := range 20 {
		sent, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: fmt.Sprintf("before %d", i+1)})
		if err != nil {
			t.Fatal(err)
		}
		confirmed = append(confirmed, sent.MessageID)
	}

	fault.strike(t, s)
	long := strings.Repeat("long ", 12<<10)
	// What the files have room for is still taken, and counts.
	refused := 0
	for n := 0; refused < 30 && n < 10_000; n++ {
		sent, err := alice.Send(ctx, client.Outgoing{Recipient: "bob", Body: long, RequestID: fmt.Sprintf("full-%d", n)})
		if err == nil {
			confirmed = append(confirmed, sent.MessageID)
			refused = 0
			continue
		}
		wantNeutralRefusal(t, "send", err)
		refused++
	}
	if refused == 0 {
		t.Fatal("sends do not fail on a full disk")
	}
	for _, size := range []int{100, 300 << 10, 10 << 20} {
		_, err := alice.Send(ctx, client.Outgoing{
			Recipient: "bob", Body: long,
			Attachment: &client.Upload{Name: "b.bin", Content: bytes.NewReader(make([]byte, size))},
		})
		if err == nil {
			t.Errorf("an attachment of %d bytes was sent on a full disk", size)
			continue
		}
		wantNeutralRefusal(t, "send with an attachment", err)
	}
	wantNothingUnfinished(t, dir)
	wantBlobs(t, dir, 1)
	events := wantQueue(t, bob, confirmed)
	if !fault.reserved() { // TestFullDiskMakesRoomByItself shows what it is for
		wantNeutralRefusal(t, "acknowledge", bob.Ack(ctx, ids(events)...))
		wantNeutralRefusal(t, "recall", alice.Recall(ctx, confirmed[0]))
	}
	wantReads(t, alice, bob, confirmed, file)
	wantProbes(t, s)

	fault.mend(t, s)
	// The very next ones succeed, and are new: nothing was kept of the first attempts.
	for n := range 30 {
		sent, err := alice.Send(ctx,
			client.Outgoing{Recipient: "bob", Body: fmt.Sprintf("after %d", n), RequestID: fmt.Sprintf("after-%d", n)})
		if err != nil {
			t.Fatalf("after the disk had room again: %v", err)
		}
		if sent.Repeated {
			t.Errorf("Request-ID after-%d was kept of a send that failed", n)
		}
		confirmed = append(confirmed, sent.MessageID)
	}
	sent, err := alice.Send(ctx,
		client.Outgoing{Recipient: "bob", Attachment: &client.Upload{Name: "c.bin", Content: bytes.NewReader(file)}})
	if err != nil {
		t.Fatalf("after the disk had room again: %v", err)
	}
	confirmed = append(confirmed, sent.MessageID)
	wantBlobs(t, dir, 2)
	wantReads(t, alice, bob, confirmed, file)
	if err := bob.Ack(ctx, ids(wantQueue(t, bob, confirmed))...); err != nil {
		t.Error(err)
	}
	mustRestart(t, s)
	wantQueue(t, bob, nil)
	wantReads(t, alice, bob, confirmed, file)
	s.stop()
	wantSoundFiles(t, dir)
	wantNothingUnfinished(t, dir)
	for _, word := range []string{"panic", "goroutine "} {
		if strings.Contains(s.log.String(), word) {
			t.Errorf("the server logged a %s", word)
		}
	}
}

// wantNeutralRefusal reports an answer that is not 500 or 503, or that tells a
// stranger about the machine.
func wantNeutralRefusal(t *testing.T, what string, err error) {
	t.Helper()
	refusal, ok := errors.AsType[*client.Error](err)
	if !ok || refusal.Status != http.StatusServiceUnavailable && refusal.Status != http.StatusInternalServerError {
		t.Errorf("%s on a full disk: %v, want 503 or 500", what, err)
		return
	}
	if refusal.Status == http.StatusServiceUnavailable && refusal.RetryAfter == 0 {
		t.Errorf("%s on a full disk: no Retry-After in %v", what, err)
	}
	for _, word := range []string{"disk", "space", "sql", "database", "file too large", "no such", "/", ".go"} {
		if strings.Contains(strings.ToLower(refusal.Message), word) {
			t.Errorf("%s on a full disk answers %q, which tells of %q", what, refusal.Message, word)
		}
	}
}

// wantQueue reports where the queue does not hold exactly these messages, in
// this order, and where they are not counted unread.
func wantQueue(t *testing.T, p person, messages []string) []client.Event {
	t.Helper()
	events := kinds(mustPoll(t, p), client.EventMessage)
	if len(events) != len(messages) {
		t.Errorf("the queue has %d messages, want %d", len(events), len(messages))
		return events
	}
	for i, e := range events {
		if m, err := e.Message(); err != nil || m.MessageID != messages[i] {
			t.Errorf("the queue has %+v (%v) where %s was to come", m, err, messages[i])
		}
	}
	return events
}

// wantReads reports what cannot be read.
func wantReads(t *testing.T, alice, bob person, messages []string, file []byte) {
	t.Helper()
	ctx := t.Context()
	wantUnread(t, bob, len(messages))
	for _, id := range messages {
		if m, err := bob.Message(ctx, id); err != nil || m.MessageID != id {
			t.Errorf("message %s: %v", id, err)
		}
	}
	if status, err := alice.MessageStatus(ctx, messages[0]); err != nil || len(status.Statuses) != 1 {
		t.Errorf("status of %s: %+v, %v", messages[0], status, err)
	}
	d, err := bob.OpenAttachment(ctx, messages[0])
	if err != nil {
		t.Errorf("attachment of %s: %v", messages[0], err)
		return
	}
	defer d.Close()
	if got, err := io.ReadAll(d); err != nil || !bytes.Equal(got, file) {
		t.Errorf("the attachment has %d bytes (%v), want the %d that were sent", len(got), err, len(file))
	}
	if roster, err := bob.Roster(ctx); err != nil || len(roster) != 1 {
		t.Errorf("roster: %v, %v", roster, err)
	}
}

// wantProbes reports a server that says it is not well.
func wantProbes(t *testing.T, s *server) {
	t.Helper()
	for _, path := range []string{"/healthz", "/readyz"} {
		answer, err := s.http.Get(anyServer + path)
		if err != nil {
			t.Error(err)
			continue
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s answered %d, want 200: reads go on", path, answer.StatusCode)
		}
	}
}

// wantBlobs reports where the directory of blobs does not hold so many files.
func wantBlobs(t *testing.T, dir string, want int) {
	t.Helper()
	if n := len(mustFiles(t, filepath.Join(dir, "blobs"))); n != want {
		t.Errorf("the directory of blobs has %d files, want %d", n, want)
	}
}
