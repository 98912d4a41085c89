package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"signet/client"
	"signet/internal/testenv"
)

// mustReadMemory returns the memory that a process holds now and the most that
// it ever held, in bytes, as the system counts it.
func mustReadMemory(t *testing.T, p *process) (now, peak int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		for name, value := range map[string]*int64{"VmRSS:": &now, "VmHWM:": &peak} {
			if rest, found := strings.CutPrefix(line, name); found {
				if _, err := fmt.Sscanf(rest, "%d kB", value); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				*value <<= 10
			}
		}
	}
	if now == 0 || peak == 0 {
		t.Fatalf("no memory in\n%s", text)
	}
	return now, peak
}

// TestAttachmentsAreNotHeldInMemory sends and fetches 160 MiB through a server,
// eight files of 5 MiB at a time, and looks at how much memory that took.
func TestAttachmentsAreNotHeldInMemory(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	const (
		size     = 20 << 20
		together = 8
		rounds   = 2
		// One of the eight files would be 20 MiB, and all of them 160. What is allowed
		// is for buffers, stacks and what the collector has not come to.
		bound = 16 << 20
	)
	s := mustServe(t, freshDirectory(t), unlimited...)
	alice := s.mustPeople("alice", "bob")[0]
	content := make([]byte, size)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(content)

	var files sync.Map // the message of each file that was sent
	passThrough := func(size int) {
		var all sync.WaitGroup
		for i := range together {
			all.Go(func() {
				sent, err := alice.Send(t.Context(), client.Outgoing{
					Recipient: "bob", Attachment: &client.Upload{Name: "scan.bin", Content: bytes.NewReader(content[:size])},
				})
				if err != nil {
					t.Error(err)
					return
				}
				files.Store(i, sent.MessageID)
			})
		}
		all.Wait()
		want := sha256.Sum256(content[:size])
		for i := range together {
			all.Go(func() {
				id, sent := files.Load(i)
				if !sent {
					return
				}
				if got, err := fetch(t, alice, id.(string)); err != nil || got != want {
					t.Errorf("attachment %d came back changed: %v", i, err)
				}
			})
		}
		all.Wait()
	}
	passThrough(1 << 10) // every path of the code, and every connection, once
	p := s.current()
	_, before := mustReadMemory(t, p)
	for range rounds {
		passThrough(size)
	}
	now, peak := mustReadMemory(t, p)
	t.Logf("peak before %d KiB, after %d KiB; %d KiB at the end", before>>10, peak>>10, now>>10)
	if peak-before > bound {
		t.Errorf("%d files of %d MiB at a time took %d KiB more than small ones, want at most %d",
			together, size>>20, (peak-before)>>10, bound>>10)
	}
	s.stop()
	s.wantQuietLog()
}

// fetch downloads an attachment and returns the digest of its bytes.
func fetch(t *testing.T, p person, message string) (digest [32]byte, err error) {
	d, err := p.OpenAttachment(t.Context(), message)
	if err != nil {
		return digest, err
	}
	defer d.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, d)
	return [32]byte(hash.Sum(nil)), err
}
