package maintain

import (
	"strconv"
	"strings"
	"time"
)

// series are the values of a page of metrics, by name and by the text of the labels.
type series map[string]map[string]float64

// readSeries reads a page in Prometheus' text format, as this program writes it.
func readSeries(page string) series {
	out := series{}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			continue
		}
		name, labels, _ := strings.Cut(strings.TrimSuffix(line[:at], "}"), "{")
		if out[name] == nil {
			out[name] = map[string]float64{}
		}
		out[name][labels] = value
	}
	return out
}

func (s series) has(name string) bool { return len(s[name]) > 0 }

// sum adds up the series of a name.
func (s series) sum(name string) (total float64) {
	for _, value := range s[name] {
		total += value
	}
	return total
}

// time reads a series that tells a time; 0 is none.
func (s series) time(name string) time.Time { return secondsTime(s.sum(name)) }

func secondsTime(seconds float64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}

// labelOf returns the value of a label. Those of this program hold no quotation marks.
func labelOf(labels, name string) string {
	_, rest, _ := strings.Cut(","+labels, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
