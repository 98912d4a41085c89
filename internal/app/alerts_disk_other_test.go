//go:build !linux

package app

import (
	"testing"

	"signet/internal/config"
)

// tryDiskFills needs a small file system of its own, which only Linux gives a test.
func tryDiskFills(t *testing.T, _ *config.Config, seen *witness) {
	t.Log("the alerts of disks are tried on Linux only")
	seen.spare("SignetDiskFull", "SignetDiskFullSoon")
}
