package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// codings are those in which the build has put files besides their own (web/compress.mjs),
// each in a directory of its name. Of two that a browser likes as much the first is smaller.
var codings = []string{"br", "gzip"}

// identity is a file as it is. The build leaves it out where gzip has it.
const identity = "identity"

// coded is a file in the coding that a browser prefers of those there are, as it is where
// the browser takes none. It tells whether there was a choice.
func coded(name string, accept []string) (content []byte, coding string, choice bool) {
	weights := weigh(accept)
	coding, best := identity, weights.own()
	for _, one := range codings {
		file := path.Join(one, name)
		if !has(file) {
			continue
		}
		choice = true
		// Who likes both as much gets what is smaller.
		weight := weights.of(one)
		if weight > best || weight == best && weight > 0 && coding == identity {
			coding, best = one, weight
		}
	}
	if coding == identity {
		return asItIs(name), coding, choice
	}
	return stored(path.Join(coding, name)), coding, choice
}

// stored is a file that the build has made.
func stored(name string) []byte {
	content, _ := fs.ReadFile(dist, name) // it is there, in memory
	return content
}

// asItIs is a file in no coding. Few programs ask for that, so it is made anew each time.
func asItIs(name string) []byte {
	if has(name) {
		return stored(name)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(stored(path.Join("gzip", name))))
	if err != nil {
		return nil // the build has made no such file
	}
	content, _ := io.ReadAll(zipped)
	return content
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
