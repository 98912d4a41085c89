//go:build !darwin && !freebsd && !linux

package disk

// Free is unknown on this system.
func Free(string) (free, size int64, ok bool) { return 0, 0, false }
