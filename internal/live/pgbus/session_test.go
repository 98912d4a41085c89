package pgbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"signet/internal/live/bustest"
	"signet/internal/live/link"
	"signet/internal/model"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// A pooler that hands out connections by the transaction takes LISTEN as if all were well. The bus
// finds out, says so once, and says what would help.
func TestPoolerThatPassesNoNotificationsOnIsToldOnce(t *testing.T) {
	testenv.Long(t)
	url := postgrestest.Start(t).URL(t)
	n := mustPrepare(t, postgrestest.Pooled(t, url))
	stranger := overhear(t, url, n.bus.channel)
	eventually(t, "the bus is barred", func() bool { return n.Barred() != nil })
	for range tries {
		stranger.wantConnected(t) // it tries again
	}
	if err := n.Barred(); !errors.Is(err, errUnheard) || n.Connected() {
		t.Errorf("it is barred for %v; connected: %t", err, n.Connected())
	}
	n.Wake(context.Background(), bustest.Alice)
	if got := n.bus.Stats(); got != (link.Stats{Dropped: 1}) {
		t.Errorf("it counted %+v, want what was said dropped", got)
	}
	_ = n.bus.Close()
	n.WantLogged(t, "a pooler that hands out connections by the transaction", 1)
	n.WantLogged(t, "the bus is away", 0)
	n.WantLogged(t, "connected to the bus", 0)
}

// A connection whose other end is gone says nothing. Heartbeats find out.
func TestConnectionThatNothingComesOverIsGivenUp(t *testing.T) {
	testenv.Long(t)
	url := postgrestest.URL(t)
	way := testenv.NewLink(t, postgrestest.Host(t, url))
	n := mustOpen(t, postgrestest.Through(t, url, way.Addr()))
	way.Cut()
	eventually(t, "it is not connected", func() bool { return !n.Connected() })
	way.Mend()
	n.WantMissed(t)
	if !n.Connected() {
		t.Error("it is not connected again")
	}
	if err := n.Barred(); err != nil {
		t.Errorf("it is barred: %v", err)
	}
}

func TestBusFollowsThePrimary(t *testing.T) {
	testenv.Long(t)
	primary := postgrestest.Start(t)
	standby := primary.StartStandby(t)
	url := postgrestest.Through(t, primary.URL(t), standby.Addr()+","+primary.Addr())
	here, there := mustOpen(t, url), mustOpen(t, url)
	s := there.Subscribe(reader(bustest.Alice))
	defer s.Close()
	here.Wake(context.Background(), bustest.Alice)
	bustest.Wait(t, "the wake-up", s.Wake())
	primary.Stop(t, false)
	standby.Promote(t)
	here.WantMissed(t)
	there.WantMissed(t)
	here.Wake(context.Background(), bustest.Alice)
	bustest.Wait(t, "the wake-up", s.Wake())
	if err := here.Barred(); err != nil {
		t.Errorf("that there was no primary bars the bus: %v", err)
	}
}

// Nothing is ever sent over the connection that hears, and the database must not end it for that.
func TestIdleConnectionIsKept(t *testing.T) {
	testenv.Long(t)
	n := mustOpen(t, postgrestest.Start(t, "idle_session_timeout = 200ms").URL(t))
	beats := uint64(2 * 200 * time.Millisecond / hurried.beat)
	eventually(t, "heartbeats come back for longer", func() bool { return n.bus.Latency().Read().Count > beats })
	n.WantLogged(t, "the bus is away", 0)
	n.WantLogged(t, "connected to the bus", 1)
}

// The connection may be one that a pooler gives to the store next, whose commits have to wait
// for the disk.
func TestWhatIsSaidLeavesNoSettingBehind(t *testing.T) {
	testenv.Long(t)
	n := mustOpen(t, postgrestest.URL(t))
	conn, err := n.bus.dialSaying()
	if err != nil {
		t.Fatal(err)
	}
	defer hangUp(conn)
	if err := n.bus.notify(conn, []string{"AAAA", "BBBB"}); err != nil {
		t.Fatal(err)
	}
	results, err := conn.Exec(t.Context(), "SHOW synchronous_commit").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(results[0].Rows[0][0]); got != "on" {
		t.Errorf("synchronous_commit is %s for what follows", got)
	}
}

func TestWhatIsNoLetterIsPassedOver(t *testing.T) {
	url := postgrestest.URL(t)
	here, there := mustOpen(t, url), mustOpen(t, url)
	stranger := overhear(t, url, here.bus.channel)
	here.Forget(bustest.Bob)
	stranger.Next(t)
	stranger.say(t, "no base64!")
	stranger.Say(t, here.bus.envelope.Seal("signet_another", beat)) // of another channel
	stranger.Say(t, there.bus.envelope.Seal(there.bus.channel, beat))
	stranger.say(t, "")
	there.Told(t, here.Node)
	if got := there.bus.Stats(); got.Dropped != 2 || got.Received != 2 {
		t.Errorf("it counted %+v, want 2 messages that were taken in and 2 that were not", got)
	}
	there.WantLogged(t, "none of this installation", 1)
}

func TestClosingSaysWhatWaits(t *testing.T) {
	url := postgrestest.URL(t)
	here, there := mustOpen(t, url), mustOpen(t, url)
	const words = 50 // as many fit in what the test hears
	for i := range words {
		here.Forget(model.AccountID{byte(i)})
	}
	if err := here.bus.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range words {
		if got := bustest.Wait(t, "a word", there.Forgotten); !slices.Equal(got, []model.AccountID{{byte(i)}}) {
			t.Errorf("word %d is of %v", i, got)
		}
	}
	here.Wake(context.Background(), bustest.Alice) // nobody hears it
	if err := here.bus.Close(); err != nil || here.Connected() {
		t.Errorf("after it was closed again: %v, connected: %t", err, here.Connected())
	}
}

func TestAddressThatCannotBeReadIsNotRepeated(t *testing.T) {
	_, err := Open(nil, Options{URL: "postgres://signet:Pa55-word@bad host:x/signet", Secret: secret})
	if err == nil {
		t.Fatal("a wrong address is accepted")
	}
	if got, want := err.Error(), "open bus: the database's address cannot be read"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRefusalsAreToldFromOutages(t *testing.T) {
	answer := func(code string) error { return fmt.Errorf("connect: %w", &pgconn.PgError{Code: code}) }
	for what, test := range map[string]struct {
		err  error
		want bool
	}{
		"nothing comes back":            {errUnheard, true},
		"a database without LISTEN":     {answer("0A000"), true},
		"one that does not parse it":    {answer("42601"), true},
		"too many connections":          {answer("53300"), true},
		"a standby":                     {answer("25006"), false},
		"a server that starts":          {answer("57P03"), false},
		"a server that stops":           {answer("57P01"), false},
		"a server behind a pooler":      {answer("08P01"), false},
		"the same, of another version":  {answer("58000"), false},
		"a connection that was cut":     {errors.New("unexpected EOF"), false},
		"the end of the bus":            {nil, false},
		"an answer that makes no sense": {answer(""), false},
	} {
		if got := refused(test.err); got != test.want {
			t.Errorf("%s: refused is %t, want %t", what, got, test.want)
		}
	}
}
