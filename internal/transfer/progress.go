package transfer

// Progress is told how far a step has come, often. Units are bytes of files, or rows.
// The total is 0 as long as it is not known; only the last call of a step has done
// equal to it.
type Progress func(step string, done, total int64)

// step reports on one step.
type step struct {
	name        string
	report      Progress
	done, total int64
}

func (p Progress) begin(name string, total int64) *step {
	s := &step{name: name, report: p, total: total}
	s.add(0)
	return s
}

func (s *step) add(n int64) {
	s.done += n
	if s.report != nil && (s.total == 0 || s.done < s.total) {
		s.report(s.name, s.done, s.total)
	}
}

// Write counts bytes that pass.
func (s *step) Write(p []byte) (int, error) {
	s.add(int64(len(p)))
	return len(p), nil
}

func (s *step) end() {
	if s.report != nil {
		s.report(s.name, s.done, s.done)
	}
}
