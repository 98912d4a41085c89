package standby

import "time"

const (
	// cycleTime is how long it takes at most until every page was put into a bucket again. What a row held that
	// was deleted is in the objects of two cycles at most.
	cycleTime = 12 * time.Hour

	// refreshShare is how many pages are written until one is refreshed besides: it bounds what is in the bucket
	// to some times the size of the database.
	refreshShare = 2

	// leastRefresh is how many pages are refreshed at a time at least, so that a server that is idle puts few
	// objects.
	leastRefresh = 256
)

// cycle is a time in which every page of the database goes into a bucket at least once: whoever has all objects
// of it has a whole copy. Pages that are written are in it anyway; the others are refreshed one after the other.
type cycle struct {
	start uint64 // its first object
	began time.Time
	size  uint32 // of the database, in pages
	next  uint32 // pages up to this one were refreshed
	put   uint64 // pages, refreshed or written
}

// due returns the pages that are to be refreshed now.
func (c *cycle) due(now time.Time) []uint32 {
	if c.size == 0 || c.next >= c.size {
		return nil
	}
	want := uint64(c.size)
	if elapsed := now.Sub(c.began); elapsed < cycleTime {
		want = uint64(float64(c.size) * float64(max(0, elapsed)) / float64(cycleTime))
	}
	if c.put > uint64(c.next) {
		want = max(want, (c.put-uint64(c.next))/refreshShare)
	}
	want = min(want, uint64(c.size))
	if want <= uint64(c.next) || want < uint64(c.size) && want-uint64(c.next) < leastRefresh {
		return nil
	}
	pages := make([]uint32, 0, want-uint64(c.next))
	for uint64(c.next) < want {
		c.next++
		pages = append(pages, c.next)
	}
	return pages
}

// done takes a commit of a database of so many pages, and reports whether the cycle ends with it.
func (c *cycle) done(size uint32) bool {
	c.size = size
	return c.next >= size
}
