package sqlite

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

// children are what a process of a test does with a database, by its first argument.
var children = map[string]func(path string) error{"hold": holdCheckpoints, "write": writeForever}

// TestMain is the tests, or the process that a test starts of them.
func TestMain(m *testing.M) {
	testenv.Clear()
	if len(os.Args) == 3 && children[os.Args[1]] != nil {
		if err := children[os.Args[1]](os.Args[2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
