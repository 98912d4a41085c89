package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"signet/internal/model"
)

// floor is the cheapest call there is: credentials, the rate, a JSON body of the
// usual fields, and nothing behind it.
func floor(b *testing.B) *API {
	b.Helper()
	actor := &model.Actor{Key: model.Key{Key: "alice"}}
	a, err := newAPI(Options{
		Authenticator: authenticatorFunc(func(string, string) *model.Actor { return actor }),
		VendorPrefix:  "TT",
		Limits: Limits{RequestsPerSecond: 1e6, Burst: 1e6, FailedLoginsPerMinute: 10, FailedLoginsPerMinuteAddress: 100,
			BodyBytes: 256 << 10, AttachmentBytes: 25 << 20},
	})
	if err != nil {
		b.Fatal(err)
	}
	err = a.mount([]route{{method: "POST", pattern: "/v2/message",
		handler: func(_ context.Context, c *call) (answer, error) {
			f := &c.body.Fields
			_, _, _, _ = f.Text("recipient"), f.Text("body"), f.Text("sender_organization"), f.Text("recipient_organization")
			_, _, _ = f.OptionalInt("priority"), f.OptionalInt("ttl"), f.OptionalBool("dor")
			if err := c.err(); err != nil {
				return answer{}, err
			}
			return noContent(header{a.vendor.messageID, "0192f3f0-0000-7000-8000-000000000000"},
				header{a.vendor.messageTTL, "30"}), nil
		}}})
	if err != nil {
		b.Fatal(err)
	}
	return a
}

type authenticatorFunc func(key, secret string) *model.Actor

func (f authenticatorFunc) Authenticate(_ context.Context, key, secret string, _ netip.Addr) (*model.Actor, error) {
	return f(key, secret), nil
}

func (f authenticatorFunc) OpenSession(_ context.Context, key, secret string, _ netip.Addr) (*model.Actor, error) {
	return f(key, secret), nil
}

func (f authenticatorFunc) Current(_ context.Context, actor *model.Actor) (*model.Actor, error) {
	return actor, nil
}

const floorBody = `{"recipient":"bob@example.com","body":"hello there, how are you?","sender_organization":"aaaaaaaaaaaaaaaaaaaaaaaa",` +
	`"recipient_organization":"aaaaaaaaaaaaaaaaaaaaaaaa","priority":1,"ttl":30,"dor":true}`

// BenchmarkFloorAdapter is the adapter alone, without net/http's own work.
func BenchmarkFloorAdapter(b *testing.B) {
	a := floor(b)
	r := httptest.NewRequest("POST", "/v2/message", nil)
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth("alice", "secret")
	r.ContentLength = int64(len(floorBody))
	body := strings.NewReader(floorBody)
	r.Body = io.NopCloser(body)
	w := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		body.Reset(floorBody)
		clear(w.header)
		a.ServeHTTP(w, r)
	}
	if w.status != http.StatusNoContent {
		b.Fatal(w.status)
	}
}

type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header             { return d.header }
func (d *discard) WriteHeader(status int)          { d.status = status }
func (d *discard) Write(p []byte) (int, error)     { return len(p), nil }
func (d *discard) SetReadDeadline(time.Time) error { return nil }

// BenchmarkFloor is a whole request over a connection: what an endpoint that does
// nothing costs. cpu-us is the processor time of server and client together, the
// client being as cheap as can be.
func BenchmarkFloor(b *testing.B) {
	server := httptest.NewServer(floor(b))
	b.Cleanup(server.Close)
	sent := []byte("POST /v2/message HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic " +
		"YWxpY2U6c2VjcmV0\r\nContent-Type: application/json\r\n" +
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(floorBody), floorBody))
	before := processorTime(b)
	b.ReportAllocs()
	b.SetParallelism(32) // connections for each processor
	b.RunParallel(func(pb *testing.PB) {
		conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		answers := bufio.NewReader(conn)
		for pb.Next() {
			if _, err := conn.Write(sent); err != nil {
				b.Error(err)
				return
			}
			status, err := answers.ReadSlice('\n')
			if err != nil || !strings.HasPrefix(string(status), "HTTP/1.1 204") {
				b.Errorf("%s %v", status, err)
				return
			}
			for line := status; len(line) > 2; {
				if line, err = answers.ReadSlice('\n'); err != nil {
					b.Error(err)
					return
				}
			}
		}
	})
	b.ReportMetric((processorTime(b)-before)/float64(b.N), "cpu-us/op")
}

// processorTime returns what this process has used, in microseconds.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Sec+usage.Stime.Sec)*1e6 + float64(usage.Utime.Usec+usage.Stime.Usec)
}
