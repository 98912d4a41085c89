package pgring_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"signet/internal/seal"
	"signet/internal/seal/pgring"
	"signet/internal/store/postgrestest"
	"signet/internal/testclock"
	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

// cluster is servers that share a ring, each with a master key file of its own.
type cluster struct {
	t     *testing.T
	url   string
	dir   string
	clock *testclock.Clock
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	return &cluster{t: t, url: postgrestest.URL(t), dir: t.TempDir(), clock: testclock.New()}
}

func (c *cluster) master(node string) string { return filepath.Join(c.dir, "master-"+node) }

// open opens the ring as a node does.
func (c *cluster) open(node string) (*seal.Ring, error) {
	storage, err := pgring.Open(c.t.Context(), c.url)
	if err != nil {
		return nil, err
	}
	r, err := seal.Open(c.t.Context(),
		seal.Options{Storage: storage, Master: seal.MasterFile(c.master(node)), Clock: c.clock.Now,
			Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		c.t.Cleanup(func() { r.Close() })
	}
	return r, err
}

func (c *cluster) mustOpen(node string) *seal.Ring {
	c.t.Helper()
	r, err := c.open(node)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// mustShareMaster gives a node the master key of another.
func (c *cluster) mustShareMaster(from, to string) {
	c.t.Helper()
	text, err := os.ReadFile(c.master(from))
	if err == nil {
		err = os.WriteFile(c.master(to), text, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// mustPair opens the ring on two nodes.
func (c *cluster) mustPair() (first, second *seal.Ring) {
	c.t.Helper()
	first = c.mustOpen("1")
	c.mustShareMaster("1", "2")
	return first, c.mustOpen("2")
}

var ward, later = seal.Name{Scope: "ward", Period: "until-2026-12-21"},
	seal.Name{Scope: "ward", Period: "until-2026-12-22"}

func mustSeal(t *testing.T, r *seal.Ring, name seal.Name, text string) []byte {
	t.Helper()
	lease, err := r.Use(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	sealed, err := lease.Seal([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func wantText(t *testing.T, r *seal.Ring, sealed []byte, want string) {
	t.Helper()
	if text, err := r.Open(t.Context(), sealed, nil); err != nil || string(text) != want {
		t.Errorf("it opens as %q, %v, want %q", text, err, want)
	}
}

func wantGone(t *testing.T, r *seal.Ring, sealed []byte) {
	t.Helper()
	if text, err := r.Open(t.Context(), sealed, nil); !errors.Is(err, seal.ErrKeyGone) {
		t.Errorf("it opens as %q, %v, want ErrKeyGone", text, err)
	}
}

func keyOf(sealed []byte) string { return string(sealed[1:9]) }

func nothingLeft(context.Context, seal.Name) (bool, error) { return false, nil }

func TestServersAgreeOnTheKeyOfADay(t *testing.T) {
	testenv.Long(t)
	c := newCluster(t)
	first, second := c.mustPair()
	nodes := []*seal.Ring{first, second}
	for day := range 10 {
		name := seal.Name{Scope: "ward", Period: fmt.Sprint("until-2026-12-", 10+day)}
		var group sync.WaitGroup
		sealed := make([][]byte, 8)
		for i := range sealed {
			group.Go(func() {
				lease, err := nodes[i%2].Use(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				defer lease.Release()
				if sealed[i], err = lease.Seal([]byte("text"), nil); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for i, s := range sealed {
			if keyOf(s) != keyOf(sealed[0]) {
				t.Errorf("%v has two keys", name)
			}
			wantText(t, nodes[(i+1)%2], s, "text")
		}
	}
}

func TestOfTwoFirstStartsWithOtherMasterKeysOneIsRefused(t *testing.T) {
	testenv.Long(t)
	c := newCluster(t)
	c.mustOpen("1")
	if _, err := c.open("2"); !errors.As(err, new(*seal.SetupError)) {
		t.Errorf("a second server without the master key: %v, want a SetupError", err)
	}
	if _, err := os.Stat(c.master("2")); err == nil {
		t.Error("it made a master key of its own")
	}
	// At the same moment each makes one, and the ring is of one of them.
	c = newCluster(t)
	var group sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		group.Go(func() { _, errs[i] = c.open(fmt.Sprint(i)) })
	}
	group.Wait()
	opened := 0
	for _, err := range errs {
		if err == nil {
			opened++
		} else if !errors.As(err, new(*seal.SetupError)) {
			t.Errorf("%v, want a SetupError", err)
		}
	}
	if opened != 1 {
		t.Errorf("%d servers with different master keys share a ring, want 1", opened)
	}
}

func TestDestroyedKeyIsGoneOnEveryServerAndFromTheTable(t *testing.T) {
	c := newCluster(t)
	first, second := c.mustPair()
	sealed, kept := mustSeal(t, first, ward, "gone"), mustSeal(t, first, later, "kept")
	wantText(t, second, sealed, "gone")
	file := c.count(`SELECT pg_relation_filenode('keyring_keys')::bigint`)
	end := func(want int) {
		t.Helper()
		if settled, err := first.End(t.Context(), c.clock.Now(), []seal.Name{ward}, nothingLeft); err != nil ||
			len(settled) != want {
			t.Fatalf("settled %v, %v, want %d", settled, err, want)
		}
	}
	// The other server may still seal with it, and store that.
	end(0)
	if other := mustSeal(t, second, ward, "at the last moment"); keyOf(other) != keyOf(sealed) {
		t.Error("a server that did not look again knows more than it can")
	}
	c.clock.Advance(2 * time.Minute)
	if other := mustSeal(t, second, ward, "later"); keyOf(other) == keyOf(sealed) {
		t.Error("a key that is to end was handed out long after")
	}
	end(0)
	wantText(t, second, sealed, "gone")
	c.clock.Advance(9 * time.Minute)
	end(0) // the key that was made meanwhile is to be waited for as well
	wantText(t, second, sealed, "gone")
	c.clock.Advance(time.Minute)
	end(1)
	wantGone(t, first, sealed)
	if err := second.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantGone(t, second, sealed)
	for _, r := range []*seal.Ring{first, second} {
		wantText(t, r, kept, "kept")
	}
	if n := c.count(`SELECT COUNT(*) FROM keyring_keys`); n != 1 {
		t.Errorf("the table has %d keys, want 1", n)
	}
	if c.count(`SELECT pg_relation_filenode('keyring_keys')::bigint`) == file {
		t.Error("the table is still in the file in which the row was")
	}
}

func (c *cluster) count(query string) (n int) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.url)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(c.t.Context(), query).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

func TestSharedRingGoesOverToAVersionThatAllHave(t *testing.T) {
	c := newCluster(t)
	first, second := c.mustPair()
	sealed := mustSeal(t, first, ward, "text")
	if _, err := first.Rotate(t.Context()); !errors.As(err, new(*seal.SetupError)) ||
		!strings.Contains(err.Error(), "--prepare") {
		t.Errorf("a rotation at once: %v, want a SetupError that says what to do", err)
	}
	version, err := seal.PrepareMaster(seal.MasterFile(c.master("1")))
	if err != nil {
		t.Fatal(err)
	}
	c.mustShareMaster("1", "2")
	// Until then all go on with the old one.
	more := mustSeal(t, second, later, "more")
	wantText(t, first, more, "more")
	done, err := first.Rotate(t.Context())
	if err != nil || done.Version != version || done.Keys != 2 {
		t.Fatalf("the rotation did %+v, %v, want 2 keys and version %d", done, err, version)
	}
	name := seal.Name{Scope: "lab", Period: seal.Always}
	wantText(t, first, mustSeal(t, second, name, "new"), "new")
	third := c.mustOpen("1")
	for _, r := range []*seal.Ring{first, second, third} {
		wantText(t, r, sealed, "text")
		wantText(t, r, more, "more")
	}
	if n := c.count(fmt.Sprintf(`SELECT COUNT(*) FROM keyring_keys WHERE master <> %d`, version)); n != 0 {
		t.Errorf("%d keys are wrapped by another version", n)
	}
}

func TestRingMovesBetweenAFileAndADatabase(t *testing.T) {
	c := newCluster(t)
	path := filepath.Join(c.dir, "keyring")
	open := func() *seal.Ring {
		t.Helper()
		r, err := seal.Open(t.Context(),
			seal.Options{Storage: seal.OpenFileBeside(path), Master: seal.MasterFile(c.master("1")), Clock: c.clock.Now,
				Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	file := open()
	sealed := mustSeal(t, file, ward, "text")
	target, err := pgring.Open(t.Context(), c.url)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if n, err := file.Export(t.Context(), target); err != nil || n != 1 {
		t.Fatalf("copied %d keys, %v", n, err)
	}
	shared := c.mustOpen("1")
	wantText(t, shared, sealed, "text")
	more := mustSeal(t, shared, later, "more")
	if n, err := shared.Export(t.Context(), seal.OpenFileBeside(path)); err != nil || n != 2 {
		t.Fatalf("copied %d keys back, %v", n, err)
	}
	wantText(t, open(), more, "more")
}

func TestDatabaseThatIsAwayIsUnavailable(t *testing.T) {
	testenv.Long(t)
	server := postgrestest.Start(t)
	c := newCluster(t)
	c.url = "postgres://signet@" + server.Addr() + "/postgres?connect_timeout=5"
	r := c.mustOpen("1")
	sealed := mustSeal(t, r, ward, "text")
	server.Stop(t, false)
	if _, err := r.Use(t.Context(), later); !errors.Is(err, seal.ErrUnavailable) {
		t.Errorf("a new key: %v, want ErrUnavailable", err)
	}
	wantText(t, r, sealed, "text")
	wantText(t, r, mustSeal(t, r, ward, "within the trust"), "within the trust")
	c.clock.Advance(2 * time.Minute)
	if _, err := r.Use(t.Context(), ward); !errors.Is(err, seal.ErrUnavailable) {
		t.Errorf("a key that may have been retired: %v, want ErrUnavailable", err)
	}
	unknown := bytes.Clone(sealed)
	unknown[1] ^= 1
	if _, err := r.Open(t.Context(), unknown, nil); !errors.Is(err, seal.ErrUnavailable) {
		t.Errorf("a key that may be there: %v, want ErrUnavailable", err)
	}
	server.Restart(t)
	wantText(t, r, mustSeal(t, r, later, "again"), "again")
	wantGone(t, r, unknown)
}

func TestAddressesKeepTheirPasswords(t *testing.T) {
	c := newCluster(t)
	storage, err := pgring.Open(t.Context(), c.url+"&application_name=hunter2")
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	_, err = pgring.Open(t.Context(), "postgres://signet:hunter2@127.0.0.1:port/x")
	if !errors.As(err, new(*seal.SetupError)) {
		t.Errorf("an address that is none: %v, want a SetupError", err)
	}
	if said := fmt.Sprint(storage, err); strings.Contains(said, "hunter2") {
		t.Errorf("it was said: %s", said)
	}
}

// Somebody looks for a ring where there is none, and where one is.
func TestLookingForARingMakesNoTables(t *testing.T) {
	c := newCluster(t)
	for range 2 {
		if _, err := pgring.OpenToLook(t.Context(), c.url); !errors.As(err, new(*seal.SetupError)) {
			t.Fatalf("where there is no ring, the error is %v", err)
		}
	}
	ring := c.mustOpen("a")
	storage, err := pgring.OpenToLook(t.Context(), c.url)
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	contents, _, err := storage.Load(t.Context(), true)
	if err != nil || contents == nil || contents.ID != ring.ID() {
		t.Errorf("it finds %v, %v", contents, err)
	}
}
