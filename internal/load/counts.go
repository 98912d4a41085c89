package load

// Counts are figures that do not depend on how fast a machine is, by their names: statements,
// bytes that were written. Whoever sets Target.Counters knows what they mean.
type Counts map[string]float64

// countsAt is what was counted once that many operations had ended.
type countsAt struct {
	counts     Counts
	operations int64
}

// count reads the counters, and then how many operations have ended: to read the counters may take a while, and
// what is done meanwhile is in both.
func (g *gauge) count(ended func() int64) countsAt {
	if g.counters == nil {
		return countsAt{}
	}
	counts := g.counters()
	return countsAt{counts, ended()}
}

// since is by how much each counter grew for an operation that ended after an earlier one.
// What was not counted both times is left out.
func (c countsAt) since(earlier countsAt) Counts {
	operations := c.operations - earlier.operations
	if operations <= 0 || len(c.counts) == 0 {
		return nil
	}
	each := Counts{}
	for name, total := range c.counts {
		if before, ok := earlier.counts[name]; ok {
			each[name] = round((total-before)/float64(operations), 4)
		}
	}
	return each
}
