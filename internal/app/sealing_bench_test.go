package app

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
)

const (
	benchSenders = 64   // connections, each of an account
	benchRound   = 3200 // messages of 200 bytes, of all of them together
)

// sendBench is a server to which messages are sent over HTTP, each on disk before it
// is answered.
type sendBench struct {
	b       *testing.B
	senders []*benchSender
	reader  *client.Client // of whoever gets all of them
}

type benchSender struct {
	conn    net.Conn
	answers *bufio.Reader
	request []byte
}

func newSendBench(b *testing.B, unsealed bool, changes ...func(*config.Config)) *sendBench {
	b.Helper()
	cfg := settings(b)
	cfg.Limits.MessagesPerDay, cfg.Limits.RequestsPerSecond = 0, 0
	for _, change := range changes {
		change(cfg)
	}
	a, err := open(b.Context(), cfg, quiet(), Pace{}, func(ctx context.Context, in surroundings) (*system, error) {
		in.unsealed = unsealed
		return assemble(ctx, in)
	})
	if err != nil {
		b.Fatal(err)
	}
	stop := mustRun(b, a)
	b.Cleanup(func() {
		if err := stop(); err != nil {
			b.Error(err)
		}
	})
	fields, err := home.ReadCredentials(a.OperatorFile())
	if err != nil {
		b.Fatal(err)
	}
	operator, err := client.New(a.BaseURL(), fields.Text(home.FieldKey), fields.Text(home.FieldSecret),
		client.WithHTTPClient(caller))
	if err != nil {
		b.Fatal(err)
	}
	organization, err := operator.CreateOrganization(b.Context(), "Bench", client.OrganizationSettings{})
	if err != nil {
		b.Fatal(err)
	}
	s := &sendBench{b: b}
	body := fmt.Sprintf(`{"recipient":"user0","body":%q}`, strings.Repeat("x", 200))
	for i := range benchSenders + 1 {
		user, err := operator.CreateUser(b.Context(), organization,
			client.NewUser{Username: fmt.Sprint("user", i), IssueKey: true})
		if err != nil {
			b.Fatal(err)
		}
		if i == 0 { // who gets all of them
			s.reader, err = client.New(a.BaseURL(), user.APIKey, user.APISecret, client.WithHTTPClient(caller))
			if err != nil {
				b.Fatal(err)
			}
			continue
		}
		conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", a.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = conn.Close() })
		credentials := base64.StdEncoding.EncodeToString([]byte(user.APIKey + ":" + user.APISecret))
		s.senders = append(s.senders, &benchSender{conn, bufio.NewReader(conn), fmt.Appendf(nil,
			"POST /v2/message HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic %s\r\nContent-Type: "+
				"application/json\r\nContent-Length: %d\r\n\r\n%s", credentials, len(body), body)})
	}
	return s
}

// round sends so many messages, and returns how long that took, and how much processor
// time, of the server and of its clients, which are as cheap as can be.
func (s *sendBench) round() (took, processor float64) {
	began, used := time.Now(), processorTime(s.b)
	var running sync.WaitGroup
	for _, sender := range s.senders {
		running.Go(func() {
			for range benchRound / benchSenders {
				if err := sender.send(); err != nil {
					s.b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	return time.Since(began).Seconds(), processorTime(s.b) - used
}

// processorTime returns what this process has used, in seconds.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}

func (s *benchSender) send() error {
	if _, err := s.conn.Write(s.request); err != nil {
		return err
	}
	status, err := s.answers.ReadString('\n')
	if err != nil || !strings.HasPrefix(status, "HTTP/1.1 204") {
		return fmt.Errorf("a send answers %q, %w", status, err)
	}
	for line := status; len(line) > 2 && err == nil; {
		line, err = s.answers.ReadString('\n')
	}
	return err
}

// BenchmarkSealingOfSends compares sends to a server that seals what people write with
// sends to one that does not, in turn, so that whatever else the machine does is in
// both. cost-% is the median over the rounds of how much longer sealed ones take, and
// cpu-cost-% of how much more processor time, in which other programs' share is not.
func BenchmarkSealingOfSends(b *testing.B) {
	sealed, plain := newSendBench(b, false), newSendBench(b, true)
	for range 3 { // until files and caches have their size
		sealed.round()
		plain.round()
	}
	var rates, processor [2][]float64 // sealed, plain: messages a second, microseconds for each
	var costs, processorCosts []float64
	n := 0
	for b.Loop() {
		var took, used [2]float64
		for i := range took {
			which := (n + i) % 2
			took[which], used[which] = []*sendBench{sealed, plain}[which].round()
			rates[which] = append(rates[which], benchRound/took[which])
			processor[which] = append(processor[which], used[which]/benchRound*1e6)
		}
		costs = append(costs, 100*(took[0]/took[1]-1))
		processorCosts = append(processorCosts, 100*(used[0]/used[1]-1))
		n++
	}
	for i, name := range []string{"sealed", "plain"} {
		b.ReportMetric(median(rates[i]), name+"-sends/s")
		b.ReportMetric(median(processor[i]), name+"-cpu-us/send")
	}
	b.ReportMetric(median(costs), "cost-%")
	b.ReportMetric(median(processorCosts), "cpu-cost-%")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
