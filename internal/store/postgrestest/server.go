package postgrestest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// Server is a PostgreSQL server that only this test binary uses.
type Server struct {
	address string
	keeper  *testenv.Keeper
}

// Start starts a server of the test's own, which is gone when the test ends. It
// is for tests that stop it, or that change its settings: each is a line of
// postgresql.conf, such as "fsync = on". The others share one (URL).
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	return mustStart(t, "", settings)
}

// StartStandby starts a server that follows another one: it streams all of its
// changes, may be read, and can be promoted. From then on the other one confirms a
// commit only once it is on the disks of both.
func (s *Server) StartStandby(t testing.TB, settings ...string) *Server {
	t.Helper()
	standby := mustStart(t, s.address, settings)
	admin := "postgres://signet@" + s.address + "/postgres?sslmode=disable"
	mustExec(t, admin, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	mustExec(t, admin, "SELECT pg_reload_conf()")
	return standby
}

func mustStart(t testing.TB, follows string, settings []string) *Server {
	t.Helper()
	s, err := start(follows, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.keeper.Close() })
	return s
}

// Promote makes a standby a server of its own, which may be written to.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.keeper.Must(t, "promote")
}

// Stop stops the server. In the fast way it ends all connections first; else it is
// as if it had crashed.
func (s *Server) Stop(t testing.TB, fast bool) {
	t.Helper()
	mode := "immediate"
	if fast {
		mode = "fast"
	}
	s.keeper.Must(t, "stop "+mode)
}

// Restart starts a stopped server, at the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.keeper.Must(t, "start")
}

// Addr is the host and port that the server listens on.
func (s *Server) Addr() string { return s.address }

// keeper runs as the server's user: it makes the data directory, starts the server,
// and does what it is told to line by line, until there is nobody left to tell it.
// The language of the database is not that of the bytes, so that a test notices
// what relies on it.
const keeper = `
bin=$1 port=$2 settings=$3 primary=$4
directory=$(mktemp -d "${TMPDIR:-/tmp}/signet-postgres.XXXXXX") || exit 1
cd "$directory"
stop() { "$bin/pg_ctl" stop -D "$directory/data" -s -m "$1" >>"$directory/log" 2>&1; }
start() { "$bin/pg_ctl" start -D "$directory/data" -s -w -t 120 -l "$directory/log" >>"$directory/log" 2>&1 </dev/null && echo done || { cat "$directory/log"; echo failed; }; }
trap 'stop immediate; rm -rf "$directory"' EXIT
trap 'exit 1' HUP INT TERM
make() { "$bin/initdb" -D "$directory/data" -U signet --auth=trust --encoding=UTF8 --locale=C --locale-provider=icu --icu-locale=en-US --no-sync; }
follow() { "$bin/pg_basebackup" -D "$directory/data" -d "postgres://signet@$primary/postgres?sslmode=disable" -R -X stream -c fast --no-sync; }
if [ "$primary" ]; then follow; else make; fi >"$directory/log" 2>&1 || { cat "$directory/log"; exit 1; }
cat >>"$directory/data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$directory'
fsync = off
full_page_writes = off
autovacuum = off
max_connections = 300
shared_buffers = 256MB
deadlock_timeout = 100ms
$settings
END
start
while read -r command argument; do
	case $command in
	stop) stop "$argument" && echo done || echo failed ;;
	start) start ;;
	promote) "$bin/pg_ctl" promote -D "$directory/data" -s -w -t 60 && echo done || echo failed ;;
	esac
done
`

func start(follows string, settings []string) (*Server, error) {
	directory, err := Programs()
	if err != nil {
		return nil, err
	}
	address, err := testenv.FreeAddress()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	arguments := []string{"sh", "-c", keeper, "signet-postgres", directory, port, strings.Join(settings, "\n"), follows}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		arguments = append([]string{"runuser", "-u", "postgres", "--"}, arguments...)
	}
	kept, err := testenv.StartKeeper(exec.Command(arguments[0], arguments[1:]...))
	if err != nil {
		return nil, fmt.Errorf("start a PostgreSQL server: %w", err)
	}
	return &Server{address, kept}, nil
}

// Programs finds the directory with the newest PostgreSQL's initdb, pg_ctl and postgres.
func Programs() (string, error) {
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin"} {
		matches, err := filepath.Glob(filepath.Join(pattern, "initdb"))
		if err != nil {
			return "", err
		}
		for _, match := range matches {
			found = append(found, filepath.Dir(match))
		}
	}
	if path, err := exec.LookPath("initdb"); err == nil && len(found) == 0 {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			found = append(found, filepath.Dir(path))
		}
	}
	if len(found) == 0 {
		return "", errors.New(`these tests need PostgreSQL 15 or later, and there is none on this machine.
Install it (Debian: apt-get install postgresql; it need not run), or set SIGNET_TEST_DATABASE to a database that the tests may use,
such as postgres://signet:secret@127.0.0.1:5432/signet_test`)
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

// version is the number in a path, such as 15 in /usr/lib/postgresql/15/bin.
func version(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[len(digits)-1])
	return n
}
