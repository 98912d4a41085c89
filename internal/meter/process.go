package meter

import "time"

// Process is what a process takes of its machine; what is 0 is not known.
type Process struct {
	CPU    time.Duration // since it started
	Memory int64         // bytes that are resident
}
