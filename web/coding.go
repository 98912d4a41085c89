package web

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// codings are those in which the build has put files besides their own (web/compress.mjs),
// each in a directory of its name. Of two that a browser likes as much the first is smaller.
var codings = []string{"br", "gzip"}

// identity is a file as it is.
const identity = "identity"

// coded is a file in the coding that a browser prefers of those there are, as it is where
// the browser takes none. It tells whether there was a choice.
func coded(name string, accept []string) (content []byte, coding string, choice bool) {
	weights := weigh(accept)
	coding, best, where := identity, weights.own(), name
	for _, one := range codings {
		file := path.Join(one, name)
		if !has(file) {
			continue
		}
		choice = true
		// Who likes both as much gets what is smaller.
		weight := weights.of(one)
		if weight > best || weight == best && weight > 0 && coding == identity {
			coding, best, where = one, weight, file
		}
	}
	content, _ = fs.ReadFile(dist, where) // it is there, in memory
	return content, coding, choice
}

// preferences are what the elements of an Accept-Encoding or Accept-Language header weigh,
// in small letters (RFC 9110, sections 12.5.3 and 12.5.4).
type preferences map[string]float64

// weigh reads such a header. An element whose weight can't be read is not wanted: what a
// browser gets without it is never wrong.
func weigh(lines []string) preferences {
	weights := make(preferences)
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			name, parameter, given := strings.Cut(element, ";")
			weight := 1.0
			if given {
				weight = weightOf(parameter)
			}
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
				weights[name] = weight
			}
		}
	}
	return weights
}

// weightOf reads a weight such as `q=0.5`; 0 where it is none.
func weightOf(parameter string) float64 {
	name, value, _ := strings.Cut(parameter, "=")
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !strings.EqualFold(strings.TrimSpace(name), "q") || !(weight > 0 && weight <= 1) {
		return 0
	}
	return weight
}

// of is what something weighs: by its name, else as everything that is not named.
func (p preferences) of(name string) float64 {
	if weight, named := p[name]; named {
		return weight
	}
	if name == "gzip" {
		if weight, named := p["x-gzip"]; named {
			return weight
		}
	}
	return p["*"]
}

// own is what a file as it is weighs. It is welcome without being named, after all that is.
func (p preferences) own() float64 {
	if weight, named := p[identity]; named {
		return weight
	}
	return math.SmallestNonzeroFloat64
}
