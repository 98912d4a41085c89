package bench

import (
	"bufio"
	"bytes"
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
	"signet/internal/store/postgrestest"
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

// mustMeasureBaseline runs the script on the tables at an address. Its connections are new, and each reads the catalogs
// and plans all statements first: 60 ms of the database's CPU, which a server has behind it. So pgbench runs for a
// while before it is looked at, longer the more connections there are. mustMeasureBaseline returns nil where no
// transactions ended in time.
func mustMeasureBaseline(t *testing.T, e *engine, address string, connections int, s size) *load.Result {
	t.Helper()
	warmup := 1 + float64(connections)/16 // seconds, as is until
	until := warmup + max(1, s.duration.Seconds())
	ends := strconv.Itoa(int(until) + 2)
	command := mustCallPgbench(t, e, address, connections, "--progress=1", "--time="+ends)
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	command.Stdout = &report
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var before, used time.Duration // of CPU
	var begin, end time.Time
	var done, spent float64 // transactions, and the milliseconds that they took together
	var complaints strings.Builder
	last := 0.0 // when pgbench said something: it leaves out seconds of which it has nothing to say
	for lines := bufio.NewScanner(said); lines.Scan(); {
		told := pgbenchProgress.FindStringSubmatch(lines.Text())
		if told == nil {
			complaints.WriteString(lines.Text() + "\n")
			continue
		}
		at, rate, latency := mustParse(t, told[1]), mustParse(t, told[2]), mustParse(t, told[3])
		switch {
		case at < warmup:
		case begin.IsZero():
			before, begin = load.CPUOfTree(e.pid), time.Now()
		case end.IsZero():
			done, spent = done+rate*(at-last), spent+rate*(at-last)*latency
			if at >= until {
				used, end = load.CPUOfTree(e.pid)-before, time.Now()
			}
		}
		last = at
	}
	mustEndWell(t, command.Wait(), report.String(), complaints.String())
	if done == 0 || end.IsZero() {
		t.Logf("pgbench did nothing on %d connections: the disk may have stood still", connections)
		return nil
	}
	elapsed := end.Sub(begin).Seconds()
	return &load.Result{
		Scenario: baseline, Connections: connections, Seconds: elapsed, Operations: int64(done),
		OperationsPerSecond: done / elapsed,
		Latency:             load.Latency{Mean: spent / done},
		Database:            &load.Usage{CPUMicros: used.Seconds() * 1e6 / done},
	}
}

// mustCallPgbench returns the call of the script.
func mustCallPgbench(t *testing.T, e *engine, address string, connections int, more ...string) *exec.Cmd {
	t.Helper()
	// The driver of Go takes a schema in the address, that of C in its options.
	schema := mustSchema(t, address)
	plain, _, _ := strings.Cut(address, "?")
	arguments := append([]string{"--no-vacuum", "--protocol=prepared", "--file=" + script,
		"--client=" + strconv.Itoa(connections), "--jobs=" + strconv.Itoa(min(connections, 2)),
		"--define=i=" + strconv.FormatInt(time.Now().UnixMicro(), 10)}, more...)
	command := exec.Command(filepath.Join(mustFindBinaries(t, e), "pgbench"), append(arguments, plain)...)
	command.Env = append(os.Environ(), "PGOPTIONS=-c search_path="+schema, "PGSSLMODE=disable")
	return command
}

var (
	pgbenchProgress = regexp.MustCompile(`^progress: ([0-9.]+) s, ([0-9.]+) tps, lat ([0-9.]+) ms`)
	pgbenchFailed   = regexp.MustCompile(`number of failed transactions: 0 `)
)

// mustEndWell ends a test where pgbench failed, or a transaction of it.
func mustEndWell(t *testing.T, err error, report, complaints string) {
	t.Helper()
	if err != nil || !pgbenchFailed.MatchString(report) {
		t.Fatalf("pgbench: %v\n%s\n%s", err, complaints, report)
	}
}

func mustParse(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestPgbenchRunsTheStatementsOfASend(t *testing.T) {
	database := postgrestest.Start(t)
	e := &engine{name: postgreSQL, database: database, pid: mustFindPostmaster(t, database)}
	address := mustPrepareBaseline(t, e).Database
	var report, complaints strings.Builder
	command := mustCallPgbench(t, e, address, 1, "--transactions=3")
	command.Stdout, command.Stderr = &report, &complaints
	mustEndWell(t, command.Run(), report.String(), complaints.String())
	for _, table := range []string{"messages", "deliveries", "events"} {
		var rows int
		mustQuery(t, address, "SELECT count(*) FROM "+table, &rows)
		if rows != 3 {
			t.Errorf("there are %d %s after 3 sends", rows, table)
		}
	}
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
