package patronitest

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// Cluster is the members, one of which leads.
type Cluster struct {
	Members []*Member
	commits int // of Takeover
}

// members is how many there are: the fewest of which one may be lost while the others still confirm.
const members = 3

// patience is how long the tests wait for what a cluster does by itself. It may copy a whole server in this time.
const patience = 3 * time.Minute

// Start starts a cluster, and returns when it is complete. pooling is PgBouncer's pool_mode, or empty for a cluster
// without PgBouncer.
func Start(t testing.TB, pooling string) *Cluster {
	t.Helper()
	programs, err := postgrestest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	mustHavePackages(t)
	etcdAddress := mustBeFree(t)
	mustPrepare(t, "etcd", "", etcdCommand(etcdAddress, mustBeFree(t))...).mustStart(t)
	c := &Cluster{}
	c.await(t, "etcd answers", func(ctx context.Context) bool {
		status, err := (&Member{api: etcdAddress}).ask(ctx, http.MethodGet, "/health", nil, nil)
		return err == nil && status == http.StatusOK
	})
	for i := range members {
		c.Members = append(c.Members, mustAdd(t, fmt.Sprintf("pg%d", i+1), programs, etcdAddress, pooling))
	}
	c.Settle(t)
	return c
}

// mustHavePackages says what is to be installed where a program is missing.
func mustHavePackages(t testing.TB) {
	t.Helper()
	for program, pack := range map[string]string{"patroni": "patroni and python3-etcd", "etcd": "etcd-server",
		"/usr/sbin/pgbouncer": "pgbouncer"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("this test needs Debian's package %s (see internal/e2e/patronitest/install.sh): %v", pack, err)
		}
	}
}

// mustBeFree returns an address that nobody listens on.
func mustBeFree(t testing.TB) string {
	t.Helper()
	address, err := testenv.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// mustAdd starts a member.
func mustAdd(t testing.TB, name, programs, etcd, pooling string) *Member {
	t.Helper()
	m := &Member{Name: name, server: mustBeFree(t), api: mustBeFree(t)}
	m.followers, m.asked = testenv.NewLink(t, m.server), testenv.NewLink(t, m.api)
	m.etcd = testenv.NewLink(t, etcd)
	config := fmt.Sprintf(patroniConfig,
		name, m.etcd.Addr(), m.api, m.asked.Addr(), m.server, m.followers.Addr(), programs)
	m.patroni = mustPrepare(t, name, config, append(append([]string{}, reaper...), "patroni", "config")...)
	m.patroni.mustStart(t)
	if pooling == "" {
		m.clients = testenv.NewBroadLink(t, m.server)
		return m
	}
	own := mustBeFree(t)
	m.clients = testenv.NewBroadLink(t, own)
	m.pooler = mustPrepare(t, name+"-pgbouncer", fillPooler(m.server, own, pooling), poolerCommand...)
	m.pooler.mustStart(t)
	return m
}

// Settle waits until a member leads and all others follow it, and returns the leader.
func (c *Cluster) Settle(t testing.TB) (leader *Member) {
	t.Helper()
	c.await(t, "the cluster is complete", func(ctx context.Context) bool {
		leader = nil
		for _, m := range c.Members {
			if m.leads(ctx) {
				leader = m
			}
		}
		return leader != nil && leader.complete(ctx)
	})
	return leader
}

// NewDatabase makes a database and returns its address: that of all members, of which the leader lets write.
func (c *Cluster) NewDatabase(t testing.TB, name string) string {
	t.Helper()
	leader := c.Settle(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := leader.exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for _, m := range c.Members {
		hosts = append(hosts, m.clients.Addr())
	}
	return "postgres://signet@" + strings.Join(hosts, ",") + "/" + name +
		"?sslmode=disable&target_session_attrs=read-write"
}

// exec runs a statement on the member's server, past all links.
func (m *Member) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, "postgres://signet@"+m.server+"/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, statement)
	return err
}

// Takeover is what the cluster did by itself: when another member led, and when its server confirmed a commit, which
// takes a synchronous standby. Nobody can write sooner.
type Takeover struct {
	Leader    *Member
	Led       time.Time
	Confirmed time.Time
}

// AwaitTakeover waits until another member than the one that led before leads and confirms.
func (c *Cluster) AwaitTakeover(t testing.TB, before *Member) (taken Takeover) {
	t.Helper()
	c.await(t, "another server leads", func(ctx context.Context) bool {
		for _, m := range c.Members {
			if m != before && m.leads(ctx) {
				taken.Leader, taken.Led = m, time.Now()
			}
		}
		return taken.Leader != nil
	})
	c.await(t, "the new leader confirms a commit", func(ctx context.Context) bool {
		c.commits++
		return taken.Leader.exec(ctx, fmt.Sprintf("CREATE TABLE takeover_%d ()", c.commits)) == nil
	})
	taken.Confirmed = time.Now()
	return taken
}

// await asks again and again until something holds.
func (c *Cluster) await(t testing.TB, what string, holds func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}
