package sqlite

import "math/bits"

// pageSet is a set of page numbers, one bit for each page of the file.
type pageSet struct {
	words  []uint64
	lowest int // no word before it has a bit
	size   int
}

// add puts a page into the set.
func (s *pageSet) add(page uint32) {
	word := int(page / 64)
	if word >= len(s.words) {
		s.words = append(s.words, make([]uint64, word+1-len(s.words))...)
	}
	if bit := uint64(1) << (page % 64); s.words[word]&bit == 0 {
		s.words[word] |= bit
		s.lowest = min(s.lowest, word)
		s.size++
	}
}

// addAll puts the pages 1 to last into the set.
func (s *pageSet) addAll(last uint32) {
	for page := uint32(1); page <= last; page++ {
		s.add(page)
	}
}

// take moves up to n pages, the lowest ones, out of the set and appends them to
// pages.
func (s *pageSet) take(pages []uint32, n int) []uint32 {
	for ; s.lowest < len(s.words); s.lowest++ {
		for word := &s.words[s.lowest]; *word != 0; n-- {
			if n <= 0 {
				return pages
			}
			bit := bits.TrailingZeros64(*word)
			*word &^= 1 << bit
			s.size--
			pages = append(pages, uint32(s.lowest*64+bit))
		}
	}
	return pages
}
