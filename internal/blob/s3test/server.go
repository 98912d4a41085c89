package s3test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"signet/internal/testenv"
)

// The credentials that every server takes.
const (
	AccessKey = "signet-test"
	SecretKey = "secret-of-the-tests"
)

// patience is how long a server may take to answer.
const patience = 30 * time.Second

// Server is an S3 server that only this test binary uses.
type Server struct {
	address string
	keeper  *testenv.Keeper
}

// shared is the server of all tests of the binary that do not stop theirs.
var shared = sync.OnceValues(start)

// Shared returns the server that all tests of the binary share.
func Shared(t testing.TB) *Server {
	t.Helper()
	testenv.Long(t) // it has to be built first
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Start starts a server of the test's own, for one that stops it. It is gone when
// the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	testenv.Long(t)
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.keeper.Close() })
	return s
}

// Addr is the host and port that the server listens on, also after a restart.
func (s *Server) Addr() string { return s.address }

// Stop kills the server, with everything that it is doing.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.keeper.Must(t, "stop")
}

// Restart starts a stopped server at the same address, with what it had kept.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.keeper.Must(t, "start")
	if err := s.wait(); err != nil {
		t.Fatal(err)
	}
}

// keeper starts the server, and carries out a command a line until its standard input
// ends.
const keeper = `
gateway=$1 address=$2
directory=$(mktemp -d "${TMPDIR:-/tmp}/signet-s3.XXXXXX") || exit 1
mkdir "$directory/buckets" "$directory/metadata"
pid=
stop() { [ -z "$pid" ] || { kill -9 "$pid"; wait "$pid" 2>/dev/null; }; pid=; }
start() { "$gateway" --port "$address" --quiet --keep-alive posix --sidecar "$directory/metadata" "$directory/buckets" >"$directory/log" 2>&1 </dev/null & pid=$!; }
trap 'stop; rm -rf "$directory"' EXIT
trap 'exit 1' HUP INT TERM
start
echo done
while read -r command; do
	"$command"
	echo done
done
`

func start() (*Server, error) {
	gateway, err := testenv.Tool("signet/internal/blob/s3test", "gateway", "versitygw")
	if err != nil {
		return nil, err
	}
	address, err := testenv.FreeAddress()
	if err != nil {
		return nil, err
	}
	command := exec.Command("sh", "-c", keeper, "signet-s3", gateway, address)
	command.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
	s := &Server{address: address}
	if s.keeper, err = testenv.StartKeeper(command); err != nil {
		return nil, fmt.Errorf("start an S3 server: %w", err)
	}
	if err := s.wait(); err != nil {
		return nil, errors.Join(fmt.Errorf("start an S3 server: %w", err), s.keeper.Close())
	}
	return s, nil
}

// wait returns when the server answers.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("it does not listen on %s: %w", s.address, err)
		}
	}
}
