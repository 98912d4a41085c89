package guard

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/testclock"
)

var (
	here  = netip.MustParseAddr("192.0.2.1")
	there = netip.MustParseAddr("192.0.2.2")
)

// doorkeeper tries passwords, of which only "right" is good.
type doorkeeper struct {
	*Attempts
	verified int
}

func (d *doorkeeper) try(from netip.Addr, name, secret string) string {
	err := d.Password(from, name, secret, func() error {
		d.verified++
		if secret != "right" {
			return &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid", Message: "Wrong."}
		}
		return nil
	})
	told, ok := errors.AsType[*model.Error](err)
	switch {
	case err == nil:
		return "in"
	case ok && told.Kind == model.Unauthenticated:
		return "wrong"
	case ok && told.Kind == model.TooMany && told.Code == CodeTooManyFailures:
		return "wait " + told.RetryAfter.String()
	}
	return err.Error()
}

func (d *doorkeeper) want(t *testing.T, from netip.Addr, name, secret, want string) {
	t.Helper()
	if got := d.try(from, name, secret); got != want {
		t.Errorf("%s from %v with %s: got %s, want %s", name, from, secret, got, want)
	}
}

func newDoorkeeper() (*doorkeeper, *testclock.Clock) {
	clock := testclock.New()
	return &doorkeeper{Attempts: NewAttempts(clock.Now, 10, 100, 100)}, clock
}

func TestTenFailuresStopAPair(t *testing.T) {
	d, clock := newDoorkeeper()
	d.want(t, here, "alice", "right", "in")
	for range 10 {
		d.want(t, here, "alice", "guess", "wrong")
		clock.Advance(time.Second)
	}
	before := d.verified
	d.want(t, here, "alice", "guess", "wait 50s")
	d.want(t, here, "alice", "right", "wait 50s") // even with the right secret
	if d.verified != before {
		t.Error("credentials were verified past the limit")
	}
	// That pair only.
	d.want(t, there, "alice", "right", "in")
	d.want(t, here, "bob", "right", "in")
	clock.Advance(49*time.Second + 999*time.Millisecond)
	d.want(t, here, "alice", "right", "wait 1ms")
	clock.Advance(time.Millisecond)
	d.want(t, here, "alice", "guess", "wrong") // one failure has left the window, one takes its place
	d.want(t, here, "alice", "right", "wait 1s")
	clock.Advance(time.Minute)
	d.want(t, here, "alice", "right", "in")
}

func TestAHundredFailuresStopAnAddress(t *testing.T) {
	d, clock := newDoorkeeper()
	d.want(t, here, "alice", "right", "in")
	for i := range 100 {
		d.want(t, here, "stranger"+strconv.Itoa(i), "guess", "wrong")
	}
	d.want(t, here, "alice", "right", "wait 1m0s") // though it succeeded here before
	d.want(t, here, "bob", "right", "wait 1m0s")
	d.want(t, here, "alice", "guess", "wait 1m0s")
	d.want(t, there, "bob", "right", "in") // another address
	d.want(t, here, "stranger1", "x", "wait 1m0s")
	clock.Advance(time.Minute)
	d.want(t, here, "bob", "right", "in")
}

func TestAHundredFailuresFromManyAddressesStopAName(t *testing.T) {
	d, clock := newDoorkeeper()
	far := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) }
	d.want(t, here, "alice", "right", "in")
	for i := range 100 {
		d.want(t, far(i), "Alice", "guess", "wrong")
	}
	d.want(t, here, "alice", "right", "in")            // these succeeded here before
	d.want(t, there, "alice", "right", "wait 1m0s")    // never from there
	d.want(t, far(500), "a-l-i-c-e", "x", "wait 1m0s") // however it is written
	d.want(t, far(500), "bob", "right", "in")          // another name
	clock.Advance(time.Minute)
	d.want(t, there, "alice", "right", "in")
	d = &doorkeeper{Attempts: NewAttempts(clock.Now, 0, 0, 5)}
	for i := range 5 {
		d.want(t, far(i), "alice", "guess", "wrong")
	}
	d.want(t, far(6), "alice", "guess", "wait 1m0s")
}

func TestANetworkOfIPv6IsOneAddress(t *testing.T) {
	d, _ := newDoorkeeper()
	for i := range 10 {
		d.want(t, netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i)), "alice", "guess", "wrong")
	}
	d.want(t, netip.MustParseAddr("2001:db8::ffff"), "alice", "right", "wait 1m0s")
	d.want(t, netip.MustParseAddr("2001:db8:0:1::1"), "alice", "right", "in")
	d.want(t, netip.Addr{}, "alice", "right", "in")
	for range 10 {
		d.want(t, netip.MustParseAddr("::ffff:192.0.2.1"), "alice", "guess", "wrong")
	}
	d.want(t, here, "alice", "right", "wait 1m0s")
}

func TestAPasswordThatWasReplacedIsForgotten(t *testing.T) {
	d, _ := newDoorkeeper()
	d.want(t, here, "alice", "right", "in")
	wrong := &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid", Message: "Replaced."}
	if err := d.Password(here, "alice", "right", func() error { return wrong }); !errors.Is(err, wrong) {
		t.Fatal(err)
	}
	for i := range 99 {
		d.want(t, netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), "alice", "guess", "wrong")
	}
	d.want(t, here, "alice", "right", "wait 1m0s")
}

// TestTheRightSecretOfAKeyAlwaysOpens: whatever fails from its address, or with its
// name. A wrong one is told to wait only after it was compared.
func TestTheRightSecretOfAKeyAlwaysOpens(t *testing.T) {
	d, clock := newDoorkeeper()
	wrong := &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid", Message: "Wrong."}
	try := func(key string, verified error) error { return d.Secret(here, key, func() error { return verified }) }
	for range 10 {
		if err := try("gateway", wrong); !errors.Is(err, wrong) {
			t.Fatal(err)
		}
	}
	refused := func(err error) bool {
		told, ok := errors.AsType[*model.Error](err)
		return ok && told.Code == CodeTooManyFailures && told.RetryAfter == time.Minute
	}
	if err := try("gateway", wrong); !refused(err) {
		t.Errorf("a wrong secret past the limit: got %v", err)
	}
	if err := try("gateway", nil); err != nil {
		t.Errorf("the right secret of a name past its limit: got %v", err)
	}
	for i := range 100 {
		_ = try("stranger"+strconv.Itoa(i), wrong)
	}
	if err := try("operator", nil); err != nil {
		t.Errorf("the right secret from an address past its limit: got %v", err)
	}
	d.want(t, here, "alice", "right", "wait 1m0s") // a password
	clock.Advance(time.Minute)
	if err := try("gateway", wrong); !errors.Is(err, wrong) {
		t.Error(err)
	}
}

func TestGuessesAtTheSameTimeGainNothing(t *testing.T) {
	d, _ := newDoorkeeper()
	const parallel = 50
	var waiting, done sync.WaitGroup
	waiting.Add(parallel)
	results := make(chan error, parallel)
	for i := range parallel {
		done.Add(1)
		go func() {
			defer done.Done()
			results <- d.Password(here, "alice", "guess"+strconv.Itoa(i), func() error {
				waiting.Done()
				waiting.Wait() // until all of them have been let in
				return &model.Error{Kind: model.Unauthenticated, Code: "credentials_invalid", Message: "Wrong."}
			})
		}()
	}
	done.Wait()
	close(results)
	wrong := 0
	for err := range results {
		if model.IsUnauthenticated(err) {
			wrong++
		}
	}
	if wrong != 10 {
		t.Errorf("%d guesses of %d were answered, want 10", wrong, parallel)
	}
	// Nor does a right guess among them.
	d, _ = newDoorkeeper()
	err := d.Password(here, "alice", "right", func() error {
		for range 10 {
			d.want(t, here, "alice", "guess", "wrong")
		}
		return nil
	})
	if told, ok := errors.AsType[*model.Error](err); !ok || told.Code != CodeTooManyFailures {
		t.Errorf("got %v", err)
	}
}

func TestManyRightLoginsAtTheSameTimeAreAllLetIn(t *testing.T) {
	d, _ := newDoorkeeper()
	var done sync.WaitGroup
	for range 64 {
		done.Add(1)
		go func() {
			defer done.Done()
			if err := d.Password(here, "alice", "right", func() error { return nil }); err != nil {
				t.Error(err)
			}
		}()
	}
	done.Wait()
}

func TestNoLimitOfFailedLogins(t *testing.T) {
	d := &doorkeeper{Attempts: NewAttempts(time.Now, 0, 0, 0)}
	for range 200 {
		d.want(t, here, "alice", "guess", "wrong")
	}
	d = &doorkeeper{Attempts: NewAttempts(time.Now, 0, 5, 0)}
	for range 5 {
		d.want(t, here, "alice", "guess", "wrong")
	}
	if got := d.try(here, "alice", "guess"); got == "wrong" {
		t.Error("the limit of the address does not hold without that of the pair")
	}
}

func TestAttemptsHoldABoundedNumber(t *testing.T) {
	d, clock := newDoorkeeper()
	size := func() (n int) {
		for i := range d.pairs {
			n += len(d.pairs[i].failures.young) + len(d.pairs[i].failures.old)
			n += len(d.pairs[i].known.young) + len(d.pairs[i].known.old)
			n += len(d.addresses[i].failures.young) + len(d.addresses[i].failures.old)
			n += len(d.names[i].failures.young) + len(d.names[i].failures.old)
		}
		return n
	}
	bound := func(most int) {
		for i := range d.pairs {
			d.pairs[i].failures.most, d.pairs[i].known.most, d.addresses[i].failures.most = most, most, most
			d.names[i].failures.most = most
		}
	}
	const most = 16
	bound(most)
	for i := range 10_000 {
		from, name := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "user"+strconv.Itoa(i)
		d.try(from, name, "guess")
		d.try(from, name, "right")
	}
	if n := size(); n > 4*2*attemptShards*most {
		t.Errorf("%d entries, want at most %d", n, 4*2*attemptShards*most)
	}
	bound(attemptEntries)
	clock.Advance(3 * time.Minute)
	for i := range 1000 {
		d.try(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), "bob", "guess")
	}
	for i := range d.pairs {
		if d.pairs[i].failures.old != nil {
			t.Fatal("old failures are still held")
		}
	}
}

// What was done with a password is not refused afterwards, whoever else failed meanwhile.
func TestWhatIsDoneIsNotRefused(t *testing.T) {
	d, _ := newDoorkeeper()
	act := func(act func() error) string {
		t.Helper()
		if err := d.Act(here, "alice", "right", act); err != nil {
			return err.Error()
		}
		return "done"
	}
	if got := act(func() error {
		for range 10 {
			d.want(t, here, "alice", "guess", "wrong")
		}
		return nil
	}); got != "done" {
		t.Errorf("got %s", got)
	}
	if got := act(func() error { return nil }); got == "done" {
		t.Error("the next one is not refused, though its address failed with this name ten times")
	}
}
