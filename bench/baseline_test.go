package bench

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/load"
)

// baseline is what PostgreSQL makes of a send's statements alone, as a result of
// this name.
const baseline = "pgbench"

// script holds the statements.
const script = "send.pgbench.sql"

// preparePairs makes the rows that a send finds: each pair's queues, and their
// memberships.
const preparePairs = `
INSERT INTO engine_queues (account, last) SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), 0 FROM generate_series(0, 1023) AS n;
INSERT INTO memberships (organization, account, title, department, joined, since, code)
	SELECT 'pgbench-pgbench-pgbench-', decode(lpad(to_hex(n), 32, '0'), 'hex'), '', '', 0, 0, '' FROM generate_series(0, 1023) AS n;
ANALYZE`

// mustPrepareBaseline has a server make tables, and leaves them to pgbench.
func mustPrepareBaseline(t *testing.T, e *engine) load.Own {
	t.Helper()
	own := e.mustOwn(t)
	e.serve(t, own, func(*load.Target) error { return nil })
	mustExec(t, own.Database, preparePairs)
	return own
}

// mustMeasureBaseline runs the script on the tables at an address. A run before it would
// warm nothing up but the system's cache, where the tables are anyway: each makes its
// connections anew. It returns nil where none of the transactions ended in time.
func mustMeasureBaseline(t *testing.T, e *engine, address string, connections int, s size) *load.Result {
	t.Helper()
	// The driver of Go takes a schema in the address, that of C in its options.
	schema := mustSchema(t, address)
	plain, _, _ := strings.Cut(address, "?")
	pgbench := filepath.Join(mustFindBinaries(t, e), "pgbench")
	start := strconv.FormatInt(time.Now().UnixMicro(), 10)
	command := exec.Command(pgbench, "--no-vacuum", "--protocol=prepared", "--file="+script,
		"--client="+strconv.Itoa(connections),
		"--jobs="+strconv.Itoa(min(connections, 2)), "--time="+strconv.Itoa(max(1, int(s.duration.Seconds()))),
		"--define=i="+start, plain)
	command.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+schema, "PGSSLMODE=disable")
	before, begin := load.ConsumptionOfTree(e.pid), time.Now()
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("pgbench: %v\n%s", err, output)
	}
	after, elapsed := load.ConsumptionOfTree(e.pid), time.Since(begin)
	done, rate, latency := mustReadPgbench(t, output)
	if done == 0 {
		t.Logf("pgbench did nothing on %d connections: the disk may have stood still", connections)
		return nil
	}
	return &load.Result{
		Scenario: baseline, Connections: connections, Seconds: elapsed.Seconds(), Operations: int64(done),
		OperationsPerSecond: rate,
		Latency:             load.Latency{Mean: latency},
		Database:            &load.Usage{CPUMicros: (after.CPU - before.CPU).Seconds() * 1e6 / done, Memory: after.Memory},
	}
}

var (
	pgbenchDone    = regexp.MustCompile(`number of transactions actually processed: (\d+)`)
	pgbenchFailed  = regexp.MustCompile(`number of failed transactions: (\d+)`)
	pgbenchRate    = regexp.MustCompile(`tps = ([0-9.]+)`)
	pgbenchLatency = regexp.MustCompile(`latency average = ([0-9.]+) ms`)
)

// mustReadPgbench finds the transactions, how many a second, and their mean
// latency in milliseconds.
func mustReadPgbench(t *testing.T, output []byte) (done, rate, latency float64) {
	t.Helper()
	read := func(pattern *regexp.Regexp) float64 {
		match := pattern.FindSubmatch(output)
		if match == nil {
			t.Fatalf("pgbench did not say %q:\n%s", pattern, output)
		}
		x, err := strconv.ParseFloat(string(match[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if failed := read(pgbenchFailed); failed > 0 {
		t.Fatalf("%v transactions of pgbench failed:\n%s", failed, output)
	}
	if done = read(pgbenchDone); done == 0 { // it says no rate
		return 0, 0, 0
	}
	return done, read(pgbenchRate), read(pgbenchLatency)
}

// mustFindBinaries returns the directory of the programs of the server that runs.
func mustFindBinaries(t *testing.T, e *engine) string {
	t.Helper()
	postgres, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", e.pid))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(postgres)
}

func mustExec(t *testing.T, address, statements string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.PgConn().Exec(t.Context(), statements).ReadAll(); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

func mustSchema(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("search_path") == "" {
		t.Fatalf("the database's address names no schema: %v", err)
	}
	return u.Query().Get("search_path")
}
