//go:build !linux

package meter

import "runtime/metrics"

// OwnProcess returns what this process has used and holds: on this system the memory that the
// runtime has, without what it does not know of.
func OwnProcess() (p Process) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	p.Memory = int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
	return p
}
