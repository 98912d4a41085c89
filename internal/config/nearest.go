package config

import (
	"maps"
	"slices"
	"strings"
)

// nearestKey names the known setting that an unknown key most likely meant. A
// key without its section is compared with the settings' last parts too, so
// that "burst" finds limits.burst.
func nearestKey(key string, known map[string]*setting) string {
	keys := slices.Sorted(maps.Keys(known))
	if strings.Contains(key, ".") {
		return nearest(key, keys)
	}
	meant := make(map[string]string, 2*len(keys))
	for _, k := range keys {
		meant[k] = k
	}
	for _, k := range keys {
		if last := k[strings.LastIndex(k, ".")+1:]; meant[last] == "" {
			meant[last] = k
		}
	}
	return meant[nearest(key, slices.Collect(maps.Keys(meant)))]
}

// didYouMean ends a sentence about an unknown name.
func didYouMean(near string) string {
	if near == "" {
		return `; "signet config describe" lists all`
	}
	return "; did you mean " + near + "?"
}

// farthest is how many edits a slip of the finger makes at most.
const farthest = 2

// nearest returns the candidate with the fewest edits from word; of several,
// the alphabetically first. It returns "" where all are too far away to be meant.
func nearest(word string, candidates []string) string {
	slices.Sort(candidates)
	best, least := "", farthest+1
	for _, c := range candidates {
		if d := distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace to turn a into b
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
