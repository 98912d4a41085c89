package testenv_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); goleak.VerifyTestMain(m) }

func TestWhatSomebodySetForTheirOwnServerIsGone(t *testing.T) {
	gone := []string{"SIGNET_LISTEN", "SIGNET_DATA", "SIGNET_URL", "SIGNET_API_SECRET", "SIGNET_ANYTHING",
		"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "PGHOST", "PGSSLMODE"}
	kept := []string{"SIGNET_TEST_ENGINE", "SIGNET_BENCH_OUT", "HOME", "PATH", "SIGNETS"}
	for _, name := range append(gone, kept...) {
		t.Setenv(name, "nonsense")
	}
	for _, name := range []string{"PGPASSFILE", "AWS_CONFIG_FILE"} {
		t.Setenv(name, "/home/somebody")
	}
	testenv.Clear()
	for _, name := range gone {
		if text, set := os.LookupEnv(name); set {
			t.Errorf("%s is %q, want it gone", name, text)
		}
	}
	for _, name := range kept {
		if os.Getenv(name) != "nonsense" {
			t.Errorf("%s is %q, want it as it was", name, os.Getenv(name))
		}
	}
	for _, name := range []string{"PGPASSFILE", "PGSERVICEFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		if got := os.Getenv(name); got != os.DevNull {
			t.Errorf("%s is %q, want %s", name, got, os.DevNull)
		}
	}
}
