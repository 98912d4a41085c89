// Command beside runs a command, the tests, as it would run for somebody who has a
// server of their own on this machine: the default address is taken, and the variables
// of the environment say things that are right for nobody. It fails where the command
// does, where somebody came to the address, and where a directory of the default name
// was made.
//
//	go run ./internal/testenv/beside make test
package main

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

const (
	defaultAddress   = "127.0.0.1:8080"
	defaultDirectory = "data"
)

// nonsense is what somebody may have set; each would break who takes it for its own.
var nonsense = []string{
	"SIGNET_LISTEN=192.0.2.1:1", "SIGNET_DATA=/dev/null/data", "SIGNET_URL=http://192.0.2.1:1",
	"SIGNET_API_KEY=nobody", "SIGNET_API_SECRET=nothing", "SIGNET_CONFIG=/dev/null/signet.yaml",
	"SIGNET_DATABASE=postgres://nobody@192.0.2.1/nothing", "SIGNET_KEYRING=file:/dev/null/keyring",
	"SIGNET_MASTER_KEY=env:NOBODY", "SIGNET_BLOBS=s3://nothing?endpoint=192.0.2.1", "SIGNET_NATS=nats://192.0.2.1:1",
	"SIGNET_LOG_LEVEL=loud", "SIGNET_NO_SUCH_SETTING=1",
	"AWS_ACCESS_KEY_ID=nobody", "AWS_SECRET_ACCESS_KEY=nothing", "AWS_PROFILE=nobody", "AWS_REGION=nowhere",
	"PGHOST=192.0.2.1", "PGPORT=1", "PGUSER=nobody", "PGPASSWORD=nothing", "PGDATABASE=nothing", "PGSSLMODE=verify-full",
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

func run(command []string) error {
	if len(command) == 0 {
		return fmt.Errorf("usage: beside COMMAND")
	}
	before, err := directories()
	if err != nil {
		return err
	}
	var visits atomic.Int64
	server, err := net.Listen("tcp", defaultAddress)
	if err == nil {
		defer server.Close()
		go func() {
			for {
				conn, err := server.Accept()
				if err != nil {
					return
				}
				visits.Add(1)
				conn.Close()
			}
		}()
	} else {
		fmt.Fprintln(os.Stderr, "beside: a server is there already:", err)
	}
	tests := exec.Command(command[0], command[1:]...)
	tests.Env = append(os.Environ(), nonsense...)
	tests.Stdin, tests.Stdout, tests.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := tests.Run(); err != nil {
		return fmt.Errorf("%s, with %s taken and %s in the environment: %w", command[0], defaultAddress, names(), err)
	}
	if n := visits.Load(); n > 0 {
		return fmt.Errorf("something connected %d times to %s, which is not its own", n, defaultAddress)
	}
	after, err := directories()
	if err != nil {
		return err
	}
	for _, path := range after {
		if !slices.Contains(before, path) {
			return fmt.Errorf("something made %s, where somebody's server would store", path)
		}
	}
	return nil
}

// names lists the variables, without what they say.
func names() string {
	var out []string
	for _, entry := range nonsense {
		name, _, _ := strings.Cut(entry, "=")
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// directories finds what has the default directory's name.
func directories() (found []string, err error) {
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case entry.Name() == ".git":
			return fs.SkipDir
		case entry.Name() == defaultDirectory:
			found = append(found, path)
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}
