package tally

import "time"

const (
	// shortest is the bound of the first bucket of durations; that of each other one is the square
	// root of two times that of the one before, up to 46 s. The last bucket has no bound.
	shortest = 250 * time.Microsecond
	buckets  = 37
)

// bounds are the upper bounds of all buckets but the last.
var bounds = func() (out [buckets - 1]time.Duration) {
	const rootOfTwo = 1.4142135623730951
	bound := float64(shortest)
	for i := range out {
		out[i] = time.Duration(bound)
		bound *= rootOfTwo
	}
	return out
}()

// Durations count how long something took, in buckets: so that those of many servers and minutes
// can be added up before anybody asks for a quantile.
type Durations [buckets]int64

func (d *Durations) observe(took time.Duration) {
	i := 0
	for i < len(bounds) && took > bounds[i] {
		i++
	}
	d[i]++
}

// Quantile returns up to which duration a share of all lies, as far as the buckets tell; ok is
// false where there is none.
func Quantile(counts []int64, share float64) (at time.Duration, ok bool) {
	all := int64(0)
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return 0, false
	}
	rank := share * float64(all)
	for i, n := range counts {
		if i >= len(bounds) {
			break
		}
		if rank > float64(n) {
			rank -= float64(n)
			continue
		}
		low := time.Duration(0)
		if i > 0 {
			low = bounds[i-1]
		}
		if n > 0 {
			low += time.Duration(rank / float64(n) * float64(bounds[i]-low))
		}
		return low, true
	}
	return bounds[len(bounds)-1], true
}
