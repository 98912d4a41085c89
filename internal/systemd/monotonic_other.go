//go:build !linux

package systemd

import "time"

// monotonic is 0: there is no systemd.
func monotonic() time.Duration { return 0 }
