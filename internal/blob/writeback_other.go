//go:build !linux || arm

package blob

import "os"

// writeBack returns what does nothing: Sync writes all there is to write.
func writeBack(*os.File) func(from, size int64) { return func(int64, int64) {} }
