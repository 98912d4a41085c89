package transport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// randomTime is up to 50 ms, in nanoseconds, so that no two things happen at once.
func randomTime(r *rand.Rand) time.Duration { return time.Duration(1 + r.IntN(50e6)) }

// waited tells how reads or writes of a connection ended, each with its time, while its deadline is
// moved, and its other end sends or takes some bytes now and then. All of it follows from the seed.
func waited(t *testing.T, seed uint64, wrap func(net.Conn) net.Conn, move func(net.Conn, time.Time) error,
	wait, meet func(net.Conn, []byte) (int, error)) (told []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		conn := wrap(theirs)
		began := time.Now()
		var all sync.WaitGroup
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 20 {
				time.Sleep(randomTime(r) / 4)
				n, err := wait(conn, make([]byte, 10))
				told = append(told, fmt.Sprintf("%v: %d, passed %t, closed %t", time.Since(began), n,
					errors.Is(err, os.ErrDeadlineExceeded), err != nil && !errors.Is(err, os.ErrDeadlineExceeded)))
			}
		})
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 2))
			for range 20 {
				time.Sleep(randomTime(r))
				_ = ours.SetDeadline(time.Now().Add(randomTime(r)))
				_, _ = meet(ours, make([]byte, 1+r.IntN(15)))
			}
			time.Sleep(time.Minute) // nothing waits past the last deadline
			ours.Close()
		})
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for range 40 {
				time.Sleep(randomTime(r))
				var deadline time.Time // none
				switch k := r.IntN(6); {
				case k == 0:
					deadline = time.Unix(1, 0) // as net/http ends what is under way
				case k > 1:
					deadline = time.Now().Add(time.Duration(k-1) * randomTime(r))
				}
				if err := move(conn, deadline); err != nil {
					t.Error(err)
				}
			}
		})
		all.Wait()
		conn.Close()
	})
	return told
}

// Whatever is asked of a connection, and when, what waits for its deadline ends as it would on
// another one: at the same time, and with as many bytes.
func TestDeadlinesAreThoseOfAnUsualConnection(t *testing.T) {
	usual := func(c net.Conn) net.Conn { return c }
	own := func(c net.Conn) net.Conn { return newConnection(c) }
	for kind, c := range map[string]struct {
		move       func(net.Conn, time.Time) error
		wait, meet func(net.Conn, []byte) (int, error)
	}{
		"reads":  {net.Conn.SetReadDeadline, net.Conn.Read, net.Conn.Write},
		"writes": {net.Conn.SetWriteDeadline, net.Conn.Write, net.Conn.Read},
		"either": {net.Conn.SetDeadline, net.Conn.Read, net.Conn.Write},
	} {
		for seed := range uint64(100) {
			want := waited(t, seed, usual, c.move, c.wait, c.meet)
			if got := waited(t, seed, own, c.move, c.wait, c.meet); !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: got\n%q\nwant\n%q", kind, seed, got, want)
			}
		}
	}
}
