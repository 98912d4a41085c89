package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	classifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
)

// allowed are the licences that fit: they let anybody use, change and pass on the program,
// ask for nothing but their text and the names of the authors to be kept, and do not reach
// what they are linked with.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT",
	"MIT-0", "Unlicense", "Zlib"}

// known are texts that fit and that the classifier does not know, by a sentence that only they
// have.
var known = []struct{ license, sentence string }{
	{"blessing", "All of the code and documentation in SQLite has been dedicated to the public domain by the authors"},
	{"Unicode-3.0", "UNICODE LICENSE V3 COPYRIGHT AND PERMISSION NOTICE"},
	{"LicenseRef-Go-Patents", "Additional IP Rights Grant (Patents)"},
}

// passedOver are files that are about nothing in the program, each with why.
var passedOver = map[string]string{
	"modernc.org/memory/LICENSE-LOGO":         "the origin of a picture on a page of the web",
	"modernc.org/sqlite/LICENSE-3RD-PARTY.md": "all modules around it, linked or not; the linked have their own files",
	"modernc.org/sqlite/LICENSE-SQLITE_VEC":   "an extension that is not linked",
}

// looked are texts that say more than their licences, which somebody has read, each with a sum of
// what they say beside them: a text that changes is to be read again.
var looked = map[string]struct{ sum, says string }{
	"go.yaml.in/yaml/v3/LICENSE":            {"020d202d5be732d8", "which files are under which of the two"},
	"modernc.org/libc/LICENSE-3RD-PARTY.md": {"4308025cdc8c46b0", "whose each part is, and under which of the licences"},
}

// most words that a text may have beside its licences and the names of who holds the rights.
const most = 60

// judge says which licences a text has.
type judge struct {
	classifier *classifier.Classifier
}

func newJudge() (*judge, error) {
	c, err := assets.DefaultClassifier()
	return &judge{c}, err
}

// licenses returns the identifiers of the licences that a text consists of; none for a
// notice. The error says what does not fit.
func (j *judge) licenses(t text) ([]string, error) {
	flat := strings.Join(strings.Fields(t.text), " ")
	for _, k := range known {
		if strings.Contains(flat, k.sentence) {
			return []string{k.license}, nil
		}
	}
	var (
		found []string
		lines = strings.Split(t.text, "\n")
	)
	for _, m := range j.classifier.Match([]byte(t.text)).Matches {
		if m.MatchType != "Copyright" {
			if !slices.Contains(allowed, m.Name) {
				return nil, fmt.Errorf("%s: %s is not a licence that may be in the program", t.file, m.Name)
			}
			if !slices.Contains(found, m.Name) {
				found = append(found, m.Name)
			}
		}
		for i := m.StartLine; i <= min(m.EndLine, len(lines)); i++ {
			lines[i-1] = ""
		}
	}
	slices.Sort(found)
	if strings.Contains(strings.ToUpper(t.file), "NOTICE") {
		return found, nil
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: nobody knows which licence it is", t.file)
	}
	rest := strings.Fields(strings.Join(lines, " "))
	sum := fmt.Sprintf("%.8x", sha256.Sum256([]byte(strings.Join(rest, " "))))
	if len(rest) > most && looked[t.file].sum != sum {
		return nil, fmt.Errorf("%s: it is %s, and says more than that (sum %s): %s", t.file, strings.Join(found, ", "),
			sum, strings.Join(rest, " "))
	}
	return found, nil
}
