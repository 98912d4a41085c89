// Package testenv is what tests need of their surroundings: it keeps away from them what somebody has
// set for servers and clients of their own, builds the program that they run, keeps servers, and cuts
// the way to them (Link). Each package's TestMain calls Clear, which a test of the imports holds. It
// must not be imported by what is no test.
package testenv

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Long skips a test, one of the longest, where the tests are to be short (go test -short): make test leaves it to
// make test-all.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("one of the longest, which make test-all runs")
	}
}

// torture names how long tests that disturb servers go on: a time such as 10m.
const torture = "SIGNET_TEST_TORTURE"

// Torture returns for how long such tests go on where they are all that runs; whole is false elsewhere.
func Torture(t testing.TB) (total time.Duration, whole bool) {
	t.Helper()
	text := os.Getenv(torture)
	if text == "" {
		return 0, false
	}
	total, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", torture, err)
	}
	return total, true
}

// Clear takes out of the environment what the program, and the libraries that it
// calls, would read there, so that a test finds what it sets itself and nothing else.
// A TestMain calls it before it does anything, but for one that stands for another
// program, whose environment the test made.
//
// HOME stays, for the caches of Go; the files in it that would be read are replaced.
func Clear() {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); theirs(name) {
			_ = os.Unsetenv(name) // which fails for names that no entry has
		}
	}
	for _, name := range homeFiles {
		_ = os.Setenv(name, os.DevNull)
	}
}

// homeFiles are the variables that name files which are else looked for in HOME.
var homeFiles = []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "PGPASSFILE", "PGSERVICEFILE"}

// theirs reports whether a variable is for a program that somebody runs, and not for
// the tests themselves: what SIGNET_TEST_... and SIGNET_BENCH... say is for tests.
func theirs(name string) bool {
	for _, own := range []string{"SIGNET_TEST_", "SIGNET_BENCH"} {
		if strings.HasPrefix(name, own) {
			return false
		}
	}
	for _, beginning := range []string{"SIGNET_", "AWS_", "PG", "NATS_", "MINIO_", "OTEL_"} {
		if strings.HasPrefix(name, beginning) {
			return true
		}
	}
	return false
}
