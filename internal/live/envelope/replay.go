package envelope

// replayWindow is how many messages back one of a sender may come late: several
// goroutines number them, and then stand in line.
const replayWindow = 1024

// seen remembers which messages of a sender came, by their numbers, so that a message
// which was caught on the way cannot be replayed.
type seen struct {
	newest uint64 // numbers begin at 1
	bits   [replayWindow / 64]uint64
}

// first notes a number, and reports whether it is new. What is older than the window
// counts as known: it is lost, as any message on the bus may be.
func (s *seen) first(number uint64) bool {
	switch {
	case number == 0 || number+replayWindow <= s.newest:
		return false
	case number > s.newest:
		if number-s.newest >= replayWindow {
			s.bits = [replayWindow / 64]uint64{}
		} else {
			for n := s.newest + 1; n < number; n++ {
				s.clear(n)
			}
		}
		s.newest = number
	case s.has(number):
		return false
	}
	s.bits[number/64%uint64(len(s.bits))] |= 1 << (number % 64)
	return true
}

func (s *seen) has(number uint64) bool {
	return s.bits[number/64%uint64(len(s.bits))]&(1<<(number%64)) != 0
}

func (s *seen) clear(number uint64) {
	s.bits[number/64%uint64(len(s.bits))] &^= 1 << (number % 64)
}
