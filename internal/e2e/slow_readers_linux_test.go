package e2e

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/testenv"
)

const (
	// crowdBound is what a server takes whatever a crowd does, with all limits at their defaults:
	// 280 MiB, and more where the collector gets the processor late. Unbounded, one key has it
	// take 421 and twenty 765.
	crowdBound   = 360 << 20
	crowdCalls   = 240     // at a time, of the 256 connections that an address may have
	crowdEntry   = 250_000 // bytes of a message, about as many as a call takes
	crowdEntries = 40      // messages: more than twice what an answer ends at
)

// crowdCall is a call of a crowd.
type crowdCall struct{ method, path, accept, body string }

// hold makes a call by HTTP/1.1, and takes nothing of the answer but how it begins until the
// test ends. A body does not come to its end.
func (p person) hold(t *testing.T, address string, call crowdCall) error {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		control := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10)
		})
		if control != nil {
			return control
		}
		return err
	}}
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = conn.Close() })
	length := len(call.body)
	if length > 0 {
		length++
	}
	authorization := p.request(t, call.method, call.path, "application/json", "").Header.Get("Authorization")
	if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\n"+
		"Accept: %s\r\nContent-Length: %d\r\n\r\n%s", call.method, call.path, address, authorization, call.accept, length,
		call.body); err != nil {
		return err
	}
	if length > 0 {
		return nil // no answer comes before the end
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	begin := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, begin); err != nil {
		return fmt.Errorf("%s %s is not answered: %w", call.method, call.path, err)
	}
	return nil
}

// TestSlowReadersAndWritersTakeBoundedMemory: of one key and of twenty, that read the largest
// answers slowly, hold streams of the largest events open and send the largest bodies slowly,
// all at a time.
func TestSlowReadersAndWritersTakeBoundedMemory(t *testing.T) {
	testenv.Long(t)
	for _, keys := range []int{1, 20} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			s := mustServe(t, freshDirectory(t))
			names := []string{"sender"}
			for i := range keys {
				names = append(names, fmt.Sprint("reader", i))
			}
			people := s.mustPeople(names...)
			sender, readers := people[0], people[1:]
			members := make([]string, len(readers))
			for i, p := range readers {
				members[i] = p.token
			}
			group, err := sender.CreateGroup(t.Context(), client.NewGroup{Name: "Ward", Members: members})
			if err != nil {
				t.Fatal(err)
			}
			large := strings.Repeat("x", crowdEntry)
			for range crowdEntries {
				if _, err := sender.Send(t.Context(), client.Outgoing{Recipient: group.Token, Body: "x",
					Data: []client.DataItem{{MimeType: "text/plain", Namespace: "n", Payload: large}}}); err != nil {
					t.Fatal(err)
				}
			}
			calls := []crowdCall{
				{"GET", "/v2/conversation/" + group.Token + "/message?limit=200", "*/*", ""},
				{"GET", "/v2/events?limit=1000", "*/*", ""},
				{"GET", "/v2/events", "text/event-stream", ""},
				{"POST", "/v2/message", "*/*", `{"recipient":"` + group.Token + `","body":"` + large},
			}
			address := strings.TrimPrefix(s.current().baseURL, "http://")
			var all sync.WaitGroup
			for i := range crowdCalls {
				all.Go(func() {
					if err := readers[i%keys].hold(t, address, calls[i/keys%len(calls)]); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if _, err := sender.Send(t.Context(), client.Outgoing{Recipient: group.Token, Body: "still there?"}); err != nil {
				t.Error(err)
			}
			_, peak := mustReadMemory(t, s.current())
			t.Logf("%d calls of %d keys: %d MiB", crowdCalls, keys, peak>>20)
			if peak > crowdBound {
				t.Errorf("the server took %d MiB, want at most %d", peak>>20, crowdBound>>20)
			}
		})
	}
}
